"""The control node is told of its robot in parts, by several publishers."""
import time

import pytest
from sensor_msgs.msg import JointState

from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.process import started
from support.in_process import tell


@pytest.fixture
def control():
    """A started ControlNode of planar_2r in this process."""
    with started(ControlNode, robot="planar_2r", state_timeout=5.0) as node:
        yield node


def tell_joint(node, joint, position, stamp):
    """The node takes the state of one joint, stamp [ns]; returns the positions that its controller knows."""
    state = JointState(name=[joint], position=[position], velocity=[0.0])
    state.header.stamp.sec, state.header.stamp.nanosec = divmod(stamp, 10**9)
    tell(node, "/joint_states", state)
    known = node.serving.controller.state
    return known and known.q.tolist()


@pytest.mark.parametrize("apart", [0, -5_000_000, 5_000_000, 10**10, None],
                         ids=["one stamp", "5 ms behind", "5 ms ahead", "10 s ahead", "no stamp"])
def test_each_part_is_controlled_with_whatever_clock_its_driver_stamps(control, apart):
    start = time.time_ns()
    assert tell_joint(control, "shoulder", 0.0, start) is None
    held = None
    for k in range(1, 5):
        stamp = start + k * 10**6
        tell_joint(control, "shoulder", 0.1 * k, stamp)
        assert tell_joint(control, "elbow", 0.2 * k, 0 if apart is None else stamp + apart) == [0.1 * k, 0.2 * k]
        controller = control.serving.controller
        if k > 1:
            assert controller.enable(time.monotonic()) == []
            held = held or controller.motion
            assert controller.motion is held, "the motion began anew"
    assert not control.monitor.counters["repeated"]


def test_a_stamp_that_stands_still_counts_as_missing(control):
    stamp = time.time_ns()
    tell_joint(control, "shoulder", 0.1, stamp)
    assert tell_joint(control, "elbow", 0.2, stamp) == [0.1, 0.2]
    seen = control.serving.controller.seen
    assert tell_joint(control, "elbow", 0.3, stamp) == [0.1, 0.2]
    assert control.serving.controller.seen == seen and control.monitor.counters["repeated"] == 1


def test_a_driver_of_a_part_that_repeats_itself_is_stale_whoever_else_goes_on():
    with started(ControlNode, robot="planar_2r", state_timeout=0.2) as node:
        frozen, end = time.time_ns(), time.monotonic() + 0.6
        while time.monotonic() < end:
            tell_joint(node, "shoulder", 0.1, time.time_ns())
            tell_joint(node, "elbow", 0.2, frozen)
        states = node.serving.states
        assert states.age(time.monotonic()) > 0.3 and node.monitor.counters["incomplete"] > 0
        assert states.q.tolist() == [0.1, 0.2]
