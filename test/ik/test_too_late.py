"""Requests with new options whose time is up before there is a solver for them: told at once, and soon answered."""
import os
from time import perf_counter, sleep

import numpy as np
import pytest

from bench.budgets import TIPS, asked, far, robot_of
from rdyn_ros import RdynError, load
from rdyn_ros.kernels import background
from support.compiler import wait_until_idle
from support.ik_arms import real

SCARCE = 1e-6       # [s]
OPTIONS = [{"position_only": True}, {"axis": "z"}, {"tolerance": 1e-5}, {"posture": np.full(8, 0.1)},
           {"weights": [1.0, 1.0, 1.0, 0.1, 0.1, 0.0]}]


@pytest.fixture
def panda():
    robot = real("panda")
    robot.ik_prepare()
    return robot


@pytest.mark.parametrize("options", OPTIONS)
def test_it_says_that_the_solver_is_being_made_and_soon_it_answers_whatever_time_is_given(panda, options):
    T, end, k = panda.fk(panda.ik_seed() + 0.05), perf_counter() + 60.0, 0
    first = panda.ik(T, timeout=SCARCE, **options)
    assert (first.success, first.reason) == (False, "timeout")
    assert "the first request with these options" in first.message
    assert first.residual == (np.inf, np.inf)               # nothing was computed
    while "the first request" in panda.ik(T, timeout=SCARCE * (1.0 + 1e-6 * k), **options).message:     # never the same
        k += 1
        assert perf_counter() < end
    assert panda.ik(T, timeout=60.0, **options).success


@pytest.mark.parametrize(("options", "method"), [({"indices": {"ke": 1}}, "closed_form"), ({"axis": "z"}, "numeric")])
def test_it_names_the_method_that_would_have_answered(options, method):
    robot = robot_of("arm_7r")
    robot.ik_prepare()
    result = robot.ik(robot.fk(robot.ik_seed() + 0.05), timeout=SCARCE, **options)
    assert (result.reason, result.method) == ("timeout", method)
    assert "the first request with these options" in result.message


def test_its_answer_is_the_seed_inside_the_limits(panda):
    T, seed = panda.fk(panda.ik_seed() + 0.05), panda.ik_seed() + 0.01
    assert (panda.ik(T, seed=seed, timeout=SCARCE, tolerance=1e-5).q == seed).all()


def test_a_child_forked_meanwhile_gets_the_solver_too(panda):
    T, end = panda.fk(panda.ik_seed() + 0.05), perf_counter() + 60.0
    with background._working:                               # so the solver is not made before the fork
        assert "the first request" in panda.ik(T, timeout=SCARCE, tolerance=1e-5).message
        child = os.fork()
        if not child:
            background._working.release()
            while "the first request" in panda.ik(T, timeout=SCARCE, tolerance=1e-5).message and perf_counter() < end:
                sleep(0.01)
            os._exit(perf_counter() > end)
    assert os.waitpid(child, 0)[1] == 0


def test_a_request_without_time_needs_no_solver_but_the_usual_one():
    robot = real("panda")
    robot.ik(far(), position_only=True)                     # who names no time waits
    geometry = robot._ik.geometry(("tip",))
    assert geometry.usual is not None
    made = len(geometry._solvers)
    with background._working:
        assert robot.ik(far(), timeout=SCARCE, tolerance=1e-5).reason == "out_of_reach"
        assert len(geometry._solvers) == made


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("wait", [True, False])
def test_options_that_were_prepared_have_their_solver(options, wait):
    robot = real("panda")
    robot.ik_prepare(wait=wait, **options)
    wait_until_idle()
    T = robot.fk(robot.ik_seed() + 0.05)
    assert "the first request" not in robot.ik(T, timeout=SCARCE, **options).message


@pytest.mark.parametrize("wait", [True, False])
def test_bad_options_are_refused_before_anything_is_prepared(wait):
    with pytest.raises(RdynError, match="no option tolarance"):
        real("panda").ik_prepare(wait=wait, tolarance=1.0)


@pytest.mark.parametrize("options", [{"position_only": True}, {"axis": "z"}, {"tolerance": 1e-5}])
@pytest.mark.parametrize("every", [False, True])
def test_targets_that_the_robot_cannot_be_long_enough_for_are_told_as_such(panda, options, every):
    result = (panda.ik_all if every else panda.ik)(far(), timeout=SCARCE, **options)
    assert result.reason == "out_of_reach"
    assert "at least" in result.message
    assert 0.0 < result.distance < panda.ik(far(), timeout=60.0, **options).distance + 1e-6


@pytest.mark.parametrize("options", [{"tolerance": (20.0, 1e-6)}, {"weights": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]}])
def test_targets_that_may_be_missed_by_their_distance_are_not(panda, options):
    assert panda.ik(far(), timeout=SCARCE, **options).reason == "timeout"


@pytest.mark.parametrize("options", OPTIONS)
def test_bad_targets_and_options_are_refused_at_once(panda, options):
    with pytest.raises(RdynError, match="no rigid pose"):
        panda.ik(2.0 * np.eye(4), timeout=SCARCE, **options)
    with pytest.raises(RdynError, match="no option tolarance"):
        panda.ik(np.eye(4), timeout=SCARCE, tolarance=1.0, **options)


def test_of_several_frames_the_one_that_is_furthest_out_is_named():
    robot = robot_of("Talos")
    robot.ik_prepare(TIPS)
    targets = asked(TIPS, far())
    targets[TIPS[3]] = far()
    targets[TIPS[3]][0, 3] = 20.0
    result = robot.ik(targets, timeout=SCARCE, tolerance=1e-5)
    assert (result.reason, result.message.split(":")[0]) == ("out_of_reach", TIPS[3])


def test_the_bound_goes_with_the_base_of_a_floating_robot():
    robot = load("quadruped", floating_base=True)
    robot.ik_prepare()
    seed = robot.integrate(robot.ik_seed(), np.r_[50.0, 0.0, 0.0, 0.0, 0.0, 1.0, np.zeros(robot.nv - 6)])
    T = robot.fk(robot.integrate(seed, np.r_[np.zeros(6), np.full(robot.nv - 6, 0.05)]))
    assert robot.ik(T, seed=seed, timeout=SCARCE, tolerance=1e-5).reason == "timeout"
    assert robot.ik(T, timeout=SCARCE, tolerance=1e-4).reason == "out_of_reach"        # from where the base is at rest
    assert robot.ik(T, seed=seed, timeout=10.0, tolerance=1e-5).success
    T[:3, 3] += 0.0, 0.0, 10.0
    assert 9.0 < robot.ik(T, seed=seed, timeout=SCARCE, tolerance=1e-3).distance < 10.0
