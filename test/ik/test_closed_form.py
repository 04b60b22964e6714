"""Closed forms: every branch is a solution, and no solution is missing."""
from dataclasses import replace

import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.ik import problem
from rdyn_ros.ik.closed_form import recognise, recognise_chain
from rdyn_ros.ik.screws import Chain, chain_pose, chain_to
from support.ik_arms import CHAINS, CLOSED, FRAMES, chain, distances, inside, real, robot_of, screw, six


@pytest.mark.parametrize("name", CHAINS)
def test_every_branch_reaches_the_target_and_the_original_configuration_is_among_them(name):
    arm, random = chain(name), np.random.default_rng(1)
    form = recognise_chain(arm)
    assert form.kind == CHAINS[name][1]
    assert len(form.signs) == CHAINS[name][2]
    turns = [s.turns for s in arm.screws]
    for q in random.uniform(-3.0, 3.0, (30, len(turns))):
        T = chain_pose(arm, q)
        with np.errstate(invalid="ignore"):
            branches = form.branches(T, form.arm.angle(q) if form.arm else 0.0)
        whole = branches[np.isfinite(branches).all(axis=1)]
        off = np.array([abs(chain_pose(arm, x) - T)[:3, 3 if form.places_only else 0:].max() for x in whole])
        if len(turns) in (3, 6, 7):             # four and five joints cannot take every branch to a whole pose
            assert off.max() < 1e-10
        assert distances(whole[off < 1e-10], q, turns).min() < 1e-7


@pytest.mark.parametrize("name", CHAINS)
def test_a_batch_is_the_rows_one_by_one(name):
    arm, random = chain(name), np.random.default_rng(2)
    form = recognise_chain(arm)
    T = np.array([chain_pose(arm, q) for q in random.uniform(-3.0, 3.0, (5, len(arm.screws)))])
    with np.errstate(invalid="ignore"):
        together = form.branches(T, 0.3)
        single = np.array([form.branches(t, 0.3) for t in T])
    np.testing.assert_allclose(together, single, atol=1e-12)


def test_geometry_without_a_closed_form_is_not_taken_for_one():
    random = np.random.default_rng(3)
    screws = tuple(screw(random.normal(size=3), random.normal(size=3)) for _ in range(6))
    assert recognise_chain(Chain(screws, tuple(range(6)), np.eye(4))) is None
    assert real("panda").ik_class() is None
    assert real("ur5_robot").ik_class() == "three parallel axes"
    assert load("kawasaki_fs20n").ik_class() == "spherical wrist"


def test_the_screws_of_a_chain_place_its_frame_where_the_robot_does():
    robot = load("arm_6r")
    for q in inside(robot, np.random.default_rng(6), 5):
        np.testing.assert_allclose(chain_pose(chain_to(robot.model), q), robot.fk(q), atol=1e-12)


LEG = robot_of(("0 0 0", "0 1 0"), ("0 0 -0.4", "0 1 0"), ("0 0 -0.4", "1 0 0")).with_tool("sole", xyz=[0, 0, -0.1])
UNANSWERED = {      # arms that fit a class, whose formulas have no answer for them
    "two axes in line": robot_of(
        ("0 0 .5", "0 0 1"), ("0 0 0", "0 0 1"), ("0 0 0", "1 0 0"), ("0 .3 0", "0 0 1"), ("0.3 0 0", "0 1 0"),
        ("0 .5 0", "0 0 1"), ("0 0 0", "1 0 0")).with_tool("tip", xyz=[0, 0, 0.2]),
    "a wrist on the third axis": robot_of(
        ("0 0 0", "0 1 0"), ("-.2 .5 0", "0 1 0"), ("-.2 .3 .5", "0 0 -1"), ("0 0 0", "0 1 0"),
        ("0 0 0", "1 0 0")).with_tool("tip", xyz=[0.1, 0.2, 0]),
}


def test_axes_at_right_angles_leave_no_plain_number_where_a_symbol_is_asked_for():
    assert LEG.ik_class() == "three-axis arm"
    for q in inside(LEG, np.random.default_rng(7), 20):
        for options in ({}, {"position_only": True}, {"method": "numeric"}):
            assert LEG.ik(LEG.fk(q), timeout=10.0, **options).success


@pytest.mark.parametrize("name", UNANSWERED)
def test_a_class_counts_only_where_its_formulas_give_a_configuration_back(name):
    robot = UNANSWERED[name]
    assert robot.ik_class() is None
    for q in inside(robot, np.random.default_rng(8), 20):
        result = robot.ik(robot.fk(q), timeout=10.0)
        assert (result.success, result.method) == (True, "numeric")


