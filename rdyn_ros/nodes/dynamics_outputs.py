"""Topics out of the dynamics node: what is published where, each message laid out once."""
import re

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..errors import RdynError
from .cdr import CommandWriter, JointEffortWriter, PoseWriter, TwistWriter
from .terms import gains

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
        self._further = [(tip, sender(PoseStamped, topic), PoseWriter(self.base))
                         for tip, topic in _pose_topics(self.tips[1:]).items()]
        self._frames, self._tf = [values.frame_prefix + tip for tip in self.tips], tf
        self._command = None
        if values.command_topic:
            self._command = sender(Float64MultiArray, values.command_topic), CommandWriter(len(names))

    def usual(self, loaded, states, values, command):
        """Callable (data, now) -> bool that answers the usual message in C, and says False to others.

        It takes the message into `states` too, and steps the command. None where C is not built or the robot has no
        machine code.
        """
        code = loaded.load.code
        if Answer is None or code is None or len(states.names) > MOST_JOINTS:
            return None
        arrays = (states.q, states.qd, states.effort, states.stamps, states.arrived, states.has_velocity, states.clock)
        ways = [*self._main, self._command] if self._command else self._main
        return Answer(states.names, arrays, tuple(self.order.tolist()),
                      tuple((write.layout, write.place) for _, write in ways),
                      _handles([send for send, _ in ways]), code.address, code, tuple(loaded.gravity.tolist()),
                      gains(values), values.state_timeout, command.arrays if self._command else None,
                      bool(self._further or self._tf))

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
        if self._command is not None:
            send, write = self._command
            send(write(command(compensation, states.effort, now)[self.order]))
        return self.publish_rest(loaded, states, self._main[POSE][1].layout)

    def publish_rest(self, loaded, states, pose):
        """Publishes further tips and TF; `pose`: message of the first tip. Returns how many poses were not finite."""
        poses = {self._frames[0]: pose}
        for frame, (tip, send, write) in zip(self._frames[1:], self._further, strict=True):
            T = loaded.load.pose(states.q, tip)
            if _finite(T):
                poses[frame] = write(states.stamp, T)
                send(poses[frame])
        if self._tf is not None:
            self._tf(states.stamp, self.base, list(poses), map(self._main[POSE][1].numbers, poses.values()))
        return len(self._frames) - len(poses)


def _handles(senders):
    """Handles of the publishers whose `publish_raw` the senders are; none where some is another function."""
    handles = tuple(getattr(send, "__self__", None) for send in senders)
    return handles if all(hasattr(handle, "pointer") for handle in handles) else ()


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
