"""A node in this process: it takes messages as if they had come by topic, and is spun until something holds."""
import time

import rclpy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from .ros_peer import LIMIT


def tell(node, topic, message):
    """The node takes a message as if it had come by its topic."""
    take = next(s.callback for s in node.all_subscriptions if s.topic_name == topic)
    take(serialize_message(message))


def spin(node, until):
    """Serves callbacks until something holds."""
    end = time.monotonic() + LIMIT
    while rclpy.ok() and not until():
        assert time.monotonic() < end, "it never came"
        rclpy.spin_once(node, timeout_sec=0.1)


def planar_state(q=(0.3, 0.5), qd=(0.0, 0.0), stamp=0, effort=()):
    """JointState of planar_2r, stamp [ns]."""
    message = JointState(name=["shoulder", "elbow"], position=list(q), velocity=list(qd), effort=list(effort))
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    return message
