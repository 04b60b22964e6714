"""A time budget is kept to 0.1 ms, whatever takes the time; what can be known beforehand is learnt once."""
import subprocess
import sys
from itertools import product
from time import perf_counter, thread_time

import numpy as np
import pytest

from bench.budgets import (
    FIRST,
    FIRST_OF_FIVE,
    PAUSE,
    SEARCHES,
    TIPS,
    asked,
    far,
    first_overruns,
    inside_the_base,
    overruns,
    robot_of,
)
from rdyn_ros import RdynError, load
from rdyn_ros.ik import constants
from rdyn_ros.ik.options import IkOptions
from rdyn_ros.ik.problem import NO_LIMITS
from support.ik_arms import inside, real, six
from support.pinocchio_judge import example_robots

pytestmark = pytest.mark.alone


def timed(ask, budget, count, reasons):
    """By how much [s] requests that end for one of the reasons overrun a budget: in CPU time, and by the clock."""
    late, wall = [], []
    for _ in range(count):
        start, begin = thread_time(), perf_counter()
        result = ask()
        late.append(thread_time() - start - budget)
        wall.append(perf_counter() - begin - budget)
        assert result.reason in reasons
    return late, wall


def test_time_that_is_too_short_is_told():
    robot = real("panda")
    q = inside(robot, np.random.default_rng(5), 1)[0]
    result = robot.ik(robot.fk(q), timeout=1e-9)
    assert (result.success, result.reason) == (False, "timeout")
    assert np.isfinite(result.q).all()


@pytest.mark.parametrize("case", SEARCHES)
def test_the_time_budget_is_honoured(case):
    name, tips, every, options = SEARCHES[case]
    robot, budget, target = robot_of(name), 1e-4 if name == "anthropomorphic" else 1e-3, asked(tips, inside_the_base())
    robot.ik_prepare(tips)
    solve = robot.ik_all if every else robot.ik
    late, wall = timed(lambda: solve(target, timeout=budget, max_restarts=10**9, **options), budget, 30, (
        "timeout",) if name in ("Panda", "Talos") else ("timeout", "limits", "out_of_reach"))
    assert np.median(late) < 1e-4
    assert min(wall) < 1e-4                                 # others may be disturbed by other programs
    assert name not in ("Panda", "Talos") or np.median(wall) > -2e-4        # and used


@pytest.mark.parametrize("case", SEARCHES)
@pytest.mark.parametrize("budget", [1e-4, 1e-3])
def test_the_time_budget_is_honoured_after_a_pause_too(case, budget):
    late = overruns(case, budget, 16, PAUSE)
    assert min(late) < 1e-4                                 # others may find it deeper asleep; bench: medians


def test_the_time_budget_is_honoured_when_options_change_from_request_to_request():
    robot, budget, T = robot_of("Panda"), 1e-3, inside_the_base()
    robot.ik_prepare()
    postures = iter(np.full((30, robot.nq), 0.001) * np.arange(30)[:, None])
    late, wall = timed(lambda: robot.ik(T, timeout=budget, max_restarts=10**9, posture=next(postures)), budget, 30,
                       ("timeout",))
    assert np.median(late) < 1e-4
    assert min(wall) < 1e-4


@pytest.mark.parametrize("budget", [1e-4, 1e-3, 5e-3, 0.03])
def test_a_first_request_that_cannot_wait_for_its_machine_code_is_told_in_time(budget):
    used, results = [], []
    for _ in range(20):
        robot = real("panda")                               # new, with no code yet in memory
        T = robot.fk(inside(robot, np.random.default_rng(5), 1)[0])
        start = perf_counter()
        results.append(robot.ik(T, timeout=budget))
        used.append(perf_counter() - start)
    assert {result.reason for result in results} <= {"timeout", "converged"}    # code on disk may be there in time
    assert np.median(used) < budget + 1e-4                  # others may be disturbed by other programs
    with pytest.raises(RdynError, match="no rigid pose"):
        real("panda").ik(2.0 * T, timeout=budget)


def test_a_first_request_without_a_time_waits_and_one_with_too_little_begins_to_make_the_code():
    robot = real("panda")
    T = robot.fk(inside(robot, np.random.default_rng(5), 1)[0])
    assert "machine code is being made or loaded" in robot.ik(T, timeout=1e-6).message
    end = perf_counter() + 60.0
    while robot.ik(T, timeout=0.01).reason == "timeout":
        assert perf_counter() < end
    assert real("panda").ik(T).success
    assert real("panda").ik(T, timeout=60.0).success


