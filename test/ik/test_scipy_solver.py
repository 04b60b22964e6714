"""Where C has no room or was not built SciPy solves: the same targets, reasons and times in milliseconds."""
import subprocess
import sys
from time import perf_counter

import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.ik import failure, problem
from rdyn_ros.ik.options import DEFAULT
from rdyn_ros.ik.scipy_solver import Solver as ScipySolver
from support.ik_arms import inside, misses, real, robot_of, within

PANDA = real("panda")
SEED = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.5, 0.02])


@pytest.mark.parametrize("options", [{}, {"position_only": True}, {"axis": "z"}, {"posture": "centre"}])
def test_without_the_c_extension_scipy_reaches_the_same_targets(options, monkeypatch):
    targets = [PANDA.fk(q) for q in inside(PANDA, np.random.default_rng(6), 2)]
    fast = [PANDA.ik(T, seed=SEED, timeout=10.0, **options) for T in targets]
    monkeypatch.setattr(problem, "Solver", None)
    slow_robot = type(PANDA)(PANDA.model)
    request = slow_robot._ik.request(None, options)
    assert type(request.solver) is ScipySolver
    assert request.geometry.kinematics._code["single"] is not None      # from the first answer on: all are the same
    for T, one in zip(targets, fast, strict=True):
        other = slow_robot.ik(T, seed=SEED, timeout=20.0, **options)
        assert one.success
        assert other.reason == one.reason, other
        assert within(PANDA, other.q)
        assert max(misses(PANDA, other, T)[: 1 if options.get("position_only") or "axis" in options else 2]) < 1.001e-6
        if "axis" in options:
            assert abs(PANDA.fk(other.q)[:3, 2] - T[:3, 2]).max() < 1.001e-6
        if "posture" in options:
            middle = (PANDA.limits.upper + PANDA.limits.lower) / 2
            start = slow_robot.ik(T, seed=SEED, timeout=20.0)
            assert np.linalg.norm((other.q - middle)[:7]) < np.linalg.norm((start.q - middle)[:7])


def test_scipy_solves_for_several_frames_too_and_where_c_has_no_room_for_as_many(monkeypatch):
    fs20n, q = load("kawasaki_fs20n"), np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8])
    many = {name: fs20n.fk(q, name) for name in ("base", *(f"link_{k}" for k in range(7)), "tool")}
    assert len(many) == 9 and fs20n.ik(many, seed=q + 0.1, timeout=20.0).success
    two = {name: many[name] for name in ("link_3", "tool")}
    monkeypatch.setattr(problem, "Solver", None)
    alone, planar = type(fs20n)(fs20n.model), load("planar_2r")
    for found in (alone.ik(two, seed=q + 0.1, timeout=20.0), alone.ik_all(two, seed=q + 0.1, timeout=20.0)):
        assert found.success
        assert max(abs(fs20n.fk(found.q, name) - T).max() for name, T in two.items()) < 1e-5
    two["tool"] = np.eye(4) + 9.0 * np.eye(4, k=3)
    assert alone.ik(two, seed=q, timeout=20.0).reason == "out_of_reach"
    assert planar.ik(tuple(map(tuple, planar.fk([0.3, 0.4]).tolist())), timeout=20.0).success
    seven = load("arm_7r")
    assert seven.ik_all(tuple(map(tuple, seven.fk(np.full(7, 0.3)).tolist())), timeout=20.0).success


@pytest.mark.alone
def test_a_snake_that_only_scipy_has_room_for_keeps_time_and_tells_its_reach():
    seed = np.random.default_rng(0).uniform(-0.3, 0.3, 70)
    snake = robot_of(*(("0.1 0 0", ("0 0 1", "0 1 0")[k % 2]) for k in range(70)))
    snake.ik_prepare()
    assert type(snake._ik.request(None, {}).solver) is ScipySolver
    used, T = {60.0: [], 0.01: []}, snake.fk(seed)
    for timeout in [*used] * 3:                             # in turns: other programs disturb both
        begin = perf_counter()
        assert snake.ik(T, seed=seed, posture=np.full(70, 2.0), timeout=timeout).success
        used[timeout].append(perf_counter() - begin)
    assert min(used[0.01]) < 0.5 * min(used[60.0])          # 14 of 217 ms where nothing else runs
    far = np.eye(4)
    far[0, 3] = 50.0
    result = snake.ik(far, timeout=0.5)
    assert result.reason == "out_of_reach"
    assert result.distance == pytest.approx(50.0 - 7.0, abs=0.1)


