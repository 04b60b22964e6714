"""Numbers that look like degrees or millimetres are told by joint, value and limit; torques go on all the same."""
import dataclasses

import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.nodes import control_health, dynamics_health
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.joint_states import TAKEN, JointStates, Measured
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
        said = JUDGES[make](node)[1]
        assert "velocities far beyond the limits (elbow at -300, limit " in said and "are these degrees/s?" in said
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


def measured(robot, q, qd=()):
    """JointStates that have taken a message."""
    states = JointStates(robot.joint_names)
    assert states.take(Measured(1, robot.joint_names, q, np.array(qd), np.array([])), 1.0, 0.1) in TAKEN
    return states


def test_slides_are_asked_about_millimetres_and_wheels_about_nothing():
    robot = rdyn.load("cylindrical")
    slide = next(i for i, joint in enumerate(robot.model.joints) if joint.kind == "prismatic")
    q = np.where(np.arange(3) == slide, 300.0, 0.0)
    said, = units_doubt(robot, measured(robot, q))
    assert f"({robot.joint_names[slide]} at 300, limits " in said and said.endswith(" m): are these millimetres?")
    said, = units_doubt(robot, measured(robot, np.full(3, 300.0), np.zeros(3)))
    assert all(name in said for name in robot.joint_names) and said.endswith("are these degrees or millimetres?")
    wheel = rdyn.load("double_pendulum")
    assert np.isinf(wheel.limits.upper).all()
    assert units_doubt(wheel, measured(wheel, np.full(2, 1e4), np.zeros(2))) == []


def test_joints_that_are_only_assumed_are_not_asked_about():
    robot = rdyn.load("planar_2r")
    body = robot.model.bodies[2]
    bent = body.joint.__class__(**{**vars(body.joint), "lower": 1.5, "upper": 3.0})
    bodies = (*robot.model.bodies[:2], dataclasses.replace(body, joint=bent), *robot.model.bodies[3:])
    robot = rdyn.Robot(robot.model.replace(bodies=bodies))
    assert units_doubt(robot, JointStates(robot.joint_names, robot.joint_names)) == []
    assert "elbow at 0" in units_doubt(robot, measured(robot, np.zeros(2)))[0]
