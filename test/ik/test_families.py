"""Families of solutions, of singular poses: where their representative leaves the limits others do not."""
from time import perf_counter

import numpy as np
import pytest

from rdyn_ros.ik.by_formula import _with_families
from rdyn_ros.ik.clock import Clock
from support.ik_arms import inside, robot_of, six, within

PARALLEL = (("0 0 0.1", "0 0 1"), ("0 0.1 0.1", "0 1 0"), ("0.4 0 0", "0 1 0"), ("0.4 0 0", "0 1 0"),
            ("0 0.1 0", "0 0 -1"), ("0 0 -0.1", "0 1 0"))       # three parallel axes, as of a UR
WRIST = (("0 0 0.3", "0 0 1"), ("0.1 0 0", "0 1 0"), ("0.5 0 0", "0 1 0"), ("0.5 0 0.05", "1 0 0"),
         ("0 0 0", "0 1 0"), ("0 0 0", "1 0 0"))                # a spherical wrist
SEVEN = (("0 0 0.3", "0 0 1"), ("0 0 0", "0 1 0"), ("0 0 0", "0 0 1"), ("0 0 0.4", "0 1 0"),
         ("0 0 0.4", "0 0 1"), ("0 0 0", "0 1 0"), ("0 0 0", "0 0 1"))


def singular(arm, q, seed=None, **asked):
    """The answer for the pose of q inside the limits, which has to be one of a family, by formula."""
    T = arm.fk(q)
    result = arm.ik(T, seed=seed, timeout=10.0, **asked)
    assert (result.reason, result.method) == ("singular", "closed_form"), result
    assert within(arm, result.q)
    assert abs(arm.fk(result.solutions) - T).max() < 1e-10
    assert (np.diff(np.linalg.norm(result.solutions - (arm.ik_seed() if seed is None else seed), axis=1)) > -1e-9).all()


def by_formulas_alone(arm, q, seed, asked):
    """Whether formulas find a member inside the limits, without a search."""
    request, T = arm._ik.request(None, asked), arm.fk(q)
    found = request.solver.branches(T, seed, request.options.arm_angle, False)
    return not found.excess or not _with_families(request, T, seed, found, Clock(perf_counter(), 10.0))[0].excess


def its_branch(arm, q):
    """Indices of q, and its arm angle if there is one, as ik takes them."""
    result = arm.ik(arm.fk(q), seed=q, timeout=10.0)
    assert result.indices[0], result
    return {"indices": result.indices[0]} | ({"arm_angle": result.arm_angles[0]} if result.arm_angles else {})


def test_given_indices_find_a_member_inside_the_limits_of_a_family_whose_representative_is_outside():
    arm = six("0 0 0.4")                                    # a spherical wrist, limits ±3
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (200, 6)):
        q[4] = 0.0
        T = arm.fk(q)
        indices = arm.ik(T, seed=q).indices[0]
        assert indices
        result = arm.ik(T, indices=indices, timeout=10.0)
        assert (result.reason, dict(result.indices[0])) == ("singular", dict(indices))
        assert abs(arm.fk(result.solutions) - T).max() < 1e-10
        assert (abs(result.solutions) <= 3.0).all()
        away = np.linalg.norm(result.solutions - arm.ik_seed(), axis=1)
        assert (np.diff(away) > -1e-9).all()


def test_parallel_axes_find_members_inside_the_limits_with_the_joint_that_formulas_keep():
    """The elbow is stretched, or other joints move further than the last along the motion that leaves the tip alone."""
    arm = robot_of(*PARALLEL, half_range=1.8)
    assert "three parallel axes" in arm.ik_class()
    rng, sought = np.random.default_rng(0), 0
    for q, seed in zip(inside(arm, rng, 300), inside(arm, rng, 300), strict=True):
        q[4] = 0.0
        T = arm.fk(q)
        indices = arm.ik(T, seed=q).indices[0]
        if not indices:
            continue
        sought += 1
        result = arm.ik(T, seed=seed, indices=indices, timeout=10.0)
        assert result.reason == "singular", result
        assert within(arm, result.q)
        assert abs(arm.fk(result.q) - T).max() < 1e-10
    assert sought > 200


