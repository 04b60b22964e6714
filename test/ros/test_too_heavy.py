"""A payload that the arm cannot hold where it is: taken, and the joints that are too weak are named."""
import pytest
from geometry_msgs.msg import Inertia
from rclpy.parameter import Parameter
from rdyn_interfaces.srv import SetPayload

from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.requests import service_callback
from rdyn_ros.nodes.setup_services import set_payload
from support.in_process import QUIET, planar_state, tell

pytestmark = pytest.mark.usefixtures("handover")
WEAK = "the arm cannot hold itself with its payloads where it is: "
UPRIGHT, LEVEL = (-1.5707963, 0.0), (0.0, 0.0)      # [rad]


def carry(node, mass, **fields):
    request = SetPayload.Request(inertia=Inertia(m=mass), **fields)
    answer = service_callback(node, set_payload)(request, SetPayload.Response())
    assert (answer.success, answer.reason) == (True, "ok")
    return answer.message


@pytest.mark.parametrize("make", [DynamicsNode, ControlNode])
def test_the_answer_names_the_joints_what_they_need_and_their_limits(make):
    with started(make, **QUIET, state_timeout=10.0, joint_prefix="left_") as node:
        assert carry(node, 500.0) == "", "where the arm is, nobody knows yet"

        def measure(q, stamp):
            state = planar_state(q, stamp=stamp)
            state.name = ["left_shoulder", "left_elbow"]
            tell(node, "/joint_states", state)

        measure(LEVEL, 1)
        needed = [abs(tau) for tau in node.serving.loaded.robot.gravity_torque(LEVEL)]
        message = carry(node, 500.0)
        weak = [f"joint {name} needs {need:.2f} N m against gravity, allowed are {allowed:.2f}: carry less, raise "
                "effort_scale if it is below 1, or bring the arm elsewhere"
                for name, need, allowed in (("shoulder", needed[0], 120.0), ("elbow", needed[1], 60.0))]
        assert message == f"{WEAK}{'; '.join(weak)}"
        assert carry(node, 0.0, operation="list") == message
        left = needed[0] - 495.0 * 9.81 * 1.8       # 1.8 m long
        message = carry(node, 5.0)
        assert message.startswith(f"{WEAK}joint shoulder needs {left:.2f} N m") and "elbow" not in message
        assert carry(node, 0.1) == ""
        node.set_parameters([Parameter("effort_scale", value=0.1)])
        assert "allowed are 12.00" in carry(node, 0.1)
        measure(UPRIGHT, 2)
        assert carry(node, 500.0) == "", "upright it stands on its own"


def test_a_payload_that_comes_slowly_is_judged_as_it_will_be():
    with started(DynamicsNode, **QUIET, state_timeout=10.0) as node:
        tell(node, "/joint_states", planar_state(LEVEL, stamp=1))
        request = SetPayload.Request(inertia=Inertia(m=500.0))
        request.transition.sec = 1000
        assert "cannot hold" in service_callback(node, set_payload)(request, SetPayload.Response()).message
