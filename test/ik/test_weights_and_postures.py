"""What weights say of a miss, and where motion goes that a task leaves free."""
import re

import numpy as np
import pytest
from scipy.optimize import least_squares

from rdyn_ros import load
from rdyn_ros.ik import problem
from rdyn_ros.ik.rotation_error import rotation_vector
from support.ik_arms import arm_of, inside, misses, real, robot_of
from support.pinocchio_judge import example_robots

PANDA = real("panda")
SEED = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.5, 0.02])


def test_a_weight_of_zero_frees_a_direction():
    T = PANDA.fk(SEED)
    T[2, 3] += 5.0                                          # far too high, but the height does not count
    result = PANDA.ik(T, seed=SEED, weights=(1, 1, 0, 0.4, 0.4, 0.4))
    assert result.success
    assert np.linalg.norm(PANDA.fk(result.q)[:2, 3] - T[:2, 3]) < 1.001e-6


def test_weights_say_how_directions_share_a_miss():
    """At the least of Σ w² e² over q its gradient Jᵀ W² e is 0, for these weights and for no others."""
    robot = load("planar_2r")
    q = np.array([0.6, 0.9])
    T = robot.fk(q)
    T[:3, :3] = T[:3, :3] @ robot.fk([0.4, 0.0])[:3, :3]       # the arm cannot turn its tip there
    for weights in ((1.0, 1.0, 1.0, 0.1, 0.1, 0.1), (1.0, 1.0, 1.0, 0.8, 0.8, 0.8), (0.2, 1.0, 1.0, 0.3, 0.3, 0.3)):
        result = robot.ik(T, seed=q, weights=weights, timeout=10.0)
        X = robot.fk(result.q)
        e = np.concatenate([T[:3, 3] - X[:3, 3], rotation_vector(T[:3, :3] @ X[:3, :3].T)])
        assert result.reason == "out_of_reach"
        assert abs(robot.jacobian(result.q).T @ (np.square(weights) * e)).max() < 1e-3 * np.linalg.norm(weights * e)


def test_each_tip_may_have_its_own_weights():
    robot = load(next(path for path in example_robots() if path.stem == "talos_reduced"), allow_massless=True)
    left, right = "gripper_left_base_link", "gripper_right_base_link"
    q = inside(robot, np.random.default_rng(5), 1)[0]
    targets = {left: robot.fk(q, left), right: robot.fk(q, right)}
    targets[right][2, 3] += 5.0                             # far too high, but its height does not count
    targets[right][:3, :3] = np.eye(3)                      # nor does its orientation
    assert robot.ik(targets, timeout=10.0).reason == "out_of_reach"
    result = robot.ik(targets, timeout=10.0, weights={right: (1, 1, 0, 0, 0, 0)})
    assert result.success, result
    assert max(misses(robot, result, targets[left], left)) < 1.001e-6
    X = robot.fk(result.q, right)
    assert np.linalg.norm(X[:2, 3] - targets[right][:2, 3]) < 1.001e-6
    assert abs(X[2, 3] - targets[right][2, 3]) > 1.0


@pytest.mark.parametrize("name", ["panda", "ur5_like", "arm_7r"])
def test_a_miss_is_the_least_that_can_be_found_from_there(name):
    robot, random, better, refused = arm_of(name), np.random.default_rng(0), 0, 0
    lower, upper = robot.limits[:2]
    for q, seed in zip(*(inside(robot, random, 40) for _ in range(2)), strict=True):
        T, w = robot.fk(q), random.uniform(0.05, 1.0, 6)
        T[:3, 3] *= 2.5                                         # beyond the arm
        result = robot.ik(T, seed=seed, weights=w, timeout=10.0)
        refused += not result.success

        def errors(q, T=T, w=w):
            X = robot.fk(q)
            return w * np.concatenate([T[:3, 3] - X[:3, 3], rotation_vector(T[:3, :3] @ X[:3, :3].T)])
        end = least_squares(errors, np.clip(result.q, lower, upper), bounds=(lower - 1e-9, upper + 1e-9))
        better += not result.success and 2.0 * end.cost < 0.9 * (errors(result.q) ** 2).sum()
    assert refused > 15
    assert better == 0