@pytest.mark.parametrize("floating", [False, True])
def test_both_solvers_tell_without_a_search_how_far_outside_targets_are(floating, monkeypatch):
    robot = load("quadruped", floating_base=floating)
    frames, rng = robot.model.tips[:2], np.random.default_rng(3)
    geometry, seed = robot._ik.geometry(frames), robot.integrate(robot.neutral(), rng.uniform(-4.0, 4.0, robot.nv))
    fast = geometry.solver(DEFAULT.at_first)
    monkeypatch.setattr(problem, "Solver", None)
    slow = type(robot)(robot.model)._ik.geometry(frames).solver(DEFAULT.at_first)
    assert type(slow) is ScipySolver
    for place in (0.3, 3.0, 1e3, 1e200):
        T = np.tile(np.eye(4), (2, 1, 1))
        T[:, :3, 3] = place * rng.uniform(-1.0, 1.0, (2, 3))
        (far, q), (also_far, also_q) = (solver.unsearched(T, seed) for solver in (fast, slow))
        assert far == pytest.approx(also_far, rel=1e-13, abs=1e-13)
        assert (q == also_q).all()
        assert failure.violations(geometry, seed) and not failure.violations(geometry, q)
        assert any(far) == (place > 1.0 or floating)        # whose base is far away


def test_scipy_tells_the_reasons_too(monkeypatch):
    monkeypatch.setattr(problem, "Solver", None)
    robot, T = load("planar_2r"), np.eye(4)
    T[0, 3] = 3.0
    far = robot.ik(T, position_only=True, timeout=20.0)
    assert (far.reason, far.distance) == ("out_of_reach", pytest.approx(1.2, abs=1e-4))
    assert robot.ik(robot.fk([0.3, 0.4]), timeout=1e-9, method="numeric").reason == "timeout"
    batch = robot.ik_batch(robot.fk(np.array([[0.3, 0.4], [0.1, -1.0]])), method="numeric", timeout=20.0)
    assert batch.success.all()


@pytest.mark.parametrize("name", ["kawasaki_fs20n", "arm_7r"])
def test_closed_forms_in_python_agree_with_c(name, monkeypatch):
    robot, random = load(name), np.random.default_rng(7)
    targets = [robot.fk(q) for q in inside(robot, random, 5)]
    beyond = np.block([[np.eye(3), np.full((3, 1), 9.0)], [np.zeros(3), 1.0]])
    outside = robot.fk(np.full(robot.nq, 3.1))
    seeds = [*inside(robot, random, 6), np.full(robot.nq, 7.0)]
    asked = [*zip([*targets, beyond, outside], seeds, strict=True)]
    few = {"timeout": 60.0, "max_restarts": 5}              # of SciPy, which looks for others than formulas find
    fast = [[solve(T, seed=seed, **few) for solve in (robot.ik, robot.ik_all)] for T, seed in asked]
    monkeypatch.setattr(problem, "Solver", None)
    slow_robot = load(name)
    for (T, seed), both in zip(asked, fast, strict=True):
        for one, other in zip(both, [solve(T, seed=seed, **few) for solve in (slow_robot.ik, slow_robot.ik_all)],
                              strict=True):
            assert (other.reason, other.method, other.singular) == (one.reason, one.method, one.singular)
            np.testing.assert_allclose(other.solutions, one.solutions, atol=1e-9)
            np.testing.assert_allclose(other.arm_angles, one.arm_angles, atol=1e-6)
            np.testing.assert_allclose(other.q, one.q, atol=1e-9)
            np.testing.assert_allclose(other.residual, one.residual, atol=1e-9)
            assert other.indices == one.indices
            assert other.distance == pytest.approx(one.distance, rel=1e-6)
    assert fast[5][0].reason == "out_of_reach"


def test_scipy_is_not_imported_where_the_c_extension_does_the_work(source):
    code = ("import sys, rdyn_ros; robot = rdyn_ros.load('ur5_like'); "
            "robot.ik(robot.fk([0.1] * 6), method='numeric', timeout=10.0); print('scipy.optimize' in sys.modules)")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=source).stdout
    assert said.strip() == "False"
