"""Several serialized messages published in one call."""
import time

import pytest
import rclpy
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray, String

from rdyn_ros.nodes._publish import Publish
from rdyn_ros.nodes.together import together

MESSAGES = Float64MultiArray(data=[1.0, 2.0]), String(data="three")


@pytest.fixture
def node():
    rclpy.init(args=[])
    node = rclpy.create_node("together")
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


def test_each_message_goes_to_its_topic(node):
    heard, publishers = [], []
    for k, message in enumerate(MESSAGES):
        publishers.append(node.create_publisher(type(message), f"topic_{k}", 10))
        node.create_subscription(type(message), f"topic_{k}", heard.append, 10)
    send, end = together([publisher.handle.publish_raw for publisher in publishers]), time.monotonic() + 30.0
    assert isinstance(send, Publish)
    data = tuple(map(serialize_message, MESSAGES))
    while not all(publisher.get_subscription_count() for publisher in publishers):
        assert time.monotonic() < end
        time.sleep(0.01)
    send(data)
    while len(heard) < 2:
        assert time.monotonic() < end
        rclpy.spin_once(node, timeout_sec=0.1)
    assert sorted(heard, key=str) == sorted(MESSAGES, key=str)
    for wrong, error in ((data[:1], ValueError), ((*data[:1], "three"), TypeError), (list(data), TypeError)):
        with pytest.raises(error):
            send(wrong)


def test_a_publisher_that_is_gone_is_told(node):
    publisher = node.create_publisher(String, "topic", 10)
    send = together([publisher.handle.publish_raw])
    send((serialize_message(MESSAGES[1]),))
    node.destroy_publisher(publisher)
    with pytest.raises(InvalidHandle):
        send((serialize_message(MESSAGES[1]),))


def test_any_function_may_send_where_it_is_no_publisher():
    sent = []
    together([sent.append, lambda message: sent.append(message * 2)])((b"a", b"b"))
    assert sent == [b"a", b"bb"]
