"""A target without a solution is answered with the reason, its distance and the joints in the way."""
import itertools
import re
import warnings
from time import perf_counter

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from rdyn_ros import load
from rdyn_ros.ik import explain, failure
from rdyn_ros.ik.clock import Clock
from rdyn_ros.ik.options import IkOptions
from support.ik_arms import ARMS, arm_of, inside, robot_of, six
from support.pinocchio_judge import example_robots


@pytest.mark.parametrize("name", [*ARMS, "arm_6r", "anthropomorphic", "spherical", "cylindrical", "cartesian"])
def test_a_target_beyond_the_length_of_the_arm_is_never_told_as_timeout(name):
    robot = arm_of(name)
    robot.ik_prepare()
    places = robot.nv == 3
    T = robot.fk(inside(robot, np.random.default_rng(0), 1)[0])
    T[:3, 3] = 10.0, 0.0, 0.0
    for timeout in (1e-4, 1e-6):
        result = robot.ik(T, position_only=places, timeout=timeout)
        assert result.reason == "out_of_reach"
        assert result.distance > 5.0
        assert "outside the workspace" in result.message


@pytest.mark.parametrize("name", ARMS)
def test_a_far_target_is_told_out_of_reach_with_its_distance_at_once(name):
    robot = arm_of(name)
    T = robot.fk(inside(robot, np.random.default_rng(0), 1)[0])
    T[:3, 3] = 10.0, 0.0, 0.0
    result = robot.ik(T, timeout=10.0)
    assert not result
    assert (result.reason, len(result.solutions)) == ("out_of_reach", 0)
    assert 7.0 < result.distance < 10.0
    assert f"{result.distance:.4g} m" in result.message
    assert result.residual_position == pytest.approx(np.linalg.norm(robot.fk(result.q)[:3, 3] - T[:3, 3]))
    reach = max(np.linalg.norm(X[:3, 3]) for X in robot.fk(inside(robot, np.random.default_rng(1), 200)))
    assert abs(10.0 - reach - result.distance) < 0.5


@pytest.mark.parametrize("name", ARMS)
def test_absurdly_far_targets_are_answered_too_each_for_itself(name):
    robot, T = arm_of(name), np.eye(4)
    for far in (1e30, 1e100, 1e200, 1.7e308):
        T[:3, 3] = far, -far, far
        for options in ({}, {"position_only": True}, {"weights": [1, 1, 1, 0.3, 0.3, 0.3]}):
            with warnings.catch_warnings(action="error"):
                result = robot.ik(T, timeout=10.0, **options)
            assert result.reason == "out_of_reach"
            assert result.distance >= far
            assert np.isfinite(result.distance) or far > 1e308
            assert np.isfinite(result.q).all()


def test_the_distance_is_that_to_the_sphere_of_a_stretched_arm():
    robot = load("planar_2r")                               # 1.0 + 0.8 m
    for angle in (0.3, 2.0):
        T = np.eye(4)
        T[:3, 3] = 3.0 * np.cos(angle), 0.0, 3.0 * np.sin(angle)
        assert robot.ik(T, position_only=True, timeout=10.0).distance == pytest.approx(1.2, abs=1e-6)
        T[:3, 3] *= 0.05 / 3.0                              # inside the hole of 0.2 m
        assert robot.ik(T, position_only=True, timeout=10.0).distance == pytest.approx(0.15, abs=1e-6)


@pytest.mark.parametrize("name", ["arm_6r", "kawasaki_fs20n"])
@pytest.mark.parametrize("far", [4.0, 1e3])
def test_the_distance_is_the_least_that_any_joint_angles_have(name, far):
    robot, random = load(name), np.random.default_rng(5)
    for way in [(-0.292, 0.254, -0.921), (-0.0164, 0.4968, -0.8677), *random.normal(size=(4, 3))]:
        T = np.eye(4)
        T[:3, 3] = far * np.array(way) / np.linalg.norm(way)

        def distance(q, p=T[:3, 3]):
            return np.linalg.norm(robot.fk(q)[:3, 3] - p)
        least = min(minimize(distance, q, method="BFGS", options={"gtol": 1e-9}).fun
                    for q in random.uniform(-2.0, 2.0, (6, robot.nq)))
        assert robot.ik(T, timeout=10.0).distance < least + 1e-5


@pytest.mark.parametrize("weights", [(1, 1, 1, 100, 100, 100), (1e-3,) * 3 + (1,) * 3, (1e-5,) * 3 + (1,) * 3])
def test_what_can_be_reached_does_not_depend_on_weights(weights):
    robot = load("kawasaki_fs20n")
    for q in inside(robot, np.random.default_rng(0), 40):
        assert robot.ik(robot.fk(q), weights=weights, timeout=10.0).success


