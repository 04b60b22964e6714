"""Refusals tell numbers in the unit of the joint that they are about: one that turns, or one that slides."""
import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.control.envelope import envelope
from rdyn_ros.control.motion import State, rest
from rdyn_ros.control.preflight import preflight, too_heavy
from rdyn_ros.control.reference import check_reference
from rdyn_ros.control.trajectory import check_limits, hold, trajectory
from rdyn_ros.errors import RdynError

ROBOT = rdyn.load("cylindrical")
JOINTS, LIMITS, N = ROBOT.model.joints, ROBOT.limits, len(ROBOT.joint_names)
SLIDE = next(i for i, joint in enumerate(JOINTS) if joint.kind == "prismatic")
TURN = next(i for i, joint in enumerate(JOINTS) if joint.kind != "prismatic")
BOTH = pytest.mark.parametrize(("i", "unit", "effort"), [(SLIDE, "m", "N"), (TURN, "rad", "N m")])


def only(i, value):
    return np.where(np.arange(N) == i, value, 0.0)


@BOTH
def test_the_envelope_and_references(i, unit, effort):
    bounds, none, out = envelope(LIMITS), np.zeros(N), np.arange(N) == i
    assert bounds.violation(JOINTS, none, only(i, 1e3), ~out & out).endswith(f" {unit}/s")
    assert bounds.violation(JOINTS, only(i, 1e3), none, out).endswith(f" {unit}")
    far, fast = rest(only(i, 1e3)), rest(none)._replace(qd=only(i, 1e3))
    for reference, step, said in ((far, 1.0, f"at most 1 {unit} is taken"), (far, 1e9, f" {unit}: stay within"),
                                  (fast, 1.0, f" {unit}/s: move more slowly")):
        with pytest.raises(RdynError, match=said):
            check_reference(reference, rest(none), LIMITS, step, JOINTS)


@BOTH
def test_trajectories(i, unit, effort):
    gaps = np.full((1, N), np.nan)
    for target, seconds, said in ((1e3, 1e6, f" {unit}: move the points"),
                                  (0.9 * LIMITS.upper[i], 1e-3, f" {unit}/s: give")):
        points = rest(only(i, target)[None])._replace(qd=gaps, qdd=gaps)
        with pytest.raises(RdynError, match=said):
            check_limits(trajectory(0.0, hold(np.zeros(N)), [seconds], points), LIMITS, JOINTS)


@BOTH
def test_the_pre_flight(i, unit, effort):
    q = np.zeros(N)
    moving, = preflight(ROBOT, State(q, only(i, 1.0)))
    assert f"moves at 1.000 {unit}/s;" in moving
    wrong = preflight(ROBOT, State(q, q, ROBOT.gravity_torque(q) + only(i, 1e3)))[-1]
    assert wrong.startswith(f"joint {JOINTS[i].name}") and wrong.endswith(f" {effort}")
    tilted = ROBOT.with_gravity((5.0, 5.0, -5.0))
    said = {line.split()[1]: line for line in too_heavy(tilted, q + 0.1, np.full(N, -1.0))}
    assert f" {effort} against gravity" in said[JOINTS[i].name]


def test_inverse_kinematics_tells_the_unit_of_each_joint_beyond_its_limits():
    target = ROBOT.fk(LIMITS.upper + 0.1)
    answer = ROBOT.ik(target, position_only=True)
    assert answer.reason == "limits"
    kinds = {joint.name: joint.unit for joint in JOINTS}
    assert {kinds[name] for name in answer.violations} == {"rad", "m"}
    assert "[rad or m]" not in answer.message
    assert all(f"{name} by {excess:.4g} {kinds[name]}" in answer.message for name, excess in answer.violations.items())
