"""What parameters of the control node change in what it reads and tells."""
from math import pi
from time import monotonic, sleep

import pytest
from geometry_msgs.msg import WrenchStamped
from rdyn_interfaces.msg import ControllerState
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rdyn_ros.nodes.control_health import judge
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from support.bar import BAR
from support.in_process import planar_state, spin, tell

MS = 1_000_000      # [ns]


def heard(node, kind, topic):
    """List that fills with the messages of a topic."""
    messages = []
    node.create_subscription(kind, f"/control/{topic}", messages.append, 10)
    return messages


@pytest.mark.parametrize("estimate", [True, False])
def test_velocities_are_estimated_on_request_else_such_states_are_incomplete(estimate):
    with started(ControlNode, robot="planar_2r", state_timeout=10.0, estimate_velocity=str(estimate).lower(),
                 velocity_cutoff=1000.0) as node:
        for k in range(1, 20):
            tell(node, "/joint_states", planar_state((0.3 + 0.002 * k, 0.5), (), k * MS))
        state = node.serving.controller.state
        assert (state.qd == pytest.approx([2.0, 0.0], abs=1e-3)) if estimate else state is None
        assert node.monitor.counters == ({"incomplete": 1} if estimate else {"velocity_missing": 19})


def test_a_silent_optional_joint_stands_at_zero_and_weighs_on_nothing():
    state = JointState(name=["shoulder"], position=[0.3], velocity=[0.0], effort=[1.0])
    with started(ControlNode, robot="planar_2r", state_timeout=10.0, optional_joints="[elbow]") as node:
        tell(node, "/joint_states", state)
        measured = node.serving.controller.state
        assert [x.tolist() for x in (measured.q, measured.qd, measured.effort)] == [[0.3, 0.0], [0.0, 0.0], [1.0, 0.0]]
        assert judge(node, "")[2]["assumed_joints"] == "elbow"
        reference = JointState(name=["elbow"], position=[0.001])
        tell(node, "/control/reference", reference)
        assert "elbow of optional_joints was never measured" in node._requests.last_refusal
        tell(node, "/joint_states", planar_state((0.3, 0.5), (0.0, 0.1), 1))
        assert node.serving.controller.state.q.tolist() == [0.3, 0.5]
        tell(node, "/control/reference", reference)
        assert "never measured" not in node._requests.last_refusal and judge(node, "")[2]["assumed_joints"] == ""
    with started(ControlNode, robot="planar_2r", state_timeout=10.0) as node:
        tell(node, "/joint_states", state)
        assert node.serving.controller.state is None


@pytest.mark.parametrize(("count", "counted"), [(1000, {}), (5000, {"too_long": 1})])
def test_a_trajectory_that_would_hold_up_the_loop_is_left_out(count, counted):
    message = JointTrajectory(joint_names=["shoulder", "elbow"])
    for k in range(count):
        message.points.append(JointTrajectoryPoint(positions=[0.3, 0.5], velocities=[0.0, 0.0]))
        message.points[-1].time_from_start.sec = k + 1
    with started(ControlNode, robot="planar_2r", state_timeout=10.0, mode="computed_torque") as node:
        tell(node, "/joint_states", planar_state(stamp=1))
        assert node.serving.controller.enable(monotonic()) == []
        tell(node, "/joint_states", planar_state(stamp=MS))
        before = node.serving.controller.motion
        tell(node, "/control/joint_trajectory", message)
        assert node.monitor.counters == counted
        assert (node.serving.controller.motion is before) == bool(counted)
        assert ("bytes, 250000 at most" in node._requests.last_refusal) == bool(counted)


@pytest.mark.parametrize("frame", ["feedback", "reference"])
def test_positions_are_told_on_the_turn_of_the_driver(tmp_path, frame):
    robot = tmp_path / "bar.yaml"
    robot.write_text(BAR)
    with started(ControlNode, robot=str(robot), state_timeout=10.0, report_rate=1000.0) as node:
        reports = heard(node, ControllerState, "controller_state")
        for k, q in enumerate((3.1, -3.1, -3.0)):           # a driver that folds positions into one turn
            message = JointState(name=["hinge"], position=[q], velocity=[0.1])
            message.header.stamp.nanosec = (k + 1) * 10 * MS
            tell(node, "/joint_states", message)
        assert node.serving.controller.state.q == pytest.approx(2.0 * pi - 3.0)
        spin(node, lambda: reports and getattr(reports[-1], frame).positions == pytest.approx([-3.0]))


def test_what_is_refused_is_told_also_after_it_took_torque_away():
    with started(ControlNode, robot="planar_2r", state_timeout=1.0, stop_time=0.1) as node:
        tell(node, "/joint_states", planar_state(stamp=MS))
        assert node.serving.controller.enable(monotonic()) == []
        tell(node, "/joint_states", planar_state(stamp=2 * MS))
        spin(node, lambda: node.serving.controller.filter.fault)
        tell(node, "/joint_states", planar_state((float("nan"), 0.5), stamp=3 * MS))
        level, sentence, _ = judge(node, "")
        assert level == "ERROR" and all(words in sentence for words in (
            "joint states were missing", "joint states are stale", "1 x a position is nan or infinite"))


@pytest.mark.parametrize("node_class", [ControlNode, SimulatorNode])
def test_qos_is_overridden_by_parameters(node_class):
    words = [word for end in ("subscription", "publisher")
             for word in ("-p", f"qos_overrides./joint_states.{end}.depth:=7")]
    with started(node_class, *words, robot="planar_2r") as node:
        ends = [*node.subscriptions, *node.publishers]
        assert [end.qos_profile.depth for end in ends if end.topic_name == "/joint_states"] == [7]


def test_names_of_joints_and_frames_bear_their_prefixes():
    with started(ControlNode, robot="planar_2r", joint_prefix="left_", frame_prefix="left/", tip="tool") as node:
        states = heard(node, ControllerState, "controller_state")
        wrenches = heard(node, WrenchStamped, "external_wrench")
        tell(node, "/joint_states", JointState(name=["left_elbow", "left_shoulder"], position=[0.5, 0.3],
                                               velocity=[0.0, 0.0]))
        spin(node, lambda: states and wrenches)
        assert states[0].joint_names == ["left_shoulder", "left_elbow"]
        assert states[0].feedback.positions.tolist() == [0.3, 0.5]
        assert wrenches[0].header.frame_id == "left/base"


@pytest.mark.parametrize(("rate", "number"), [(0.1, 1), (1000.0, 5)])
def test_reports_come_at_their_rate_at_most(rate, number):
    with started(ControlNode, robot="planar_2r", report_rate=rate, diagnostics_period=10.0, state_timeout=10.0) as node:
        reports = heard(node, JointState, "external_torque")
        for k in range(1, 6):
            sleep(0.002)
            tell(node, "/joint_states", planar_state(stamp=k * MS))
        node._report(monotonic(), 0.0)        # one more in any case: all before it have come
        spin(node, lambda: len(reports) > number)
        assert len(reports) == number + 1
