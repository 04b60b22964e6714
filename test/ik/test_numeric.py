"""The numeric solver: any tree and frame, limits kept, the same answer every time."""
import dataclasses
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from bench.robots import ours
from rdyn_ros import RdynError, load
from rdyn_ros.ik import problem
from rdyn_ros.ik.options import IkOptions
from rdyn_ros.kernels import background
from rdyn_ros.nodes.loaded_robot import Load
from support.ik_arms import FRAMES, answers, inside, misses, real, robot_of, within
from support.pinocchio_judge import example_robots

PANDA = real("panda")
SEED = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.5, 0.02])


@pytest.mark.parametrize("name", FRAMES)
def test_every_reachable_target_is_reached_within_limits(name):
    robot = real(name)
    for q in inside(robot, np.random.default_rng(1), 400):
        T = robot.fk(q)
        result = robot.ik(T, method="numeric", timeout=10.0)
        assert result.success, result
        assert max(misses(robot, result, T)) < 1.001e-6
        assert max(result.residual_position, result.residual_rotation) <= 1e-6
        assert within(robot, result.q)


@pytest.mark.parametrize(("seed", "row"), [(1010, 7742), (424242, 7773)])
def test_rare_targets_next_to_singular_poses_are_reached_too(seed, row):
    """Two of 300,000 random ones, which starts that are given up early miss a thousand times."""
    robot = ours("Panda")
    q = np.random.default_rng(seed).uniform(*robot.limits[:2], (10_000, robot.nv))[row]
    result = robot.ik(robot.fk(q), timeout=10.0)
    assert result.success and within(robot, result.q)
    assert max(misses(robot, result, robot.fk(q))) < 1.001e-6
    assert result.restarts < 500


def test_a_seed_outside_the_limits_is_no_obstacle():
    T = PANDA.fk(SEED)
    outside = np.clip(SEED, PANDA.limits.lower, PANDA.limits.upper)
    outside[3], outside[5] = PANDA.limits.upper[3] + 0.05, PANDA.limits.lower[5] - 3.0
    result = PANDA.ik(T, seed=outside)
    assert result.success
    assert within(PANDA, result.q)
    assert max(misses(PANDA, result, T)) < 1.001e-6


def test_joints_that_do_not_move_the_frame_keep_the_seed():
    result = PANDA.ik(PANDA.fk(SEED), seed=SEED + 0.01)
    assert result.q[7] == SEED[7] + 0.01


@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("how", ["closed_form", "numeric", "posture"])
def test_continuous_joints_come_back_on_the_turn_of_the_seed(how, built, monkeypatch):
    if not built:
        monkeypatch.setattr(problem, "Solver", None)
    robot = real("kinova")
    free = np.isinf(robot.limits.upper)
    assert free.any()
    seed, turn = np.where(free, 8.0 * np.pi + 0.3, 2.0), 2.0 * np.pi * free
    options = {"method": how} if how != "posture" else {"posture": seed - 0.3 * free}
    for T in robot.fk(inside(robot, np.random.default_rng(2), 30 if built else 3)):
        result = robot.ik(T, seed=seed, timeout=20.0, **options)
        assert result.success
        assert abs(result.q - seed)[free].max() < np.pi + 1e-9
        if how == "posture":                                # a posture some turns on is the same one
            again = robot.ik(T, seed=seed, timeout=20.0, posture=options["posture"] + 2.0 * turn)
            np.testing.assert_allclose(again.q, result.q, atol=1e-5)


@pytest.mark.parametrize("method", ["closed_form", "numeric"])
def test_a_turn_that_rounding_cannot_hold_is_not_followed(method):
    robot = real("kinova")
    free = np.isinf(robot.limits.upper)
    q = np.where(free, 0.5, 2.0)
    for far in (1e3, 1e7, 1e9, 1e12, 1e300):
        result = robot.ik(robot.fk(q), seed=np.where(free, far, 2.0), method=method, timeout=10.0)
        assert max(misses(robot, result, robot.fk(q))) < 1.1e-6
        assert abs(result.q[free] - far).max() < np.pi + 1e-6 or far > 1e7


def test_all_numeric_solutions_differ_by_more_than_turns():
    robot = real("kinova")
    seed = np.where(np.isinf(robot.limits.upper), 0.5, 2.0)
    half_a_turn_on = robot.fk(seed + np.eye(robot.nq)[0] * np.pi)
    found = robot.ik_all(half_a_turn_on, seed=seed, method="numeric", timeout=10.0).solutions
    assert len(found) > 3
    assert (np.diff(np.linalg.norm(found - seed, axis=1)) >= 0.0).all()
    for k, q in enumerate(found[1:], 1):
        assert abs(np.angle(np.exp(1j * (found[:k] - q)))).max(axis=1).min() > 1e-4


