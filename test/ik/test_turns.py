"""Angles by whole turns: next to another, and never outside the limits by rounding."""
import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.ik.constants import ROUNDING, TURN
from rdyn_ros.ik.turns import next_to
from support.ik_arms import inside
from support.pinocchio_judge import example_robots


def test_what_rounding_left_outside_goes_onto_the_limits():
    random = np.random.default_rng(0)
    lower, upper = np.full(10_000, -np.pi), random.uniform(0.5, 3.0, 10_000)
    wall = np.where(random.random(10_000) < 0.5, lower, upper)
    beside = wall + 0.99 * ROUNDING * random.uniform(-1.0, 1.0, 10_000)
    for turns, x in ((True, beside + TURN * random.integers(-3, 4, 10_000)), (False, beside)):
        y = next_to(x, np.zeros(10_000), lower, upper, turns)
        assert ((lower <= y) & (y <= upper)).all()


def test_they_are_the_same_angles_the_nearest_inside():
    random = np.random.default_rng(1)
    lower, upper = random.uniform(-8.0, 0.0, 10_000), random.uniform(0.5, 8.0, 10_000)
    x, near = random.uniform(-20.0, 20.0, (2, 10_000))
    y = next_to(x, near, lower, upper, True)
    assert abs(np.exp(1j * x) - np.exp(1j * y)).max() < 1e-9
    others = x + TURN * np.arange(-6, 7)[:, None]
    inside = (lower <= others) & (others <= upper)
    some = inside.any(axis=0)
    assert some.sum() > 5000
    assert ((lower <= y) & (y <= upper))[some].all()
    assert (abs(y - near) <= abs(others - near).min(axis=0, where=inside, initial=np.inf) + 1e-9)[some].all()


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_6r", "ur5_like", "arm_7r"])
def test_a_seed_at_or_next_to_singular_poses_and_limits_is_the_answer_to_its_own_pose(name):
    robot, random = load(name), np.random.default_rng(8)
    lower, upper = (np.clip(limit, -7.0, 7.0) for limit in robot.limits[:2])
    for k in range(600):
        q = random.integers(-4, 5, robot.nq) * np.pi / random.choice([2.0, 4.0])
        q = np.clip(q + (k % 3 == 0) * random.choice([0.0, 1e-12, 1e-9, 1e-7], robot.nq), lower, upper)
        T = robot.fk(q)
        every = robot.ik_all(T, seed=q, timeout=10.0)
        assert abs(every.solutions - q).max(axis=1).min() < 1e-5, q
        assert abs(robot.ik(T, seed=q, timeout=10.0).q - q).max() < 1e-5
        if every.indices[0] and every.method == "closed_form" and name != "arm_7r":
            again = robot.ik(T, seed=every.q, indices=every.indices[0], timeout=10.0)
            assert again.success and again.indices[0] == every.indices[0]


@pytest.mark.parametrize(("name", "joint"), [("kawasaki_fs20n", 3), ("arm_6r", 5)])
@pytest.mark.parametrize(("end", "side"), [("lower", -1.0), ("upper", 1.0)])
def test_a_joint_that_is_outside_by_less_than_the_tolerance_stays_and_is_also_found_a_turn_away(name, joint, end, side):
    robot, random = load(name), np.random.default_rng(7)
    lower, upper = robot.limits[:2]
    for q in inside(robot, random, 100):
        q[joint] = getattr(robot.limits, end)[joint] + side * 3e-7
        T, turned = robot.fk(q), q - side * TURN * np.eye(robot.nq)[joint]
        stays = robot.ik_all(T, seed=np.clip(q, lower, upper), timeout=10.0)
        assert abs(stays.q - q).max() < 1e-5 and (lower <= stays.q).all() and (stays.q <= upper).all()
        assert stays.method == "numeric" and max(stays.residual) < 1e-6
        for seed in (q, random.uniform(lower, upper)):
            found = robot.ik_all(T, seed=seed, timeout=10.0)
            away = found.solutions - turned
            assert abs(away - TURN * np.round(away / TURN)).max(axis=1).min() < 1e-9
            exact = found.solutions[found.method == "numeric":]
            assert abs(robot.fk(exact) - T).max() < 1e-10


@pytest.mark.parametrize(("name", "joint"), [("kawasaki_fs20n", 3), ("arm_6r", 5), ("ur5_like", 0), ("arm_7r", 6)])
@pytest.mark.parametrize("end", ["lower", "upper"])
@pytest.mark.parametrize("method", ["closed_form", "numeric"])
def test_a_seed_with_a_joint_on_its_limit_is_the_answer_to_its_own_pose(name, joint, end, method):
    robot = load(name)
    Q = inside(robot, np.random.default_rng(4), 200)
    Q[:, joint] = getattr(robot.limits, end)[joint]
    T = robot.fk(Q)
    assert abs(robot.ik_batch(T, seeds=Q, method=method, timeout=10.0).q - Q).max() < 1e-5
    for q, pose in zip(Q, T, strict=True):
        assert abs(robot.ik(pose, seed=q, method=method, timeout=10.0).q - q).max() < 1e-5
        if method == "closed_form":
            assert abs(robot.ik_all(pose, seed=q, timeout=10.0).solutions - q).max(axis=1).min() < 1e-5


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "ur5_like", "ur5_joint_limited_robot"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_no_solution_is_found_twice_where_several_joints_are_on_their_limits(name, tolerance):
    path = next((path for path in example_robots() if path.stem == name), name)
    robot, random = load(path), np.random.default_rng(3)
    lower, upper = (np.clip(limit, -np.pi * 2, np.pi * 2) for limit in robot.limits[:2])
    for _ in range(150):
        q, seed = random.uniform(lower, upper, (2, robot.nq))
        on = random.random(robot.nq) < 0.5
        q[on] = np.where(random.random(robot.nq) < 0.5, lower, upper)[on]
        q += random.choice([0.0, 1e-12, 1e-9, 1e-7, -1e-7], robot.nq) * on
        for near in (np.clip(q, lower, upper), seed):
            found = robot.ik_all(robot.fk(q), seed=near, tolerance=tolerance, timeout=10.0).solutions
            apart = [abs(a - b).max() for k, a in enumerate(found) for b in found[:k]]
            assert min(apart, default=1.0) > 1e-9
            assert ((robot.limits.lower <= found) & (found <= robot.limits.upper)).all()


@pytest.mark.parametrize("far", [1e4, 1e6, 1e9])
def test_seeds_far_outside_the_limits_cost_no_digits(far):
    robot, random = load("kawasaki_fs20n"), np.random.default_rng(3)
    for q in inside(robot, random, 100):
        found = robot.ik_all(robot.fk(q), seed=random.uniform(-far, far, 6), timeout=10.0)
        assert found.method == "closed_form"
        assert abs(robot.fk(found.solutions) - robot.fk(q)).max() < 1e-12