def test_an_orientation_that_the_arm_cannot_take_is_told_apart():
    robot = load("anthropomorphic")
    T = robot.fk([0.3, 0.4, 0.5])
    T[:3, :3] = T[:3, :3] @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    result = robot.ik(T, timeout=10.0)
    assert result.reason == "out_of_reach"
    assert "orientation" in result.message
    assert robot.ik(T, position_only=True).success


@pytest.mark.parametrize("name", ARMS)
def test_an_answer_belongs_to_the_one_who_asked(name):
    robot, far, seed = arm_of(name), np.eye(4), np.full(arm_of(name).nq, 0.1)
    far[0, 3] = 30.0
    first = robot.ik(far).q.copy()
    for given in (None, seed):
        robot.ik(far, seed=given).q[:] = 1.0
    assert (robot.ik(far).q == first).all()
    assert (seed == 0.1).all()


OBLIQUE = (("0 0 0.3", "0 0 1"), ("0 0 0", "0 0.6 0.8"), ("0 0 0", "0 0 1"), ("0.05 0 0.4", "0 1 0"),
           ("-0.05 0 0.4", "0 0 1"), ("0 0 0", "0 0.6 0.8"), ("0 0 0", "0 0 1"))


@pytest.mark.parametrize("indices", [{}, {"ke": 1}])
def test_a_branch_that_does_not_exist_is_told_by_what_asked_for_it(indices):
    robot = robot_of(*OBLIQUE)                              # seven axes that do not reach every arm angle
    asked = "indices and arm_angle" if indices else "arm_angle"
    results = [robot.ik(robot.fk(q), arm_angle=angle, timeout=10.0, **{"indices": indices} if indices else {})
               for q in inside(robot, np.random.default_rng(0), 20) for angle in (-2.0, 0.0, 2.0)]
    refused = [result for result in results if result.reason == "out_of_reach"]
    assert len(refused) > 5
    assert all(result.distance == 0.0 and f"none with the {asked} given" in result.message for result in refused)


def test_residuals_are_those_of_the_answer():
    arm = six("0 3e-6 0.4")
    T = arm.fk(np.full(6, 0.4))
    for signs in itertools.product((1, -1), repeat=3):
        result = arm.ik(T, indices=dict(zip(("ks", "ke", "kw"), signs, strict=True)))
        if result.success:
            miss = np.linalg.norm((arm.fk(result.q) - T)[:3, 3])
            assert result.residual_position == pytest.approx(miss, abs=2e-15)
    far = np.eye(4)
    far[0, 3] = 30.0
    for method in ("closed_form", "numeric"):
        result = load("anthropomorphic").ik(far, position_only=True, method=method)
        assert result.residual == pytest.approx((28.954317, 0.0), abs=1e-5)


def test_of_several_frames_each_is_told_by_how_much_it_is_missed():
    walker = load("walker")
    hands = {name: walker.fk(np.full(8, 0.2), name) for name in ("left_hand", "right_hand")}
    hands["right_hand"][0, 3] += 9.0
    result = walker.ik(hands, timeout=10.0)
    told = [float(x) for x in re.findall(r"_hand by ([0-9.]+) m", result.message)]
    assert result.reason == "out_of_reach"
    assert len(told) == 2
    assert max(told) == pytest.approx(result.distance, rel=1e-3)
    assert told[0] < told[1]


def test_a_frame_that_no_joint_moves_is_told():
    robot = load("kawasaki_fs20n")
    assert "no joint moves it" in robot.ik(robot.fk(np.full(6, 0.1)), "base").message


def test_weights_are_named_where_they_do_not_count():
    arm = load("planar_2r")
    T = arm.fk([0.3, 0.4])
    T[:3, :3] = np.eye(3)
    assert "all weights alike" in arm.ik(T, weights=(1, 1, 1, 0.01, 0.01, 0.01), timeout=10.0).message
    assert "weights" not in arm.ik(T, timeout=10.0).message


def test_a_result_is_printed_as_one_line():
    robot = load("kawasaki_fs20n")
    T = robot.fk(np.full(6, 0.3))
    assert re.fullmatch(r"converged \(closed_form, \d+ µs\): \d solutions, the first \[.*\]", str(robot.ik_all(T)))
    T[0, 3] = 9.0
    refusal = str(robot.ik(T))
    assert re.fullmatch(r"out_of_reach \(closed_form, \d+ µs\): tool: the target lies .*; ended with \[.*\]", refusal)


