"""Topics out of the dynamics node: what is published where, each message laid out once."""
from math import isfinite

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..errors import RdynError
from .messages import CommandWriter, JointEffortWriter, PoseWriter, TwistWriter
from .terms import compensation


class Outputs:
    """Answers states of `robot` on all topics. `publisher(type, topic)` gives the publisher of a topic."""

    def __init__(self, robot, values, publisher, tf=None):
        check_names("joints", values.joints, robot.joint_names)
        check_names("tips", values.tips, robot.frame_names)
        joints = values.joints or robot.joint_names
        names = [values.joint_prefix + name for name in joints]
        self.order = np.array([robot.joint_names.index(name) for name in joints], dtype=int)
        self.tips = values.tips or robot.tips
        self.base = values.base_frame or values.frame_prefix + robot.model.bodies[0].name
        self._torques = [(publisher(JointState, f"~/{term}"), JointEffortWriter(names))
                         for term in ("gravity", "coriolis", "friction", "compensation")]
        topics = ["~/pose", *(f"~/{tip}/pose" for tip in self.tips[1:])]
        self._poses = [(publisher(PoseStamped, topic), PoseWriter(self.base)) for topic in topics]
        self._twist = publisher(TwistStamped, "~/twist"), TwistWriter(self.base)
        self._frames, self._tf = [values.frame_prefix + tip for tip in self.tips], tf
        self._command = None
        if values.command_topic:
            self._command = publisher(Float64MultiArray, values.command_topic), CommandWriter(len(names))

    def publish(self, loaded, states, now, values, command):
        """Publishes everything known at the measured state; returns how many results were not finite.

        command(compensation (n,)) gives the torque (n,) for command_topic.
        """
        q, stamp, moving = states.q, states.stamp, states.has_velocity.all()
        gravity, coriolis, friction, pose, velocity = loaded.terms(q, states.qd, now)
        if not moving:
            coriolis = friction = None
        compensated = compensation(gravity, coriolis, friction, values)
        bad = 0
        torques = (gravity, coriolis, friction, compensated)
        for (publisher, write), tau in zip(self._torques, torques, strict=True):
            if tau is not None:
                bad += _send(publisher, write, stamp, tau[self.order])
        if self._command is not None:
            publisher, write = self._command
            publisher.publish(write(command(compensated)[self.order]))
        poses = [pose, *(loaded.robot.fk(q, tip) for tip in self.tips[1:])]
        for (publisher, write), T in zip(self._poses, poses, strict=True):
            bad += _send(publisher, write, stamp, T)
        if moving:
            bad += _send(*self._twist, stamp, velocity)
        if self._tf is not None and not bad:
            self._tf(stamp, self.base, self._frames, poses)
        return bad


def check_names(parameter, given, known):
    """Raises RdynError when a parameter with names has one that is not known, or one twice."""
    unknown = [name for name in given if name not in known]
    if unknown or len(set(given)) < len(given):
        what = f"{unknown[0]!r}, which the robot does not have" if unknown else "a name twice"
        raise RdynError(f"parameter '{parameter}' has {what}; allowed are {', '.join(known)}")


def _send(publisher, write, stamp, array):
    """Publishes an array when it is finite; 1 when it is not."""
    if not isfinite(array.sum()):
        return 1
    publisher.publish(write(stamp, array))
    return 0
