"""Serialized joint states become arrays, and what is not one is refused, without ROS processes."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from rdyn_ros.nodes.cdr import JointStateReader, deserialized
from rdyn_ros.nodes.messages import measured
from support.dynamics_peer import joint_state

numbers = st.lists(st.floats(allow_nan=False), max_size=5)
names = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9), max_size=5)


def same(a, b):
    return a.stamp == b.stamp and a.names == b.names and all(
        np.array_equal(getattr(a, x), getattr(b, x)) for x in ("position", "velocity", "effort"))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(names, numbers, numbers, numbers, st.text(max_size=9)), min_size=1, max_size=4))
def test_the_reader_sees_what_the_message_holds_whatever_came_before(messages):
    read = JointStateReader()
    for joints, q, qd, effort, frame in messages:
        message = joint_state(joints, q, qd, effort, stamp=3_000_000_007)
        message.header.frame_id = frame.replace("\0", "")
        assert same(read(bytes(serialize_message(message))), measured(message))


def test_a_message_cut_anywhere_is_refused_and_spoils_nothing():
    message = joint_state(["shoulder", "elbow"], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], stamp=7)
    whole, read = bytes(serialize_message(message)), JointStateReader()
    for size in range(len(whole) - 16):
        with pytest.raises(ValueError):
            read(whole[:size])
        assert same(read(whole), measured(message))


def test_a_stamp_beyond_its_range_is_refused():
    data = bytearray(serialize_message(joint_state(["a"], [1.0])))
    data[8:12] = b"\xff" * 4
    with pytest.raises(ValueError, match="nanoseconds"):
        JointStateReader()(bytes(data))


@pytest.mark.parametrize("message_type", [JointState, Imu, Float64MultiArray, String, JointTrajectory])
@pytest.mark.parametrize("order", [b"\x00\x00", b"\x00\x01"])
def test_bytes_that_announce_more_padding_than_they_have_are_refused_not_read(message_type, order):
    for padding in range(4):
        for size in range(padding):
            with pytest.raises(ValueError, match="Fast CDR exception"):
                deserialized(order + bytes([0, padding]) + bytes(size), message_type)
    with pytest.raises(ValueError):
        deserialized(order, message_type)
    assert deserialized(bytes(serialize_message(message_type())), message_type) == message_type()
