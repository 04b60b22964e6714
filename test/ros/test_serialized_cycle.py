"""The three ways that `make bench` compares answer a joint state with the same messages."""
import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from bench.serialized import Cycle, state

KINDS = (JointState,) * 4 + (PoseStamped, TwistStamped)
NUMBERS = (7,) * 4 + (7, 6)  # doubles at the end of each
ROBOT = rdyn.load("arm_7r")


@pytest.mark.parametrize("way", ["in_c", "in_python"])
def test_serialized_bytes_say_what_message_objects_say(way):
    cycle, data = Cycle(ROBOT), state(ROBOT)
    answers, wanted = getattr(cycle, way)(data), cycle.by_objects(data)
    for kind, n, ours, theirs in zip(KINDS, NUMBERS, answers, wanted, strict=True):
        mine, other = (deserialize_message(message, kind) for message in (ours, theirs))
        assert mine.header == other.header
        assert getattr(mine, "name", None) == getattr(other, "name", None)
        x, y = (np.frombuffer(message, "<f8", n, len(message) - 8 * n) for message in (ours, theirs))
        np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13)