def test_two_families_at_once_find_members_inside_the_limits():
    """The wrist is over axis 1 and aligned: joints 1 and 4 are free."""
    arm = robot_of(("0 0 0.3", "0 0 1"), ("0 0 0", "0 1 0"), ("0.5 0 0", "0 1 0"), ("0.5 0 0", "1 0 0"),
                   ("0 0 0", "0 1 0"), ("0 0 0", "1 0 0"), half_range=1.6)
    rng = np.random.default_rng(5)
    for q, seed in zip(inside(arm, rng, 100), inside(arm, rng, 100), strict=True):
        q[1] = rng.uniform(0.8, 1.5)
        q[2], q[4] = np.pi - 2.0 * q[1], 0.0
        T = arm.fk(q)
        result = arm.ik(T, seed=seed, indices=arm.ik(T, seed=q).indices[0], timeout=10.0)
        assert result.reason == "singular", result
        assert within(arm, result.q)
        assert abs(arm.fk(result.q) - T).max() < 1e-10


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("joints", "zero", "kept"), [(WRIST, 4, 3), (PARALLEL, 4, 5)], ids=["wrist", "parallel"])
def test_a_joint_with_a_limit_on_one_side_is_sought_on_its_other(joints, zero, kept, side):
    rng = np.random.default_rng(3)
    for q, seed in zip(rng.uniform(-1.5, 1.5, (15, 6)), rng.uniform(-3.0, 3.0, (15, 6)), strict=True):
        q[zero], q[kept] = 0.0, side * rng.uniform(0.2, 6.0)
        limits = [(x - 0.1, x + 0.1) for x in q.tolist()]
        limits[kept] = (0.1, 1e10) if side > 0 else (-1e10, -0.1)
        arm = robot_of(*joints, limits=limits)
        asked = its_branch(arm, q)
        for near in (None, seed):
            singular(arm, q, near, **asked)
        assert by_formulas_alone(arm, q, seed, asked)


def test_two_families_at_once_find_members_where_both_have_to_move():
    """The elbow is over the shoulder of seven axes and the wrist aligned: joints 1 and 3, 5 and 7 share a turn each."""
    arm, rng = robot_of(*SEVEN, half_range=1.5), np.random.default_rng(4)
    for seed in inside(arm, rng, 60):
        q = np.array([1.2, 0.0, 1.3, rng.uniform(0.3, 1.4), 1.2, 0.0, 1.3])
        asked = its_branch(arm, q)
        singular(arm, q, seed, **asked)
        assert by_formulas_alone(arm, q, seed, asked)


@pytest.mark.parametrize("width", [0.0, 0.005, 0.02])
@pytest.mark.parametrize("narrow", [0, 2, 3, 5])
def test_narrow_ranges_and_locked_joints_leave_few_members(narrow, width):
    rng = np.random.default_rng(narrow)
    for q, seed in zip(rng.uniform(-2.0, 2.0, (8, 6)), rng.uniform(-2.0, 2.0, (8, 6)), strict=True):
        q[4] = 0.0
        lower, upper = rng.uniform(0.05, 0.5, (2, 6))
        lower[narrow] = upper[narrow] = width
        arm = robot_of(*WRIST, limits=[*zip((q - lower).tolist(), (q + upper).tolist(), strict=True)])
        asked = its_branch(arm, q)
        for near in (None, seed):
            singular(arm, q, near, **asked)
        assert not width or by_formulas_alone(arm, q, seed, asked)


