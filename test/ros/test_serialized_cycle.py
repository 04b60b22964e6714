"""The three ways that `make bench` compares answer a joint state with the same messages."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from bench.serialized import Cycle, state

KINDS = (JointState,) * 4 + (TwistStamped, PoseStamped)
ROBOT = rdyn.load("arm_7r").with_tool("gripper", frame="flange")  # two tips


def numbers(message):
    match message:
        case JointState():
            return message.effort
        case PoseStamped():
            p, o = message.pose.position, message.pose.orientation
            return p.x, p.y, p.z, o.x, o.y, o.z, o.w
        case TwistStamped():
            v, w = message.twist.linear, message.twist.angular
            return v.x, v.y, v.z, w.x, w.y, w.z


@pytest.mark.parametrize("way", ["in_c", "in_python"])
def test_serialized_bytes_say_what_message_objects_say(way):
    cycle, data = Cycle(ROBOT), state(ROBOT)
    answers, wanted = getattr(cycle, way)(data), cycle.by_objects(data)
    for kind, ours, theirs in zip(KINDS, answers, wanted, strict=True):
        mine, other = (deserialize_message(message, kind) for message in (ours, theirs))
        assert mine.header == other.header
        assert getattr(mine, "name", None) == getattr(other, "name", None)
        np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-13, atol=1e-13)
