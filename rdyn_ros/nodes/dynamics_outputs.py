"""Topics out of the dynamics node: what is published where, each message laid out once."""
import re

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..errors import RdynError
from .cdr import CommandWriter, JointEffortWriter, PoseWriter, TwistWriter
from .terms import gains
from .together import together

try:
    from ._answer import MOST_JOINTS, Answer
except ImportError:  # not built: Python answers everything, some ten times slower
    Answer = None

TORQUES = ("gravity", "coriolis", "friction", "compensation")
POSE = len(TORQUES)  # place of the pose among the main topics


class Outputs:
    """Answers states of `robot` on all topics; `sender(type, topic)` gives what sends bytes on a topic."""

    def __init__(self, robot, values, sender, tf=None):
        check_names("joints", values.joints, robot.joint_names)
        check_names("tips", values.tips, robot.frame_names)
        joints = values.joints or robot.joint_names
        names = [values.joint_prefix + name for name in joints]
        self.order = np.array([robot.joint_names.index(name) for name in joints], dtype=int)
        self.tips = values.tips or robot.tips
        self.base = _base_frame(robot, values)
        self._main = [
            *((sender(JointState, f"~/{term}"), JointEffortWriter(names)) for term in TORQUES),
            (sender(PoseStamped, "~/pose"), PoseWriter(self.base)),
            (sender(TwistStamped, "~/twist"), TwistWriter(self.base))]
        self._send_main = together([send for send, _ in self._main])
        self._further = [(tip, sender(PoseStamped, topic), PoseWriter(self.base))
                         for tip, topic in _pose_topics(self.tips[1:]).items()]
        self._frames, self._tf = [values.frame_prefix + tip for tip in self.tips], tf
        self._command = None
        if values.command_topic:
            self._command = sender(Float64MultiArray, values.command_topic), CommandWriter(len(names))

    def usual(self, loaded, states, values):
        """Callable (data, now, timeout) -> messages, in C, for the usual message, and None for others.

        It takes the message into `states` too. None where C is not built or the robot has no machine code.
        """
        code = loaded.load.code
        if Answer is None or code is None or len(states.names) > MOST_JOINTS:
            return None
        self.compensation = np.zeros(len(states.names))
        arrays = (states.q, states.qd, states.effort, states.stamps, states.arrived, states.has_velocity,
                  self.compensation, states.clock)
        writers = [write for _, write in self._main]
        return Answer(arrays, states.names, tuple(self.order.tolist()), tuple(w.layout for w in writers),
                      tuple(w.place for w in writers), code.address, code, tuple(loaded.gravity.tolist()),
                      gains(values))

    def publish_usual(self, messages, loaded, states, now, command):
        """Publishes what the callable of `usual` gave; returns how many other results were not finite."""
        self._send_main(messages)
        return self._publish_others(loaded, states, now, self.compensation, command, messages[POSE])

    def publish(self, loaded, states, now, values, command):
        """Publishes everything known at the measured state; returns how many results were not finite.

        command(compensation (n,), effort (n,), now) gives the torque (n,) for command_topic.
        """
        moving, stamp = states.has_velocity.all(), states.stamp
        gravity, coriolis, friction, pose, velocity = loaded.terms(states.q, states.qd, now)
        scale = gains(values)
        compensation = scale[0] * gravity
        if moving:
            compensation = compensation + scale[1] * coriolis + scale[2] * friction
        results = (gravity, coriolis, friction, compensation, pose, velocity)
        unknown = () if moving else (1, 2, 5)
        finite = [_finite(result) for result in results]
        for k, ((send, write), result) in enumerate(zip(self._main, results, strict=True)):
            if finite[k] and k not in unknown:
                send(write(stamp, result[self.order] if k < POSE else result))
        if not all(finite):
            return finite.count(False)
        return self._publish_others(loaded, states, now, compensation, command, self._main[POSE][1].layout)

    def _publish_others(self, loaded, states, now, compensation, command, pose):
        """Command, further tips and TF; `pose`: message of the first tip. Returns how many poses were not finite."""
        if self._command is not None:
            send, write = self._command
            send(write(command(compensation, states.effort, now)[self.order]))
        poses = {self._frames[0]: pose}
        for frame, (tip, send, write) in zip(self._frames[1:], self._further, strict=True):
            T = loaded.load.pose(states.q, tip)
            if _finite(T):
                poses[frame] = write(states.stamp, T)
                send(poses[frame])
        if self._tf is not None:
            self._tf(states.stamp, self.base, list(poses), map(self._main[POSE][1].numbers, poses.values()))
        return len(self._frames) - len(poses)


def _finite(result):
    return bool(np.isfinite(result).all())


def _base_frame(robot, values):
    """frame_id of poses: that of the base, or another name of it."""
    base, given = robot.model.bodies[0].name, values.base_frame
    if given.removeprefix(values.frame_prefix) in robot.frame_names and given not in (base, values.frame_prefix + base):
        raise RdynError(f"parameter 'base_frame' is {given!r}, another frame of the robot; it only names the base, "
                        f"whose poses they stay: leave it empty, or give a name for {base!r}")
    return given or values.frame_prefix + base


def _pose_topics(tips):
    """{tip: its topic}; what a name of a topic may not have is an underscore there."""
    topics = {tip: f"~/{re.sub('^(?=[0-9])', '_', re.sub('[^a-zA-Z0-9_]', '_', tip))}/pose" for tip in tips}
    for tip, topic in topics.items():
        if others := [other for other in tips if other != tip and topics[other] == topic]:
            raise RdynError(f"tips '{tip}' and '{others[0]}' would share the topic {topic}; "
                            "leave one of them out of parameter 'tips'")
    return topics


def check_names(parameter, given, known):
    """Raises RdynError when a parameter with names has one that is not known, or one twice."""
    unknown = [name for name in given if name not in known]
    if unknown or len(set(given)) < len(given):
        what = f"{unknown[0]!r}, which the robot does not have" if unknown else "a name twice"
        raise RdynError(f"parameter '{parameter}' has {what}; allowed are {', '.join(known)}")