@pytest.mark.parametrize("floating", [False, True])
def test_a_first_request_that_cannot_wait_answers_its_seed_or_joints_inside_their_limits(floating):
    path = next(path for path in example_robots() if path.stem == "panda")      # whose joint 4 may not be at 0
    robot = load(path, floating_base=floating, allow_massless=True)
    first, T = 6 if floating else 0, robot.fk(robot.neutral())
    lower, upper = (limit[first:] for limit in robot.limits[:2])
    q = robot.ik(T, timeout=1e-6).q
    assert ((lower <= q[-len(lower):]) & (q[-len(lower):] <= upper)).all() and (upper < 0.0).any()
    assert (q[:-len(lower)] == robot.neutral()[:-len(lower)]).all()
    seed = robot.integrate(robot.neutral(), np.full(robot.nv, 0.1))
    assert (load(path, floating_base=floating, allow_massless=True).ik(T, seed=seed, timeout=1e-6).q == seed).all()


@pytest.mark.parametrize(
    ("name", "budget"), [("kawasaki_fs20n", 3e-4), ("ur5_like", 1e-4), ("arm_7r", 3e-4), ("Panda", 1e-4)])
def test_the_first_refusal_after_ik_prepare_is_in_time_too(name, budget):
    used = []
    for _ in range(20):
        robot = robot_of(name)
        robot.ik_prepare()
        start = perf_counter()
        assert robot.ik(far(), timeout=budget).reason == "out_of_reach"
        used.append(perf_counter() - start)
    assert min(used) < budget + 1e-4                        # others may be disturbed by other programs


IN_A_NEW_PROCESS = """
from time import thread_time
import numpy as np
from rdyn_ros import load
robot = load({name!r})
T = np.array({T})
robot.ik_prepare()
start = thread_time()
result = robot.{request}
print(result.reason, thread_time() - start - 1e-4)
"""


@pytest.mark.parametrize("name", ["arm_7r", "ur5_like"])
@pytest.mark.parametrize(("request_", "reasons"), [("ik_all(T, timeout=1e-4)", {"converged"}), (
    "ik(T, timeout=1e-4, tolerance=1e-5)", {"converged", "timeout"})])      # without time for a solver it is told so
def test_the_first_request_of_a_process_is_in_time_too(name, request_, reasons):
    robot = load(name)
    T = robot.fk(robot.ik_seed() + 0.3).tolist()
    command = [sys.executable, "-c", IN_A_NEW_PROCESS.format(name=name, T=T, request=request_)]
    told = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(5)]
    assert {word for word, _ in told} <= reasons
    assert min(float(late) for _, late in told) < 1e-4      # others may find cold caches


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("budget", [1e-4, 1e-3, 3e-3])
def test_several_tips_that_cannot_reach_are_told_in_time(count, budget):
    first, later, targets = [], [], asked(TIPS[:count], far())
    for _ in range(7):
        robot = robot_of("Talos")
        robot.ik_prepare(TIPS[:count])
        for late in (first, later, later):
            start = thread_time()                           # CPU time: other programs do not count
            assert robot.ik(targets, timeout=budget).reason == "out_of_reach"
            late.append(thread_time() - start - budget)
    assert min(first) < 1e-4                                # others may find cold caches
    assert np.median(later) < 1e-4


@pytest.mark.parametrize(("case", "budget"), [*product([*FIRST, *FIRST_OF_FIVE], (1e-4, 2e-4, 3e-4, 1e-3))])
@pytest.mark.parametrize("every", [False, True])
def test_the_first_request_with_other_options_is_in_time_too(case, budget, every):
    late = first_overruns(case, budget, 4, every)
    assert max(min(late[::2]), min(late[1::2])) < 1e-4      # out of reach, and not; others may find cold caches


@pytest.mark.parametrize("options", [{"position_only": True}, {"axis": "z"}, {"posture": "centre"}])
@pytest.mark.parametrize("budget", [1e-4, 3e-4, 1e-3])
def test_the_first_search_with_other_options_is_in_time_too(options, budget):
    late = []
    for _ in range(7):
        robot = robot_of("Panda")
        T = robot.fk(robot.ik_seed())
        robot.ik_prepare()
        start = thread_time()
        result = robot.ik(T, timeout=budget, **options)
        late.append(thread_time() - start - budget)
        assert result.success or budget < 1e-3              # without time for another solver it is told so
    assert min(late) < 1e-4


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("budget", [1e-4, 3e-4])
def test_options_may_change_from_request_to_request(count, budget):
    robot, late, targets = robot_of("Talos"), [], asked(TIPS[:count], far())
    robot.ik_prepare(TIPS[:count])
    for k in range(60):
        start = thread_time()
        robot.ik(targets, timeout=budget, tolerance=1e-6 * (1 + k))
        late.append(thread_time() - start - budget)
    assert np.median(late) < 1e-4