def test_position_only_leaves_the_orientation_free():
    T = PANDA.fk(SEED)
    T[:3, :3] = np.diag([1.0, -1.0, -1.0]) @ T[:3, :3]
    result = PANDA.ik(T, seed=SEED + 0.1, position_only=True)
    assert result.success
    assert misses(PANDA, result, T)[0] < 1.001e-6
    assert result.residual_rotation == 0.0


@pytest.mark.parametrize("axis", ["z", (0.0, 0.6, 0.8)])
def test_pointing_turns_freely_about_the_axis(axis):
    a = np.array([0.0, 0.0, 1.0] if axis == "z" else axis)
    for q in inside(PANDA, np.random.default_rng(3), 20):
        T = PANDA.fk(q)
        result = PANDA.ik(T, axis=axis, timeout=10.0)
        assert result.reason == "converged", result
        X = PANDA.fk(result.q)
        assert np.linalg.norm(X[:3, 3] - T[:3, 3]) < 1.001e-6
        assert np.linalg.norm(X[:3, :3] @ a - T[:3, :3] @ a) < 1.001e-6


def test_a_lost_direction_is_told_when_pointing_too():
    robot = load("planar_2r")
    for bend, reason in ((0.0, "singular"), (0.5, "converged")):
        q = np.array([0.3, bend])
        assert robot.ik(robot.fk(q), seed=q, axis="y").reason == reason


def test_what_a_search_took_is_told():
    q = inside(PANDA, np.random.default_rng(1), 100)
    found = [PANDA.ik(T, seed=SEED, timeout=10.0) for T in PANDA.fk(q)]
    assert any(result.restarts for result in found) and not all(result.restarts for result in found)
    assert all(result.iterations > result.restarts and 0.0 < result.time < 10.0 for result in found)
    assert PANDA.ik(PANDA.fk(SEED), seed=SEED).iterations == 0
    few = [PANDA.ik(T, seed=SEED, max_restarts=0, timeout=10.0) for T in PANDA.fk(q)]
    assert [a.restarts for a, b in zip(few, found, strict=True) if not b.restarts] == [0] * sum(
        not b.restarts for b in found)


def test_several_tips_are_one_problem():
    robot = load(next(path for path in example_robots() if path.stem == "talos_reduced"), allow_massless=True)
    hands = ("gripper_left_base_link", "gripper_right_base_link")
    for q in inside(robot, np.random.default_rng(4), 10):
        targets = {name: robot.fk(q, name) for name in hands}
        result = robot.ik(targets, timeout=10.0)
        assert result.success, result
        assert within(robot, result.q)
        for name, T in targets.items():
            assert max(misses(robot, result, T, name)) < 1.001e-6


def test_payloads_and_other_limits_need_no_new_machine_code():
    laden, free = PANDA.with_payload(2.0), Load(PANDA, {}, "tip").unlimited
    bare = [robot._ik.geometry(("tip",)).kinematics.model.key for robot in (PANDA, laden, free)]
    assert len({robot.model.key for robot in (PANDA, laden, free)}) == 3
    assert len(set(bare)) == 1
    laden.ik_prepare()
    assert laden.ik(PANDA.fk(SEED), timeout=10.0).success


def test_machine_code_is_made_beforehand_in_the_background():
    robot, made = load("ur5_like"), Event()
    robot.ik_prepare(wait=False)
    background.submit(made.set)                             # after what was submitted before
    assert made.wait(30.0)
    assert robot._ik.geometry((robot.tips[0],)).kinematics._code["single"] is not None
    with pytest.raises(RdynError, match="no frame 'moon'"):
        robot.ik_prepare("moon", wait=False)


def test_threads_do_not_disturb_each_other():
    T, options = PANDA.fk(SEED), [{}, {"position_only": True}, {"axis": "z"}]
    alone = [PANDA.ik(T, timeout=10.0, **given).q for given in options]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda k: (PANDA.ik(T, timeout=10.0, **options[k % 3]).q == alone[k % 3]).all(),
                                range(600)))
    assert all(answers)


