"""What one would write by hand: a plain rclpy node with Pinocchio that answers as our dynamics node does."""
from contextlib import suppress

import numpy as np
import pinocchio as pin
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from bench.robots import pinocchio


class PinocchioNode(Node):
    """joint_states in; gravity, coriolis, friction, compensation and pose out."""

    def __init__(self):
        super().__init__("dynamics")
        self.model, self.data, self.tip = pinocchio("Panda")
        self.names = list(self.model.names)[1:]
        self.outputs = {name: self.create_publisher(JointState, f"~/{name}", 10)
                        for name in ("gravity", "coriolis", "friction", "compensation")}
        self.pose = self.create_publisher(PoseStamped, "~/pose", 10)
        self.create_subscription(JointState, "joint_states", self.on_state, qos_profile_sensor_data)

    def on_state(self, message):
        order = [message.name.index(name) for name in self.names]
        q, qd = np.array(message.position)[order], np.array(message.velocity)[order]
        gravity = pin.computeGeneralizedGravity(self.model, self.data, q).copy()
        coriolis = pin.nonLinearEffects(self.model, self.data, q, qd) - gravity
        friction = self.model.damping * qd
        terms = {"gravity": gravity, "coriolis": coriolis, "friction": friction,
                 "compensation": gravity + coriolis}
        for name, tau in terms.items():
            answer = JointState(name=self.names, effort=tau.tolist())
            answer.header.stamp = message.header.stamp
            self.outputs[name].publish(answer)
        pin.forwardKinematics(self.model, self.data, q)
        placement = pin.updateFramePlacement(self.model, self.data, self.tip)
        pose = PoseStamped()
        pose.header.stamp, pose.header.frame_id = message.header.stamp, "panda_link0"
        p, o = pose.pose.position, pose.pose.orientation
        p.x, p.y, p.z = placement.translation.tolist()
        o.x, o.y, o.z, o.w = pin.Quaternion(placement.rotation).coeffs().tolist()
        self.pose.publish(pose)


if __name__ == "__main__":
    rclpy.init()
    with suppress(ExternalShutdownException, KeyboardInterrupt):
        rclpy.spin(PinocchioNode())
