"""Numbers that look like degrees or millimetres are told by joint, value and limit; torques go on all the same."""
import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.nodes import control_health, dynamics_health
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.units_doubt import units_doubt
from support.dynamics_peer import DynamicsPeer
from support.in_process import QUIET, planar_state, tell

JUDGES = {DynamicsNode: dynamics_health.judge, ControlNode: lambda node: control_health.judge(node, "")}
DEGREES = (45.0, 0.2)
SAID = "positions far beyond the limits (shoulder at 45, limits -3.1 .. 3.1 rad): are these degrees?"


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("make", JUDGES)
def test_degrees_are_asked_about_on_diagnostics_and_in_the_log_until_they_end(make, capfd):
    with started(make, **QUIET, state_timeout=10.0) as node:
        for q, level, said in ((DEGREES, "WARN", SAID), ((0.1, 0.2), "OK", ""), ((3.5, 0.2), "OK", "")):
            tell(node, "/joint_states", planar_state(q))        # the last: play, not another unit
            found = JUDGES[make](node)
            assert (found[0], said in found[1]) == (level, True), found
        tell(node, "/joint_states", planar_state((0.1, 0.2), (0.0, -300.0)))
        assert "velocities far beyond the limits (elbow at -300, limit " in JUDGES[make](node)[1]
    assert SAID in capfd.readouterr().err


@pytest.mark.processes
def test_torques_of_such_states_are_published_and_the_warning_is_there():
    peer = DynamicsPeer({"robot": "planar_2r", "diagnostics_period": 0.1, "stamp_tolerance": 3600.0}, "/degrees")
    try:
        np.testing.assert_allclose(peer.effort(DEGREES, (0.0, 0.0)), peer.robot.gravity_torque(DEGREES), rtol=1e-9)
        peer.tell(lambda: peer.message(DEGREES, (0.0, 0.0)),
                  lambda level, words, values: level == b"\x01" and SAID in words)
    finally:
        peer.close()


def test_slides_are_asked_about_millimetres_and_wheels_about_nothing():
    robot = rdyn.load("cylindrical")
    slide = next(i for i, joint in enumerate(robot.model.joints) if joint.kind == "prismatic")
    q = np.where(np.arange(3) == slide, 300.0, 0.0)
    said, = units_doubt(robot, robot.joint_names, q, None)
    assert f"({robot.joint_names[slide]} at 300, limits " in said and said.endswith(" m): are these millimetres?")
    said, = units_doubt(robot, robot.joint_names, np.full(3, 300.0), np.zeros(3))
    assert all(name in said for name in robot.joint_names) and said.endswith("are these degrees or millimetres?")
    wheel = rdyn.load("double_pendulum")
    assert np.isinf(wheel.limits.upper).all()
    assert units_doubt(wheel, wheel.joint_names, np.full(2, 1e4), np.zeros(2)) == []