@pytest.mark.parametrize("name", [*CLOSED, "ur5_robot"])
def test_robots_find_every_configuration_again(name):
    robot, random = (real if name in FRAMES else load)(name), np.random.default_rng(4)
    for q in inside(robot, random, 200):
        T = robot.fk(q)
        result = robot.ik_all(T, seed=q)
        assert result.success
        assert result.method == "closed_form"
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        assert (result.solutions >= robot.limits.lower).all()
        assert (result.solutions <= robot.limits.upper).all()
        assert distances(result.solutions, q, True).min() < 1e-7
        far = np.linalg.norm(result.solutions - q, axis=1)
        assert (np.diff(far) >= 0.0).all()
        assert (result.q == result.solutions[0]).all()


def skew():
    """A spherical wrist after three axes in general position."""
    return robot_of(("0 0 0.3", "0 0 1"), ("0.1 0.05 0.2", "0 1 0.2"), ("0.3 0.1 0", "0.3 0.4 1"),
                    ("0.2 0 0.3", "1 0 0"), ("0.2 0 0", "0 1 0"), ("0 0 0", "1 0 0"))


def apart():
    """Three parallel axes, then two that do not meet."""
    return robot_of(("0 0 0.3", "0 0 1"), ("0 0.1 0", "0 1 0"), ("0.4 0 0", "0 1 0"), ("0.4 0 0", "0 1 0"),
                    ("0.05 0.1 0", "0 0 1"), ("0.06 0.1 0.1", "0 1 0"))


@pytest.mark.parametrize(("make", "kind"), [(skew, "spherical wrist"), (apart, "three parallel axes")])
def test_axes_in_general_position_find_every_configuration_again(make, kind):
    robot = make()
    assert robot.ik_class() == kind
    for k, q in enumerate(inside(robot, np.random.default_rng(7), 500)):
        q[4] = [q[4], 0.0, 1e-10, 1e-6][k % 4]        # in between the wrist is aligned, or nearly
        T = robot.fk(q)
        result = robot.ik_all(T, seed=q)
        assert (result.success, result.method) == (True, "closed_form")
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        if k % 4:
            continue
        assert abs(result.q - q).max() < 1e-7
        for x, named in zip(result.solutions, result.indices, strict=True):
            one = robot.ik(T, seed=q, indices=dict(named))
            assert len(one.solutions) == 1
            assert abs(one.q - x).max() < 1e-7


FEW_AXES = {        # kind: a robot with three, four or five axes, and whether only its position counts
    **{f"three-axis arm, {name}": [(load(name), True)]
       for name in ("anthropomorphic", "spherical", "cylindrical", "cartesian")},
    "three parallel axes, 5 joints": [(robot_of(
        ("0 0 0.3", "0 0 1"), ("0 0.1 0", "0 1 0"), ("0.4 0 0", "0 1 0"), ("0.4 0 0", "0 1 0"), ("0.1 0 0", "1 0 0")),
        False)],
    "three parallel axes, 4 joints": [(robot_of(
        ("0 0 0.3", "0 0 1"), ("0 0.1 0", "0 1 0"), ("0.4 0 0", "0 1 0"), ("0.4 0 0", "0 1 0")), False)],
    "SCARA": [(robot_of(("0 0 0.3", "0 0 1"), ("0.4 0 0", "0 0 1"), ("0.3 0 0", "0 0 1", "prismatic"),
                        ("0 0 0", "0 0 -1")), False)],
    "planar arm": [(robot_of(("0 0 0.3", "0 0 1"), ("0.4 0 0", "0 0 1"), ("0.3 0 0", "0 0 1")), False)],
}


@pytest.mark.parametrize("kind", FEW_AXES)
def test_robots_with_few_axes_find_every_configuration_again(kind):
    for robot, places in FEW_AXES[kind]:
        assert robot.ik_class() == kind
        for q in inside(robot, np.random.default_rng(6), 25):
            T = robot.fk(q)
            result = robot.ik_all(T, seed=q, position_only=places, method="closed_form")
            assert result.success
            assert abs(robot.fk(result.solutions) - T)[:, :3, 3 if places else 0:].max() < 1e-10
            assert abs(result.q - q).max() < 1e-7


def test_a_truncated_pi_in_a_robot_file_does_not_reach_the_answer():
    blunt = six("0 0 0.4", "1.5708")
    assert blunt.ik_class() == "spherical wrist"
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8])
    result = blunt.ik_all(blunt.fk(q), seed=q)
    assert len(result.solutions) >= 4
    assert abs(blunt.fk(result.solutions) - blunt.fk(q)).max() < 1e-10


def test_a_branch_is_refined_as_far_as_the_tolerance_asks():
    blunt = six("0 3e-6 0.4")
    targets = blunt.fk(inside(blunt, np.random.default_rng(0), 25))
    loose, tight = ([len(blunt.ik_all(T, tolerance=tolerance, timeout=10.0).solutions) for T in targets]
                    for tolerance in (1e-6, 1e-12))
    assert loose == tight


