"""The robot of the control node: known at once, late by topic, changed; a new one keeps what was set before."""
import numpy as np
import pytest
from rdyn_interfaces.srv import SetGravity, SetMode, SetPayload
from std_msgs.msg import String
from std_srvs.srv import SetBool

import rdyn_ros
from rdyn_ros.nodes.control_health import judge
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.requests import service_callback
from rdyn_ros.nodes.setup_services import set_gravity, set_payload
from support.in_process import planar_state, spin, tell

Q = np.array([0.3, 0.5])


@pytest.fixture
def text(source):
    return (source / "config/robots/planar_2r.yaml").read_text()


def ask(node, service, kind, **fields):
    """The answer of a service that the node's own executor serves."""
    serve = next(s.callback for s in node.services if s.service_name == f"/control/{service}")
    return serve(kind.Request(**fields), kind.Response())


def carry(node, name, mass, **fields):
    request = SetPayload.Request(name=name, **fields)
    request.inertia.m = mass
    assert service_callback(node, set_payload)(request, SetPayload.Response()).success


def hang_on_a_wall(node):
    request = SetGravity.Request()
    request.gravity.vector.x = -9.81
    assert service_callback(node, set_gravity)(request, SetGravity.Response()).success


def held(node):
    """Gravity torque (2,) that the controller holds at Q."""
    tell(node, "/joint_states", planar_state(Q))
    return node.serving.controller.robot.gravity_torque(Q)


def test_without_a_driver_the_node_knows_its_robot_and_says_that_states_are_missing():
    with started(ControlNode, robot="planar_2r") as node:
        assert judge(node, "")[:2] == ("ERROR", "no state yet of shoulder, elbow: start the driver")
        assert "no fresh joint states: start the driver" in ask(node, "enable", SetBool, data=True).message
        assert ask(node, "set_mode", SetMode, mode="damping").success
        carry(node, "box", 1.0)


def test_a_new_robot_waits_for_torque_to_end_and_keeps_mode_payloads_and_gravity(text):
    heavier = text.replace("name: planar_2r", "name: heavier").replace("mass: 2.0", "mass: 6.0")
    with started(ControlNode, gravity="[0.0,0.0,-9.81]", preflight="false", ramp_time=0.0, max_delta_tau="[1000.0]",
                 state_timeout=10.0) as node:
        assert "robot_description has not come" in ask(node, "enable", SetBool, data=True).message
        tell(node, "/robot_description", String(data=text))
        spin(node, lambda: node.serving)
        carry(node, "box", 2.0)
        hang_on_a_wall(node)
        assert ask(node, "set_mode", SetMode, mode="damping").success
        tell(node, "/joint_states", planar_state(Q))
        assert ask(node, "enable", SetBool, data=True).success
        old = node.serving
        tell(node, "/robot_description", String(data=heavier))
        carry(node, "ball", 1.0, frame="upper")
        spin(node, lambda: node._next)
        carry(node, "bag", 0.5)
        for _ in range(5):
            node._on_watchdog()
        assert node.serving.controller is old.controller, "it must wait while torque is on"
        assert ask(node, "enable", SetBool, data=False).success
        spin(node, lambda: held(node) is not None and node.serving.controller is not old.controller)
        assert node.serving.controller.mode == "damping"
        robot = rdyn_ros.load(heavier).with_gravity((-9.81, 0.0, 0.0)).with_payload(2.5, frame="tool").with_payload(
            1.0, frame="upper")
        np.testing.assert_allclose(held(node), robot.gravity_torque(Q), rtol=1e-12)


def test_a_payload_on_a_frame_that_a_new_robot_lacks_is_told(text):
    with started(ControlNode) as node:
        tell(node, "/robot_description", String(data=text))
        spin(node, lambda: node.serving)
        carry(node, "box", 2.0, frame="tool")
        tell(node, "/robot_description", String(data=text.replace("tool", "flange")))
        spin(node, lambda: "flange" in node.serving.loaded.bare.frame_names)
        assert node.serving.loaded.payloads == {}
        assert "payload box" in node._requests.last_refusal and "no frame tool" in node._requests.last_refusal