def test_a_floating_base_is_held_where_the_seed_has_it():
    path = next(path for path in example_robots() if path.stem == "xarm7")
    robot = load(path, floating_base=True, allow_massless=True)
    q = np.concatenate([[1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8], np.full(7, 0.4)])
    result = robot.ik(robot.fk(q), seed=np.concatenate([q[:7], np.full(7, 0.5)]))
    assert result.success
    assert (result.q[:7] == q[:7]).all()
    assert max(misses(robot, result, robot.fk(q))) < 1.001e-6
    motion = robot.ik_velocity(q, [0.1, 0.0, 0.0, 0.0, 0.0, 0.1], towards=np.ones(13))
    assert (motion.qd[:6] == 0.0).all()
    np.testing.assert_allclose(motion.achieved, [0.1, 0.0, 0.0, 0.0, 0.0, 0.1], atol=1e-9)
    for wrong in (0.0, 2.0):
        seed = np.concatenate([q[:3], wrong * q[3:7], q[7:]])
        with pytest.raises(RdynError, match=f"quaternion seed.* has length {wrong:g}; it must be 1"):
            robot.ik(robot.fk(q), seed=seed)
        assert robot.ik_batch(robot.fk(q)[None], seeds=seed).reasons.tolist() == ["bad_input"]


SAME = """
from support.ik_arms import answers
print(*answers())
"""


def test_the_same_request_gets_the_same_answer_in_two_processes(source, tmp_path):
    nothing_stored = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    other = subprocess.run([sys.executable, "-c", SAME], capture_output=True, text=True, check=True,
                           cwd=source / "test", env=nothing_stored).stdout.split()
    assert other == answers()


def test_a_solver_that_others_may_use_is_not_made_anew():
    with pytest.raises(RuntimeError, match="made once"):
        real("panda")._ik.request(None, {}).solver.__init__()


WRONG = {"nq": 1000, "unknown": (0, 1, 2, 3, 4, 99), "turns": (True,), "weight": np.ones(5), "tolerance": (1e-6,),
         "patience": [1, 2], "labels": (None,) * 65, "signs": np.ones(9), "lower": np.ones(3), "posture": np.ones(2),
         "results": (), "rest": None, "most_restarts": "many", "kinematics": None}


def test_a_solver_refuses_arguments_that_do_not_fit(monkeypatch):
    asked, make = [], problem.Solver
    monkeypatch.setattr(problem, "Solver", lambda **arguments: asked.append(arguments) or make(**arguments))
    load("kawasaki_fs20n").ik_prepare()
    arguments = asked[0] | {"known": None}
    assert make(**arguments).known.shape[0] > 0
    for name, value in WRONG.items():
        with pytest.raises((TypeError, ValueError)):
            make(**(arguments | {name: value}))
    for name in arguments.keys() - {"pull"}:                # without a posture nothing is pulled
        with pytest.raises(TypeError, match=f"{name} is missing"):
            make(**{other: value for other, value in arguments.items() if other != name})


def test_weights_of_one_request_make_no_other_pose_regular():
    robot, q = load("kawasaki_fs20n"), np.array([0.3, 0.2, -0.4, 0.5, 0.0, 0.6])
    geometry = robot._ik.geometry((robot.tips[0],))
    geometry.solver(IkOptions(weights=(1.0, 1.0, 1.0, 1e-7, 1e-7, 1e-7)))       # as after 64 others were forgotten
    assert robot.ik(robot.fk(q), seed=q, method="numeric", timeout=10.0).reason == "singular"


def test_what_a_task_never_has_is_not_lost():
    robot = robot_of(*[("0.3 0 0", "0 0 1")] * 4)           # planar: of six directions it has three, and four joints
    for q in np.random.default_rng(4).uniform(-2.0, 2.0, (20, 4)):
        assert robot.ik(robot.fk(q), timeout=10.0).reason == "converged"
    assert robot.ik(robot.fk(np.zeros(4)), seed=np.zeros(4)).reason == "singular"


def test_a_pose_is_singular_whatever_was_asked_before():
    arm = robot_of(("0 0 0", "0 0 1"), ("0.5 0 0", "0 0 1"), ("0.4 0 0", "0 0 1"))
    held = [dataclasses.replace(body, joint=dataclasses.replace(body.joint, lower=0.0, upper=0.0))
            for body in arm.model.bodies[2:]]
    q, reasons = np.array([0.4, 0.0, 0.0]), set()
    for refused in (False, True):
        robot = type(arm)(arm.model.replace(bodies=(*arm.model.bodies[:2], *held)))
        T = robot.fk(q)
        if refused:
            far = T.copy()
            far[:3, 3] = 0.1, 0.2, 0.05
            assert not robot.ik(far, position_only=True, timeout=10.0)
        reasons.add(robot.ik(T, position_only=True).reason)
    assert reasons == {"singular"}