def test_free_motion_goes_towards_a_posture_and_away_from_limits():
    T = PANDA.fk(SEED)
    bent = SEED.copy()
    bent[2] += 0.7
    plain = PANDA.ik(T, seed=SEED)
    drawn = PANDA.ik(T, seed=SEED, posture=bent)
    assert drawn.success
    assert max(misses(PANDA, drawn, T)) < 1.001e-6
    assert np.linalg.norm((drawn.q - bent)[:7]) < np.linalg.norm((plain.q - bent)[:7]) - 0.05
    centred = PANDA.ik(T, seed=plain.q, posture="centre")
    middle, span = (PANDA.limits.upper + PANDA.limits.lower) / 2, PANDA.limits.upper - PANDA.limits.lower
    assert max(misses(PANDA, centred, T)) < 1.001e-6
    assert np.linalg.norm(((centred.q - middle) / span)[:7]) < np.linalg.norm(((plain.q - middle) / span)[:7])


@pytest.mark.parametrize("built", [True, False])
def test_a_posture_that_is_outside_the_limits_by_whole_turns_is_one_inside(built, monkeypatch):
    if not built:
        monkeypatch.setattr(problem, "Solver", None)
    arm = robot_of(*[("0.3 0 0", "0 0 1"), ("0 0.1 0.2", "0 1 0")] * 3, ("0.1 0 0.1", "1 0 0"))         # each ±3
    for q in inside(arm, np.random.default_rng(5), 40 if built else 5):
        turns = 2.0 * np.pi * np.random.default_rng(6).integers(-1, 2, 7)
        for far in (turns, 1e7 * turns):
            there = arm.ik(arm.fk(q), seed=q, posture=q + far, timeout=20.0)
            assert abs(there.q - q).max() < 1e-3
            assert misses(arm, there, arm.fk(q)) == pytest.approx(there.residual, abs=1e-10)


def test_a_solution_that_is_met_under_weights_is_returned():
    weights, near = (1.0, 1.0, 0.5, 0.2, 0.2, 0.2), 0
    for q in inside(PANDA, np.random.default_rng(0), 200):
        result = PANDA.ik(PANDA.fk(q), weights=weights, max_restarts=0, timeout=10.0)
        near += not result.success and max(result.residual) <= 1e-6
    assert near == 0


def test_directions_that_do_not_count_are_no_miss():
    robot = load("walker")
    hands = {name: robot.fk([0.1, -0.4, 0.2, -0.3, 0.3, 0.1, 0.5, -0.6], name) for name in ("left_hand", "right_hand")}
    hands["left_hand"][0, 3] += 1.5
    hands["right_hand"][2, 3] += 5.0
    result = robot.ik(hands, weights={"right_hand": (1, 1, 0, 0, 0, 0)}, timeout=10.0)
    told = [float(metres) for metres in re.findall(r"hand by (\S+) m", result.message)]
    assert max(told) == pytest.approx(result.distance, rel=1e-3)


@pytest.mark.parametrize(("name", "options"), [("xarm7", {}), ("ur5_like", {"position_only": True})])
def test_the_way_to_a_posture_does_not_end_on_the_wrong_turn(name, options):
    robot, random, more = arm_of(name), np.random.default_rng(3), 0
    for q, seed, posture in zip(*(inside(robot, random, 200) for _ in range(3)), strict=True):
        def away(result, posture=posture):
            return np.linalg.norm(np.angle(np.exp(1j * (result.q - posture))))
        T = robot.fk(q)
        first = last = robot.ik(T, seed=seed, posture=posture, timeout=10.0, **options)
        for _ in range(3):                                      # from where it ended it goes no further
            last = robot.ik(T, seed=last.q, posture=posture, timeout=10.0, **options)
        more += away(first) - away(last) > 0.1
    assert more == 0
