"""The viewer node in this process, its callbacks at hand: what it draws, whom it moves, which robots it refuses."""
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.serialization import serialize_message
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import SetMode
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

import rdyn_ros as rdyn

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from rdyn_ros.nodes import viewer_motion
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.robot_source import RobotSource
from rdyn_ros.nodes.viewer_wiring import ViewerNode
from support.dynamics_peer import DynamicsPeer
from support.ros_peer import Listener

pytestmark = pytest.mark.processes
SPACE = "/page"


@pytest.fixture
def node():
    """A started viewer of a two-joint arm."""
    with started(ViewerNode, "-r", f"__ns:={SPACE}", robot="planar_2r", port=18120, state_timeout=60.0) as node:
        yield node


def tell(node, topic, message):
    """The node takes a message and draws."""
    take = next(s.callback for s in node.subscriptions if s.topic_name == f"{SPACE}/{topic}")
    take(serialize_message(message))
    node._draw()


def tell_follows(node):
    """Both joints at rest, under a controller that follows trajectories."""
    tell(node, "joint_states", JointState(name=["shoulder", "elbow"], position=[0.1, 0.2]))
    tell(node, "control/controller_state", ControllerState(mode="computed_torque", phase=ControllerState.ACTIVE))


def slide(node, position, joint="elbow"):
    """A client of the page sends a position of a slider, hidden or not."""
    moved, = node._view.panel._sliders[joint]._impl.update_cb
    moved(SimpleNamespace(client="any", target=SimpleNamespace(value=position)))
    node._draw()


class Driver(Listener):
    """A node that brings joint states; `motions` are the trajectories that it hears of."""

    def __init__(self, name, node):
        super().__init__(name, SPACE)
        self.publisher(JointState, "joint_states")
        self.motions = self.listen(JointTrajectory, "control/joint_trajectory")
        self.wait(lambda: node._mover._publisher.get_subscription_count(), "who is told of motions")

    def wait_publishers(self, node, *names):
        """Waits until the node knows exactly these publishers of joint states."""
        self.wait(lambda: {peer.node_name for peer in node.get_publishers_info_by_topic(f"{SPACE}/joint_states")}
                  == set(names), f"the publishers {names}")


def test_arm_and_gripper_may_publish_apart(node):
    for name, position in (("shoulder", 0.3), ("gripper", 0.04), ("elbow", -0.5)):
        tell(node, "joint_states", JointState(name=[name], position=[position], effort=[10.0 * position]))
    assert node._view._q.tolist() == [0.3, -0.5]
    assert node._inputs.torques(60.0)["measured"].tolist() == [3.0, -5.0]
    assert node.monitor.counters == {"no_known_joint": 1}


def test_what_nobody_tells_any_more_is_not_known(node):
    tell(node, "joint_states", JointState(name=["elbow"], position=[-0.5], effort=[1.0]))
    assert np.isnan(node._inputs.measured(60.0)[0]).tolist() == [True, False]
    assert node._judge()[2]["never_told_joints"] == "shoulder"
    assert np.isnan(node._inputs.measured(0.0)[0]).all()
    assert node._inputs.torques(0.0)["measured"] is None


@pytest.mark.parametrize(("told", "period"), [("5.0", 5.0), ("", 1.0), ("nan", 0.0), ("1e9", 60.0)])
def test_a_node_is_late_only_beyond_the_period_that_it_tells(node, told, period):
    values = [KeyValue(key="period_s", value=told)]
    node._inputs._on_diagnostics(DiagnosticArray(status=[DiagnosticStatus(name="dynamics", values=values)]))
    assert [status.period for status in node._inputs.statuses()] == [period]


def test_ever_new_names_and_long_texts_on_diagnostics_do_not_fill_the_memory(node):
    for start in range(0, 1000, 250):
        names = ["own", *(f"{k:06}{'x' * 10_000}" for k in range(start, start + 250)), "own"]
        node._inputs._on_diagnostics(DiagnosticArray(
            status=[DiagnosticStatus(name=name, message="m" * 10_000) for name in names]))
    said = node._inputs.statuses()
    assert len(said) == 100 and said[-1].name == "own" and said[0].name.startswith("000901"), "the oldest went"
    assert max(len(status.name + status.message) for status in said) == 1000


@pytest.mark.parametrize("efforts", [[], [1.0], [1.0, 2.0, 3.0]])
def test_a_torque_term_with_a_wrong_length_is_counted_once(node, efforts):
    for _ in range(2):
        tell(node, "dynamics/gravity", JointState(name=["shoulder", "elbow"], effort=efforts))
        assert node._inputs.torques(60.0)["gravity"] is None
    assert node.monitor.counters == {"effort_wrong_length": 2}
    tell(node, "dynamics/gravity", JointState(name=["elbow", "shoulder"], effort=[1.0, 2.0]))
    assert node._inputs.torques(60.0)["gravity"].tolist() == [2.0, 1.0]


def test_every_node_tells_the_period_of_its_diagnostics(node):
    with Listener() as listener:
        heard = listener.listen(DiagnosticArray, "/diagnostics")
        name = node.get_fully_qualified_name().lstrip("/")

        def told():     # by this node; one of an earlier test may still be ending
            return [pair.value for message in heard for status in message.status if status.name == name
                    for pair in status.values if pair.key == "period_s"]
        listener.wait(lambda: node._diagnostics.publish() or told(), "diagnostics")
    assert set(told()) == {"1.0"}


