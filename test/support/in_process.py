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


QUIET = {"robot": "planar_2r", "diagnostics_period": 60.0}       # parameters of a node that says little of itself
NAMES = ["shoulder", "elbow"]       # joints of planar_2r


def usual(stamp):
    """JointState of planar_2r with nothing odd about it, stamp [ns]."""
    return planar_state((0.1, 0.2), (0.0, 0.1), stamp, (0.0, 0.0))


def planar_state(q=(0.3, 0.5), qd=(0.0, 0.0), stamp=0, effort=()):
    """JointState of planar_2r, stamp [ns]."""
    message = JointState(name=["shoulder", "elbow"], position=list(q), velocity=list(qd), effort=list(effort))
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    return message
