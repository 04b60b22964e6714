"""Nothing that is not finite leaves the control node, whatever its driver measures."""
from time import monotonic

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


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
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


RAILS = """<robot name="rails"><link name="base"/>{links}</robot>"""
RAIL = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="on_{parent}" type="prismatic"><parent link="{parent}"/><child link="{name}"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>"""


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("mode", ["gravity_compensation", "cartesian_impedance"])
def test_a_state_beyond_all_doubles_ends_no_controller(tmp_path, mode):
    path = tmp_path / "rails.urdf"
    path.write_text(RAILS.format(links="".join(
        RAIL.format(name=name, parent=parent) for name, parent in (("a", "base"), ("b", "a")))))
    with started(ControlNode, robot=path, mode=mode, state_timeout=10.0) as node:
        controller = node.serving.controller
        for position in (HUGE, 0.1, HUGE, 0.1):
            tell(node, "/joint_states", measured(node, position=position))
            assert isinstance(controller.enable(monotonic()), list)
            assert np.isfinite(controller.filter.output).all()


def test_torque_is_refused_at_a_state_whose_weight_is_no_number():
    with started(ControlNode, robot="spherical", state_timeout=10.0) as node:
        tell(node, "/joint_states", measured(node, position=HUGE))
        assert "not finite" in node.serving.controller.enable(monotonic())[0]


def test_a_tool_beyond_all_doubles_has_no_wrench_and_the_node_lives(tmp_path):
    turn, *slides = (RAIL.format(name=name, parent=parent) for name, parent in (("t", "base"), ("a", "t"), ("b", "a")))
    turn = turn.replace("prismatic", "revolute").replace('axis xyz="1 0 0"', 'axis xyz="0 0 1"')
    path = tmp_path / "rails.urdf"
    path.write_text(RAILS.format(links="".join((turn, *slides))))
    with started(ControlNode, robot=path, state_timeout=10.0, report_rate=10000.0) as node:
        heard = []
        node.create_subscription(WrenchStamped, "/control/external_wrench", heard.append, 10)

        def told(position):
            tell(node, "/joint_states", measured(node, position=position))
            return heard

        spin(node, lambda: told(0.3))
        told(HUGE)
        heard.clear()
        spin(node, lambda: told(0.3))
        assert all(np.isfinite(list(numbers(message))).all() for message in heard)
