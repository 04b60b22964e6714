"""Joints that follow others (mimic) are part of what a search can move."""
import dataclasses

import numpy as np
import pytest

from rdyn_ros import Robot, load
from rdyn_ros.ik.task import unknowns
from support.ik_arms import misses, robot_of


def test_a_follower_moves_with_its_leader():
    robot = load(FOLLOWING)
    assert robot.nv == 2
    q = np.array([0.3, 0.7])
    result = robot.ik(robot.fk(q), seed=[0.2, 0.2], position_only=True)
    assert result.success
    assert misses(robot, result, robot.fk(q))[0] < 1.001e-6


def _part(name, parent, joint):
    body = "inertia: {mass: 1.0, com: [0.2, 0, 0], tensor: {xx: 0.01, yy: 0.02, zz: 0.02}}"
    return f"  - {{name: {name}, parent: {parent}, origin: {{xyz: [0.4, 0, 0]}}, joint: {{{joint}}}, {body}}}\n"


FOLLOWING = "name: following\nlinks:\n" + "".join([
    _part("one", "base", "name: a, type: revolute, axis: [0, 0, 1], limits: {lower: -2, upper: 2}"),
    _part("two", "one", "name: b, type: revolute, axis: [0, 1, 0], limits: {lower: -2, upper: 2}"),
    _part("three", "two", "name: c, type: revolute, axis: [0, 1, 0], mimic: {joint: b, ratio: -0.5, offset: 0.2}"),
]) + "frames:\n  - {name: tool, link: three, origin: {xyz: [0.4, 0, 0]}}\ntips: [tool]\n"


def arm(ratio, kind="continuous"):
    """Seven axes, the third of which follows the first, which is of this kind."""
    steps = ("0 0 0", "0.4 0 0", "0.3 0 0", "0.3 0 0", "0.2 0 0", "0.1 0.1 0", "0.1 0 0.1")
    axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 0 1", "0 1 0", "1 0 0")
    more = {0: [kind, "0 0 0"], 2: ["continuous", "0 0 0", f'<mimic joint="j1" multiplier="{ratio}"/>']}
    return robot_of(*((*step, *more.get(k, [])) for k, step in enumerate(zip(steps, axes, strict=True))))


@pytest.mark.parametrize("ratio", [1, 2, -2, 0.5, 0.25, -0.3, 3.3, 1.37, -2.13])
def test_leaders_without_limits_are_sought_all_round(ratio):
    robot = arm(ratio)
    Q = np.random.default_rng(0).uniform([-3] + [-2] * 5, [3] + [2] * 5, (300, 6))
    Q[::3, 0] *= 4.0                                            # by some turns, which tell where a follower is
    batch = robot.ik_batch(robot.fk(Q), timeout=10.0)
    assert batch.success.all()
    assert abs(robot.fk(batch.q) - robot.fk(Q)).max() < 2e-6
    for q in Q[:20]:                                            # on the turn of the seed only where that is the same
        result = robot.ik(robot.fk(q), seed=q + 20.0 * np.eye(6)[0], timeout=10.0)
        assert result.success
        assert abs(robot.fk(result.q) - robot.fk(q)).max() < 2e-6


@pytest.mark.parametrize("ratios", [(1.4142, 0.5), (0.333333, 0.5), (0.3, 0.7), (-0.7, 0.5)])
def test_two_followers_of_one_leader_are_sought_together(ratios):
    follows = [["continuous", "0 0 0", f'<mimic joint="j1" multiplier="{ratio}"/>'] for ratio in ratios]
    robot = robot_of(("0 0 0", "0 0 1", "continuous"), ("0.4 0 0", "0 1 0"), ("0.3 0 0", "0 1 0", *follows[0]),
                     ("0.3 0 0", "1 0 0"), ("0.2 0 0", "0 0 1", *follows[1]), ("0.1 0.1 0", "0 1 0"),
                     ("0.1 0 0.1", "1 0 0"))
    Q = np.random.default_rng(0).uniform(-3.0, 3.0, (100, 5))
    batch = robot.ik_batch(robot.fk(Q), timeout=10.0)
    assert batch.success.all()
    assert abs(robot.fk(batch.q) - robot.fk(Q)).max() < 2e-6


def test_poses_beyond_the_limits_of_a_leader_are_told_as_such():
    model = arm(1, "revolute").model
    base, first, *others = model.bodies
    first = dataclasses.replace(first, joint=dataclasses.replace(first.joint, lower=-1.0, upper=1.0))
    robot = Robot(model.replace(bodies=(base, first, *others)))
    Q = np.random.default_rng(0).uniform([1] + [-2] * 5, [2] + [2] * 5, (100, 6))
    reasons = robot.ik_batch(robot.fk(Q), timeout=10.0).reasons
    assert np.count_nonzero(reasons == "limits") > 50
    assert np.count_nonzero(reasons == "out_of_reach") == 0


@pytest.mark.parametrize(("ratio", "turns", "span"), [
    (0, True, 1), (1, True, 1), (-3, True, 1), (0.5, False, 2), (0.3, False, 10), (3.3, False, 10), (1.37, False, 16),
    (0.01, False, 100)])
def test_a_whole_turn_changes_nothing_where_followers_make_whole_turns(ratio, turns, span):
    robot = arm(ratio)
    found = unknowns(robot.model, ("l7",))
    assert (found.turns[0], found.spans[0]) == (turns, pytest.approx(span * np.pi))
    q = np.full(6, 0.3)
    turned = q + np.eye(6)[0] * 2.0 * np.pi
    assert np.allclose(robot.fk(turned), robot.fk(q)) == turns
    if turns:                                                   # so the one next to the seed is given
        assert abs(robot.ik(robot.fk(q), seed=turned + 0.1).q[0] - turned[0]) < np.pi
