"""Topics out of the dynamics node: what is published where, each message laid out once."""
import re

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..errors import RdynError
from .cdr import CommandWriter, JointEffortWriter, PoseWriter, TwistWriter, pose_numbers
from .terms import gains

try:
    from ._answer import MOST_JOINTS, MOST_TIPS, Answer
except ImportError:  # not built: Python answers everything, some ten times slower
    Answer = None

TORQUES = ("compensation", "gravity", "coriolis", "friction")


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
        self._torques = [(sender(JointState, f"~/{term}"), JointEffortWriter(names)) for term in TORQUES]
        self._twist = sender(TwistStamped, "~/twist"), TwistWriter(self.base)
        self._poses = [(sender(PoseStamped, topic), PoseWriter(self.base)) for topic in _pose_topics(self.tips)]
        self._frames, self._tf = [values.frame_prefix + tip for tip in self.tips], tf
        self._command = None
        if values.command_topic:
            self._command = sender(Float64MultiArray, values.command_topic), CommandWriter(len(names))

    def usual(self, loaded, states, values, command):
        """Callable (data, now) -> bool that answers the usual message in C, and says False to others.

        It takes the message into `states` too, and steps the command. None where C is not built, or has no way to
        publish, or the robot is too large for it or has no machine code.
        """
        shared = loaded.shared
        if Answer is None or shared is None or len(states.names) > MOST_JOINTS or len(self.tips) > MOST_TIPS:
            return None
        arrays = (states.q, states.qd, states.effort, states.stamps, states.arrived, states.has_velocity, states.clock,
                  states.fastest, states.turn)
        ways = [self._command, *self._torques, self._twist, *self._poses]       # what drives is sent first
        layouts = tuple((way[1].layout, way[1].place) if way else None for way in ways)
        try:
            return Answer(states.names, arrays, tuple(self.order.tolist()), layouts, _handles(ways), shared,
                          gains(values), values.state_timeout, values.cutoff, command.shared if self._command else None)
        except RuntimeError:        # of rcl
            return None

    def publish(self, loaded, states, now, values, command):
        """Publishes everything known at the measured state; returns how many results were not finite.

        command(compensation (n,), effort (n,), now) gives the torque (n,) for command_topic.
        """
        moving, stamp = states.has_velocity.all(), states.stamp
        gravity, coriolis, friction, poses, velocity = loaded.terms(states.q, states.qd, now)
        scale = gains(values)
        compensation = scale[0] * gravity
        if moving:
            compensation = compensation + scale[1] * coriolis + scale[2] * friction
        torques = [compensation, gravity, coriolis, friction]
        finite = [_finite(result) for result in (*torques, velocity, *poses)]
        if self._command is not None and all(finite):
            send, write = self._command
            send(write(command(compensation, states.effort, now)[self.order]))
        results = [*(tau[self.order] for tau in torques), velocity, *poses]
        known = [True, True, moving, moving, moving, *(True for _ in poses)]
        ways = [*self._torques, self._twist, *self._poses]
        for (send, write), result, is_finite, is_known in zip(ways, results, finite, known, strict=True):
            if is_finite and is_known:
                send(write(stamp, result))
        self.tell(stamp, map(pose_numbers, poses))
        return finite.count(False)

    def tell(self, stamp, poses):
        """Tells TF, if that is wanted, poses (k, 7) of all tips, position and quaternion, as far as they are finite."""
        if self._tf is None:
            return
        told = {frame: pose for frame, pose in zip(self._frames, poses, strict=True) if _finite(pose)}
        self._tf(stamp, self.base, list(told), told.values())


def _handles(ways):
    """Handles of the publishers whose `publish_raw` ways send by; none where some is another function."""
    handles = tuple(getattr(way[0], "__self__", None) if way else None for way in ways)
    known = (hasattr(handle, "pointer") for way, handle in zip(ways, handles, strict=True) if way)
    return handles if all(known) else ()


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
    """Topics of tips, ~/pose for the first; what a name of a topic may not have is an underscore there."""
    tips = tips[1:]
    topics = {tip: f"~/{re.sub('^(?=[0-9])', '_', re.sub('[^a-zA-Z0-9_]', '_', tip))}/pose" for tip in tips}
    for tip, topic in topics.items():
        if others := [other for other in tips if other != tip and topics[other] == topic]:
            raise RdynError(f"tips '{tip}' and '{others[0]}' would share the topic {topic}; "
                            "leave one of them out of parameter 'tips'")
    return ["~/pose", *topics.values()]


def check_names(parameter, given, known):
    """Raises RdynError when a parameter with names has one that is not known, or one twice."""
    unknown = [name for name in given if name not in known]
    if unknown or len(set(given)) < len(given):
        what = f"{unknown[0]!r}, which the robot does not have" if unknown else "a name twice"
        raise RdynError(f"parameter '{parameter}' has {what}; allowed are {', '.join(known)}")