def test_a_member_at_a_single_arm_angle_is_mostly_found_by_its_indices_too():
    """The wrist of seven axes is aligned at one arm angle: formulas meet that only from where a search ends."""
    rng, found = np.random.default_rng(22), 0
    for q in rng.uniform(-1.4, 1.4, (40, 7)):
        q[5] = 0.0
        lower, upper = rng.uniform(0.05, 0.5, (2, 7))
        arm = robot_of(*SEVEN, limits=[*zip((q - lower).tolist(), (q + upper).tolist(), strict=True)])
        T, indices = arm.fk(q), its_branch(arm, q)["indices"]
        result = arm.ik(T, indices=indices, timeout=10.0)
        assert (result.success and within(arm, result.q) and abs(arm.fk(result.q) - T).max() < 1e-10
                and result.indices[0] == indices) or result.reason == "limits"
        found += result.success
        for budget in np.linspace(3e-4, 3e-3, 10):          # [s] which may end a search, but cannot make it fail
            assert not result.success or arm.ik(T, indices=indices, timeout=budget).reason in (result.reason, "timeout")
        assert arm.ik(T, timeout=10.0).success
    assert found > 30


def test_fewer_indices_find_what_more_do():
    """The family passes the stretched elbow: its representative has another index than its members inside."""
    rng = np.random.default_rng(18)
    for q, seed in zip(rng.uniform(-1.5, 1.5, (30, 6)), rng.uniform(-2.5, 2.5, (30, 6)), strict=True):
        q[2], q[4] = rng.uniform(-0.5, 0.5), 0.0
        lower, upper = rng.uniform(0.05, 1.5, (2, 6))
        arm = robot_of(*PARALLEL, limits=[*zip((q - lower).tolist(), (q + upper).tolist(), strict=True)])
        signs = its_branch(arm, q)["indices"]
        singular(arm, q, seed, indices=signs)
        for few in ({"ks": signs["ks"]}, {}):
            found = arm.ik_all(arm.fk(q), seed=seed, indices=few, timeout=10.0)
            assert found.success and found.method == "closed_form", found


def test_every_family_that_has_members_inside_the_limits_is_found_beside_other_solutions():
    robot = six("0 0 0.4")                                  # limits of ±3
    for q in np.random.default_rng(0).uniform(-2.9, 2.9, (200, 6)):
        q[3:] = 1.55, 0.0, 1.55                             # together 3.1: of the seed's angle 0 one is outside
        T = robot.fk(q)
        result = robot.ik_all(T, timeout=10.0)
        assert any(result.singular)
        assert abs(result.solutions).max() <= 3.0
        assert abs(robot.fk(result.solutions) - T).max() < 1e-10
        away = ((result.solutions - robot.ik_seed()) ** 2).sum(axis=1)
        assert (np.diff(away) >= 0.0).all()
        like = abs(result.solutions[list(result.singular)][:, [0, 1, 2, 4]] - q[[0, 1, 2, 4]]).max(axis=1)
        assert like.min() < 1e-6
        assert result.message == result.reason
        short = robot.ik_all(T, timeout=1e-5)               # too short for any
        assert not short.success or "before all families were sought" in short.message


def test_members_that_a_search_leads_to_are_on_the_turn_next_to_the_seed():
    rng, turns = np.random.default_rng(31), 2.0 * np.pi
    for q in rng.uniform(-1.4, 1.4, (60, 7)):
        q[5] = 0.0
        lower, upper = rng.uniform(0.05, 0.5, (2, 7))
        lower[[0, 4]], upper[[0, 4]] = 9.0, 9.0
        arm = robot_of(*SEVEN, limits=[*zip((q - lower).tolist(), (q + upper).tolist(), strict=True)])
        seed = q + rng.uniform(-8.0, 8.0, 7)
        result = arm.ik(arm.fk(q), seed=seed, indices=its_branch(arm, q)["indices"], timeout=10.0)
        for j in (0, 4) if result.success else ():
            for other in (result.q[j] - turns, result.q[j] + turns):
                outside = not arm.limits.lower[j] <= other <= arm.limits.upper[j]
                assert outside or abs(other - seed[j]) >= abs(result.q[j] - seed[j]) - 1e-9