@pytest.mark.parametrize("solve", ["ik", "ik_all"])
@pytest.mark.parametrize("one_branch", [False, True])
def test_a_narrow_window_of_arm_angles_is_found(solve, one_branch):
    arm, q = load("arm_7r"), np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
    T = arm.fk(q)
    there = arm.ik(T, seed=q)
    indices = dict(there.indices[0]) if one_branch else None
    seed = arm.ik(T, seed=q, arm_angle=there.arm_angles[0] + np.pi / 8.0).q
    joints = [replace(body, joint=replace(body.joint, lower=x - 0.01, upper=x + 0.01))
              for body, x in zip(arm.model.bodies[1:], q, strict=True)]
    narrow = type(arm)(arm.model.replace(bodies=(arm.model.bodies[0], *joints)))
    result = getattr(narrow, solve)(T, seed=seed, indices=indices, timeout=10.0)
    assert (result.reason, result.method, dict(result.violations)) == ("converged", "closed_form", {})
    assert abs(result.q - q).max() < 0.0101


@pytest.mark.parametrize("solver", ["C", "SciPy"])
def test_joints_on_their_limits_stay_there_whatever_the_last_digits_of_the_target(solver, monkeypatch):
    arm, count = six("0 0 0.4"), 100 if solver == "C" else 2
    if solver == "SciPy":
        monkeypatch.setattr(problem, "Solver", None)
    for k in range(6):
        bodies = list(arm.model.bodies)
        bodies[k + 1] = replace(bodies[k + 1], joint=replace(bodies[k + 1].joint, lower=0.3, upper=0.3))
        locked = type(arm)(arm.model.replace(bodies=tuple(bodies)))
        for q in inside(locked, np.random.default_rng(1), count):
            q[(k + 1) % 6] = 3.0
            for digits in (16, 9):
                T = locked.fk(q).round(digits)
                result = locked.ik(T, seed=q, timeout=10.0)
                sharp = max(result.residual) <= 1e-10       # a target with nine digits may lie just outside
                assert (result.reason, result.method) == ("converged", "closed_form" if sharp else "numeric"), result
                assert sharp or digits == 9 or solver == "SciPy"
                assert ((result.q >= locked.limits.lower) & (result.q <= locked.limits.upper)).all()
                assert result.q[k] == 0.3
                off = 2.0 * 10.0**-digits + 1e-10 if solver == "C" else 1e-6        # SciPy ends at the tolerance
                assert abs(locked.fk(result.q) - T).max() < off
        q[k] += 1e-4
        assert locked.ik(arm.fk(q), seed=q, timeout=10.0).reason == "limits"


def test_the_arm_angle_chooses_among_the_solutions_of_seven_axes():
    robot = load("arm_7r")
    q = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
    T, angles = robot.fk(q), []
    for psi in (-0.3, 0.0, 0.3):
        result = robot.ik(T, seed=q, arm_angle=psi)
        assert result.success
        assert abs(robot.fk(result.q) - T).max() < 1e-10
        angles.append(result.q)
    assert abs(angles[0] - angles[1]).max() > 0.05
    assert abs(angles[2] - angles[1]).max() > 0.05


def test_arm_angles_are_told_as_the_formula_in_python_has_them():
    robot, rng = load("arm_7r"), np.random.default_rng(0)
    form = recognise(robot.model, None)
    for q in inside(robot, rng, 20):
        result, again = robot.ik(robot.fk(q), seed=q), robot.ik_all(robot.fk(q), seed=inside(robot, rng, 1)[0])
        assert result.arm_angles[0] == pytest.approx(form.arm.angle(q), abs=1e-9)
        for solved in (result, again):
            own = np.array([form.arm.angle(each) for each in solved.solutions])
            assert abs(np.angle(np.exp(1j * (own - solved.arm_angles)))).max() < 1e-6


def test_all_solutions_of_seven_axes_go_round_the_family():
    robot = load("arm_7r")
    q = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
    T = robot.fk(q)
    every, nearest = robot.ik_all(T, seed=q), robot.ik(T, seed=q)
    assert robot._ik.request(None, {}).geometry.arm_angle._code["single"] is not None      # the same code every time
    assert abs(every.q - q).max() < 1e-7                    # the arm angle of the seed is one of them
    assert (every.q == nearest.q).all()
    assert len(every.solutions) == len(every.indices) == len(every.singular) == len(every.arm_angles)
    assert len(set(every.arm_angles)) > 4
    assert abs(robot.fk(every.solutions) - T).max() < 1e-10
    assert ((every.solutions >= robot.limits.lower) & (every.solutions <= robot.limits.upper)).all()
    assert (np.diff(np.linalg.norm(every.solutions - q, axis=1)) >= 0.0).all()
    for solution, indices, psi in list(zip(every.solutions, every.indices, every.arm_angles, strict=True))[::5]:
        again = robot.ik_all(T, seed=solution, arm_angle=psi)
        assert abs(again.q - solution).max() < 1e-6
        assert again.indices[0] == indices
        assert again.arm_angles == pytest.approx([psi] * len(again.solutions))
    one_sort = robot.ik_all(T, seed=q, indices={"ke": 1})
    assert 0 < len(one_sort.solutions) < len(every.solutions)
    assert {named["ke"] for named in one_sort.indices} == {1}
