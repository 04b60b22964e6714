"""Configuration indices of source 001, chapter 4: they name the branches of the Kawasaki FS20N and of its kin."""
import itertools

import numpy as np
import pytest

from rdyn_ros import RdynError, load
from rdyn_ros.ik.screws import chain_to
from rdyn_ros.spatial import rodrigues
from support.ik_arms import inside
from support.pinocchio_judge import example_robots


def axes_and_points(robot, q):
    """Directions Z_0 … Z_5 of the joint axes and a point on each, at q, in the base: turned by hand."""
    chain = chain_to(robot.model)
    h, p = [np.array(s.h) for s in chain.screws], [np.array(s.p) for s in chain.screws]
    for i in reversed(range(6)):
        R = rodrigues(np.array(chain.screws[i].h), q[i])
        centre = np.array(chain.screws[i].p)
        for j in range(i + 1, 6):
            h[j], p[j] = R @ h[j], centre + R @ (p[j] - centre)
    return h, p


def book(robot, q):
    """ks, ke, kw by the vectors of the book."""
    Z, p = axes_and_points(robot, q)
    O, D, E, C = p[0], p[1], p[2], p[4]
    ks = np.sign(np.cross(C - O, Z[0]) @ Z[1])
    ke = np.sign(np.cross(E - D, C - E) @ Z[1])         # X_2 × l_42: with an elbow offset Z_3 alone does not decide
    kw = np.sign(Z[4] @ np.cross(Z[5], Z[3]))
    return {"ks": ks, "ke": ke, "kw": kw}


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_6r"])
def test_every_branch_reports_the_indices_of_the_book(name):
    robot, seen = load(name), set()
    for q in inside(robot, np.random.default_rng(1), 40):
        result = robot.ik_all(robot.fk(q), seed=q)
        for solution, indices in zip(result.solutions, result.indices, strict=True):
            assert dict(indices) == book(robot, solution)
            seen.add(tuple(indices.values()))
        assert len({tuple(named.values()) for named in result.indices}) == len(result.solutions)
    assert seen == set(itertools.product((1, -1), repeat=3))


def test_given_indices_return_exactly_that_branch():
    robot = load("kawasaki_fs20n")
    for q in inside(robot, np.random.default_rng(2), 20):
        T, wanted = robot.fk(q), book(robot, q)
        result = robot.ik(T, indices=wanted)
        assert len(result.solutions) == 1
        assert dict(result.indices[0]) == wanted
        turn = (result.q - q + np.pi) % (2.0 * np.pi) - np.pi
        assert abs(turn).max() < 1e-7
        for solution in robot.ik_all(T, indices={"kw": 1}).solutions:
            assert book(robot, solution)["kw"] == 1


def test_indices_that_the_arm_does_not_have_are_refused():
    with pytest.raises(RdynError, match="has ks"):
        load("cylindrical").ik(np.eye(4), indices={"kw": 1})
    with pytest.raises(RdynError, match="ks"):
        load("arm_6r").ik(np.eye(4), indices={"ks": 2})


def test_the_definition_of_the_elbow_and_its_formula_in_the_appendix_differ_in_sign():
    """q2 = Q - ke A with Q the angle of l_41 from X_1 about Z_1: appendix 2 prints a plus."""
    robot = load("kawasaki_fs20n")
    for q in inside(robot, np.random.default_rng(3), 10):
        Z, p = axes_and_points(robot, q)
        upper, line = p[2] - p[1], p[4] - p[1]
        beside = line - Z[1] * (Z[1] @ line)
        ahead = np.sign(np.cross(beside, upper) @ Z[1])         # whether X_2 is ahead of l_41, q2 > Q
        assert ahead == -book(robot, q)["ke"]


@pytest.mark.parametrize(("indices", "words"), [
    ({"ke": 0}, r"ke of indices is 0; allowed are 1, -1"), ({"ky": 1}, r"index is 'ky'; allowed are 'ks', 'ke', 'kw'"),
    (3, r"'ks', 'ke', 'kw' \(shoulder, elbow, wrist\) with 1 or -1 each")])
def test_indices_that_cannot_be_are_refused_with_what_is_allowed(indices, words):
    arm = load("arm_6r")
    with pytest.raises(RdynError, match=words):
        arm.ik(arm.fk(np.zeros(6)), indices=indices)


@pytest.mark.parametrize("joints", [[1.57079632679, 1.57079632679, 0.5236, 1e-9, 1e-5, 0.68],
                                    [-0.349065850399, 1.57079632679, -0.5236, 1e-7, 2.3561945901923447, 1e-12]])
def test_indices_that_were_told_find_the_same_solution_on_limits_in_a_doubly_singular_pose(joints):
    path = next(path for path in example_robots() if path.stem == "simple_humanoid")
    robot, q = load(path, allow_massless=True), np.zeros(29)
    q[list(robot._ik.geometry(("l_ankle",)).unknowns.positions)] = joints
    T = robot.fk(q, "l_ankle")
    told = robot.ik_all(T, "l_ankle", seed=q, timeout=10.0)
    assert told.indices[0]
    for solution, indices in zip(told.solutions, told.indices, strict=True):
        again = robot.ik(T, "l_ankle", seed=solution, indices=indices, timeout=10.0)
        assert again.success, again
        assert abs(again.q - solution).max() < 1e-6
