"""Topics out of the control node: commands with every cycle, reports now and then."""
from contextlib import suppress

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rdyn_interfaces.msg import ControllerState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectoryPoint

from ..control.motion import TURN
from ..control.observer import tip_wrench
from ..errors import RdynError
from .cdr import CommandWriter, JointEffortWriter
from .dynamics_outputs import check_names
from .messages import fill_wrench, time_message


class ControlOutputs:
    """What a controller of `robot` tells; `publisher(type, topic)` gives the publisher of a topic."""

    def __init__(self, robot, values, publisher):
        joints = values.joints or robot.joint_names
        check_names("joints", joints, robot.joint_names)
        self._order = np.array([robot.joint_names.index(name) for name in joints], dtype=int)
        self._names = [values.joint_prefix + name for name in joints]
        self.base = values.frame_prefix + robot.model.bodies[0].name
        self.tips = (values.tip, *robot.tips) if values.tip else robot.tips
        check_names("tip", self.tips[:1], robot.frame_names)
        self._command = publisher(Float64MultiArray, values.command_topic), CommandWriter(len(joints))
        self._effort = publisher(JointState, "~/effort"), JointEffortWriter(self._names)
        self._external = publisher(JointState, "~/external_torque"), JointEffortWriter(self._names)
        self._wrench = publisher(WrenchStamped, "~/external_wrench")
        self._state = publisher(ControllerState, "~/controller_state")

    def command(self, stamp, tau):
        """Sends efforts tau (n,), of a joint state with stamp [ns]."""
        tau = tau[self._order]
        publisher, write = self._command
        publisher.publish(write(tau))
        publisher, write = self._effort
        publisher.publish(write(stamp, tau))

    def report(self, stamp, controller):
        """Tells whoever listens what is wanted, measured, commanded, and felt from outside."""
        observed, header_stamp = controller.observed, time_message(stamp)
        publisher, write = self._external
        publisher.publish(write(stamp, observed.external[self._order]))
        if self._wrench.get_subscription_count():
            with suppress(RdynError):       # a measured state beyond all bounds has no wrench
                wrench = tip_wrench(controller.robot, observed.q, observed.external, controller.settings.frame)
                message = WrenchStamped()
                message.header.stamp, message.header.frame_id = header_stamp, self.base
                fill_wrench(message.wrench, wrench)
                self._wrench.publish(message)
        if self._state.get_subscription_count():
            self._state.publish(self._controller_state(header_stamp, controller))

    def _controller_state(self, stamp, controller):
        state, wanted, safety = controller.state, controller.reference, controller.filter
        told = TURN * controller.turns          # positions as the driver tells them
        message = ControllerState(
            joint_names=self._names, mode=controller.mode, phase=safety.phase.value, fault=safety.fault,
            collision=controller.collided,
            reference=self._point(wanted.q - told, *wanted[1:]), feedback=self._point(state.q - told, state.qd),
            error=self._point(wanted.q - state.q, wanted.qd - state.qd), output=JointTrajectoryPoint())
        message.output.effort = safety.output[self._order].tolist()
        message.header.stamp = stamp
        return message

    def _point(self, q, qd, qdd=None):
        point = JointTrajectoryPoint(positions=q[self._order].tolist(), velocities=qd[self._order].tolist())
        if qdd is not None:
            point.accelerations = qdd[self._order].tolist()
        return point