@pytest.mark.parametrize("budget", [1e-3, 4e-3])
def test_postures_of_many_solutions_of_several_tips_keep_the_time(budget):
    robot, late = robot_of("Talos"), []
    robot.ik_prepare(TIPS)
    for q in inside(robot, np.random.default_rng(0), 10):
        targets = {tip: robot.fk(q, tip) for tip in TIPS}
        used = []
        for _ in range(3):
            start = thread_time()
            robot.ik_all(targets, posture="centre", timeout=budget)
            used.append(thread_time() - start - budget)
        late.append(min(used))
    assert np.median(late) < 1e-4


def test_new_options_cost_no_new_known_starts():
    robot, posture = real("panda"), np.full(8, 0.2)
    T, geometry = robot.fk(posture), robot._ik.geometry(("tip",))
    given = [{}, {"posture": posture}, {"weights": [1.0, 0.5, 1.0, 0.2, 0.2, 0.2]}, {"axis": "z"}]
    known = [robot._ik.request(None, options).solver.known for options in given]
    assert known[0].shape == (constants.KNOWN, 7 + 12)
    assert all(starts is known[0] for starts in known)
    assert geometry.solver(IkOptions(), NO_LIMITS).known is not known[0]
    factors = [robot._ik.request(None, options).solver.factors for options in given]
    assert factors[0] is factors[1] is factors[2] is not factors[3]             # weights above 0 count in the end only
    assert geometry.solver(IkOptions(), NO_LIMITS).factors is not factors[0]
    for options in given:                                   # another robot learns them anew, under these options
        answers = [each.ik(T, timeout=10.0, **options) for each in (robot, real("panda"))]
        assert (answers[0].q == answers[1].q).all()


EVERY = {"arm_7r": ({}, {"method": "numeric"}), "ur5_like": ({"position_only": True},),
         "kawasaki_fs20n": ({"position_only": True},)}


@pytest.mark.parametrize(("name", "options"), [(name, each) for name, some in EVERY.items() for each in some])
@pytest.mark.parametrize("budget", [5e-4, 2e-3])
def test_to_rank_many_solutions_keeps_the_time(name, options, budget):
    robot = robot_of(name)
    late = []
    for q in inside(robot, np.random.default_rng(5), 25):
        T = robot.fk(q)
        robot.ik_all(T, timeout=10.0, **options)
        used = []
        for _ in range(5):                                  # CPU time: other programs do not count
            start = thread_time()
            robot.ik_all(T, timeout=budget, **options)
            used.append(thread_time() - start)
        late.append(np.median(used) - budget)
    assert np.median(late) < 1e-4


def test_joints_that_leave_their_limits_are_told_in_time():
    robot, late = robot_of("arm_7r"), []
    robot.ik_prepare()
    for q in 1.1 * inside(robot, np.random.default_rng(6), 400):
        T = robot.fk(q)
        if robot.ik(T, timeout=0.2).reason == "limits":
            used = []
            for _ in range(5):
                start = thread_time()
                robot.ik(T, timeout=5e-3)
                used.append(thread_time() - start)
            late.append(min(used) - 5e-3)
        if len(late) == 10:
            break
    assert len(late) == 10
    assert np.median(late) < 1e-4


@pytest.mark.parametrize("budget", [1.5e-4, 3e-4])
def test_whether_branches_keep_the_arm_angle_given_is_sought_in_time(budget):
    robot, late = robot_of("arm_7r"), []
    robot.ik(inside_the_base(), arm_angle=0.3)
    for _ in range(30):
        start = thread_time()
        result = robot.ik(inside_the_base(), arm_angle=0.3, timeout=budget)
        late.append(thread_time() - start - budget)
        assert result.reason in ("timeout", "limits")       # which is told when all were sought
    assert np.median(late) < 1e-4


def test_no_family_is_sought_where_the_arm_angle_given_leaves_none():
    robot, used = robot_of("arm_7r"), []
    robot.ik_prepare()
    for q in 1.3 * inside(robot, np.random.default_rng(0), 100):
        result = robot.ik(robot.fk(q), arm_angle=0.3, timeout=1.0)
        used += [result.time] * (result.reason == "limits")
    assert len(used) > 20
    assert np.median(used) < 1e-3                           # along a motion that changes the arm angle it takes 4 ms


@pytest.mark.parametrize("budget", [2e-4, 1e-3, 2e-3])
def test_families_outside_the_limits_are_sought_in_time(budget):
    robot, late, found = six("0 0 0.4"), [], 0
    robot.ik_prepare()
    for q in inside(robot, np.random.default_rng(8), 30):
        q[3:] = 1.55, 0.0, 1.55
        T = robot.fk(q)
        robot.ik_all(T, timeout=10.0)
        used = []
        for _ in range(5):
            start = thread_time()
            found += any(robot.ik_all(T, timeout=budget).singular)
            used.append(thread_time() - start)
        late.append(np.median(used) - budget)
    assert np.median(late) < 1e-4
    assert found > 0 or budget < 1e-3