def test_only_a_simulated_arm_is_moved_whatever_the_page_sends(node):
    tell_follows(node)
    with Driver("simulator", node) as simulator:
        simulator.wait_publishers(node, "simulator")
        slide(node, 0.4)
        with Driver("driver", node) as driver:
            driver.wait_publishers(node, "simulator", "driver")
            slide(node, 0.5)
        simulator.wait_publishers(node, "simulator")
        for position in (np.nan, np.inf, 1e300, 0.6):
            slide(node, position)
        simulator.wait(lambda: len(simulator.motions) > 1, "motions of a simulated arm")
        sent = [(motion.joint_names, motion.points[0].positions.tolist()) for motion in simulator.motions]
        assert sent == [(["elbow"], [0.4]), (["elbow"], [0.6])], "neither 0.5 nor what no slider can say"


def test_a_joint_that_its_limits_keep_from_moving_is_not_moved(node, source):
    text = (source / "config/robots/planar_2r.yaml").read_text().replace("6.0, effort: 60", "0.0, effort: 60")
    node._take_robot((rdyn.load(text), text))
    tell_follows(node)
    with Driver("simulator", node) as simulator:
        simulator.wait_publishers(node, "simulator")
        slide(node, 0.4)
        slide(node, 0.4, "shoulder")
        simulator.wait(lambda: simulator.motions, "the motion of the other joint")
        assert [motion.joint_names for motion in simulator.motions] == [["shoulder"]]


def test_a_wish_that_is_refused_or_old_moves_nothing_later(node, monkeypatch):
    tell(node, "joint_states", JointState(name=["shoulder", "elbow"], position=[0.1, 0.2]))
    tell(node, "control/controller_state", ControllerState(mode="gravity_compensation", phase=ControllerState.IDLE))
    asked = []

    def refuse(request, response):
        asked.append(request.data)
        response.message = "brakes"
        return response

    def agree(request, response):
        response.success = True
        return response

    with Driver("simulator", node) as simulator:
        simulator.node.create_service(SetMode, "control/set_mode", agree)
        simulator.node.create_service(SetBool, "control/enable", refuse)
        simulator.wait_publishers(node, "simulator")
        simulator.wait(lambda: node._mover._mode.service_is_ready() and node._mover._enable.service_is_ready())
        monkeypatch.setattr(viewer_motion, "PATIENCE", 1000.0)
        slide(node, 0.4)
        simulator.wait(lambda: rclpy.spin_once(node, timeout_sec=0.01) or not node._mover._wanted, "refusal", 30.0)
        assert asked == [True]
        monkeypatch.setattr(viewer_motion, "PATIENCE", 0.0)
        slide(node, 0.5)
        monkeypatch.undo()
        tell_follows(node)
        slide(node, 0.6)
        simulator.wait(lambda: simulator.motions, "the motion that is wanted now")
        assert [motion.points[0].positions.tolist() for motion in simulator.motions] == [[0.6]]


@pytest.mark.parametrize("tip", ["", "forearm"])
def test_each_solution_takes_the_frame_of_the_target_there_whatever_the_dynamics_node_calls_its_tip(tip):
    given = {"robot": "anthropomorphic", "tip": tip}
    q, found = [0.3, 0.5, -0.8], []
    peer = DynamicsPeer({"robot": "anthropomorphic", "tips": "[upper_arm]"}, SPACE)
    try:
        with started(ViewerNode, "-r", f"__ns:={SPACE}", **{key: text for key, text in given.items() if text},
                     port=18120) as node:
            view = node._view
            view.show_positions(q)
            view.panel.switches["tool target"].value = True
            target = view.robot.fk(q, tip or "gripper")
            np.testing.assert_allclose(view._target.position, target[:3, 3])
            np.testing.assert_allclose(view._trail[-1], target[:3, 3])
            view.show_solutions = lambda solutions, text: found.extend(solutions)
            view._target_moved()
            peer.listener.wait(lambda: rclpy.spin_once(node, timeout_sec=0.01) or found, "solutions")
        for solution in found:
            np.testing.assert_allclose(view.robot.fk(solution, tip or "gripper")[:3, 3], target[:3, 3], atol=1e-4)
    finally:
        peer.close()


def test_a_robot_that_cannot_be_shown_leaves_the_page_as_it_was(node):
    still = "<robot name='still'>\n<link name='a'/></robot>"
    with pytest.raises(rdyn.RdynError, match="still has no joint that moves"):
        node._take_robot((rdyn.load(still), still))
    tell(node, "joint_states", JointState(name=["shoulder"], position=[0.3]))
    assert node._view.robot.name == "planar_2r" and node._view._q.tolist() == [0.3, 0.0]


def test_an_unexpected_error_of_a_robot_text_is_told_and_the_next_text_is_read():
    def take(robot):
        raise ValueError(f"{robot.name} is odd")

    told = []
    with started(ViewerNode, "-r", f"__ns:={SPACE}") as node:
        source = RobotSource(node, take, told.append)
        for name in ("one", "two"):
            source._worker.submit(source._read, f"<robot name='{name}'>\n<link name='a'/></robot>").result(30.0)
        source.close()
    assert told == ["one is odd", "two is odd"]
