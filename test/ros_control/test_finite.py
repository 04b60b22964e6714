"""Nothing that is not finite leaves the control node, whatever its driver measures."""
import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from rdyn_interfaces.msg import ControllerState
from sensor_msgs.msg import JointState

from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.process import started
from support.in_process import spin, tell

HUGE = 1.7e308


def numbers(message):
    """All doubles of a message, of the messages in it, too."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        if hasattr(value, "get_fields_and_field_types"):
            yield from numbers(value)
        elif not isinstance(value, str | bool) and np.asarray(value).dtype == float:
            yield from np.ravel(value)


def measured(node, **parts):
    names = node.serving.states.names
    each = {"position": 0.3, "velocity": 0.0, "effort": 0.0, **parts}
    return JointState(name=list(names), **{part: [value] * len(names) for part, value in each.items()})


@pytest.mark.parametrize("robot", ["planar_2r", "spherical"])
@pytest.mark.parametrize("parts", [{"effort": np.inf}, {"effort": HUGE}, {"velocity": HUGE}, {"position": HUGE}],
                         ids=["infinite effort", "huge effort", "huge velocity", "huge position"])
def test_what_a_driver_measures_wrongly_makes_no_report_infinite(robot, parts):
    with started(ControlNode, robot=robot, report_rate=10000.0) as node:
        heard = []
        for kind, topic in ((JointState, "external_torque"), (WrenchStamped, "external_wrench"),
                            (ControllerState, "controller_state")):
            node.create_subscription(kind, f"/control/{topic}", heard.append, 10)
        for part in ({}, {}, parts, parts, {}, {}):
            tell(node, "/joint_states", measured(node, **part))
            assert np.isfinite(node.serving.controller.observed.external).all()
        spin(node, lambda: len(heard) >= 15)
        assert all(np.isfinite(list(numbers(message))).all() for message in heard)