@pytest.mark.parametrize("name", ["panda", "ur5_like", "arm_7r"])
def test_a_distance_that_a_search_had_no_time_to_find_is_told_as_a_bound(name):
    robot = arm_of(name)
    robot.ik_prepare()
    T, bounds = np.eye(4), set()
    T[:3, 3] = 5.0, -4.0, 3.0
    least = robot.ik(T, timeout=10.0).distance
    for timeout in np.geomspace(1e-4, 3e-3, 40):
        result = robot.ik(T, timeout=timeout)
        bound = re.search("lies (at least |at most |)", result.message)[1]
        bounds.add(bound)
        assert {"at least ": result.distance <= least, "at most ": result.distance > least - 1e-5,
                "": abs(result.distance - least) < 1e-5}[bound]
    assert {"at least ", "at most "} <= bounds


def test_a_floating_base_is_held_where_the_seed_has_it():
    path = next(path for path in example_robots() if path.stem == "talos_reduced")
    robot, tips = load(path, allow_massless=True, floating_base=True), ("gripper_left_base_link", "head_2_link")
    robot.ik_prepare(tips)
    seed = robot.neutral()
    seed[:7] = 20.0, 3.0, 1.0, 0.5, 0.5, 0.5, 0.5
    near = {tip: robot.fk(seed, tip) for tip in tips}
    assert robot.ik(near, seed=seed, timeout=10.0).success
    for timeout in (1e-4, 10.0):
        result = robot.ik(near, timeout=timeout)            # from a base at the origin
        assert result.reason == "out_of_reach"
        assert 18.0 < result.distance < 21.0


def test_orientations_that_several_frames_cannot_have_are_told_frame_by_frame():
    robot = load("walker")
    hands = {name: robot.fk([0.1, -0.4, 0.2, -0.3, 0.3, 0.1, 0.5, -0.6], name) for name in ("left_hand", "right_hand")}
    hands["left_hand"][0, 3] += 1.5
    result = robot.ik(hands, timeout=10.0)
    assert result.reason == "out_of_reach"
    told = re.search(r"^joint limits aside, the positions can be reached, but not with these orientations: the nearest "
                     r"pose found misses left_hand by (\S+) m, right_hand by (\S+) m and an orientation by (\S+) rad; "
                     r"turn the targets", result.message)
    assert max(map(float, told.groups()[:2])) == pytest.approx(result.distance, rel=1e-3)


def test_what_no_joint_moves_is_refused_at_once_and_is_no_singularity_beside_another_frame():
    robot, T = load("kawasaki_fs20n"), np.eye(4)
    q = inside(robot, np.random.default_rng(0), 1)[0]
    assert robot.ik({"tool": robot.fk(q), "base": robot.fk(q, "base")}, timeout=10.0).reason == "converged"
    robot.ik_prepare("base")
    T[:3, 3] = robot.fk(q, "base")[:3, 3] + [0.0, 0.3, 0.4]
    result = robot.ik(T, "base", timeout=1e-4)
    assert (result.reason, result.distance) == ("out_of_reach", pytest.approx(0.5))
    assert "no joint moves it" in result.message
    robot.ik_prepare(("tool", "base"))
    T[:3, 3] = 1.7e308, -1.7e308, 0.0
    assert robot.ik({"tool": T, "base": T}, timeout=1e-4).distance == np.inf


def test_starts_that_are_used_up_are_no_lack_of_time():
    for budget, words in ((10.0, "from 1001 starts; raise max_restarts"), (1e-6, "within 1e-06 s; give more time")):
        clock = Clock(perf_counter(), budget)
        assert words in failure.timeout(IkOptions(timeout=budget), clock).message


@pytest.mark.parametrize("scale", [1.0, 1.0 - 5e-8])
@pytest.mark.parametrize("angle", [1e-9, 0.3, 3.0, np.pi - 1e-7, np.pi])
def test_residuals_are_exact_also_of_half_a_turn(angle, scale):
    robot = load("kawasaki_fs20n")
    q, axis = np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8]), np.array([0.6, 0.0, 0.8])
    T = robot.fk(q)
    T[:3, 3] += 0.1, 0.2, 0.2
    T[:3, :3] = scale * Rotation.from_rotvec(angle * axis).as_matrix() @ T[:3, :3]
    position, rotation = explain.residuals(robot._ik.geometry(("tool",)), T, q, IkOptions())
    assert position == pytest.approx(0.3, abs=1e-12)
    assert rotation == pytest.approx(angle, abs=1e-12 if scale == 1.0 else 1e-8)        # a matrix that is no rotation
