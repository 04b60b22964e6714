"""Time budgets of inverse kinematics: by how much requests overrun them, in CPU time, so that others do not count."""
from functools import partial
from time import sleep, thread_time

import numpy as np

import rdyn_ros as rdyn

from .robots import FILES, ours
from .row import Row

TITLE = "Time budgets of inverse kinematics"
BUDGETS = (1e-4, 1e-3, 1e-2)    # [s]
SHORT = (1e-4, 2e-4, 3e-4, 1e-3)  # [s] of first requests
PAUSE = 1e-2                    # [s] between requests, as in a loop of 100 Hz: the processor has slept
MOST = 100                      # [µs] that a budget may be overrun by
REPETITIONS = 15
TIPS = ("gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link", "head_2_link")
SEARCHES = {        # what takes the time: (robot, tips or None: its first, all solutions, options)
    "starts": ("Panda", None, False, {}),
    "starts along an axis": ("Panda", None, False, {"axis": "z"}),
    "all solutions": ("Panda", None, True, {}),
    "arm angles": ("arm_7r", None, False, {}),
    "arm angles of one branch": ("arm_7r", None, False, {"indices": {"ke": 1}}),
    "a branch outside its limits": ("arm_6r", None, False, {"indices": {"ks": 1, "ke": 1, "kw": 1}}),
    "a family": ("arm_7r", None, True, {}),
    "an orientation out of reach": ("anthropomorphic", None, False, {}),
    "two tips of a tree": ("Talos", TIPS[:2], False, {}),
    "five tips of a tree": ("Talos", TIPS, False, {}),
}
FIRST = {           # options that nobody asked for before, of one frame: (robot, tips, options)
    "position": ("Panda", None, {"position_only": True}),
    "axis": ("Panda", None, {"axis": np.array([0.0, 0.6, 0.8])}),
    "weights": ("Panda", None, {"weights": [1.0, 1.0, 1.0, 0.1, 0.1, 0.0]}),
    "posture": ("Panda", None, {"posture": "centre"}),
    "posture by numbers": ("arm_7r", None, {"posture": np.full(7, 0.1)}),
    "tolerance": ("Panda", None, {"tolerance": 1e-5}),
    "branch": ("ur5_like", None, {"indices": {"ks": 1}}),
    "branch of seven axes": ("arm_7r", None, {"indices": {"ke": 1}}),
    "arm angle": ("arm_7r", None, {"arm_angle": 0.3}),
}
FIRST_OF_FIVE = {   # the same of five frames, for which there is more to be read
    "posture of five tips": ("Talos", TIPS, {"posture": "centre"}),
    "tolerance of five tips": ("Talos", TIPS, {"tolerance": (1e-5, 1e-4)}),
    "weights of five tips": ("Talos", TIPS, {"weights": dict.fromkeys(TIPS, (1.0, 1.0, 1.0, 0.1, 0.1, 0.1))}),
}


def robot_of(name):
    """A new robot, shipped or real, with no solver yet."""
    return ours.__wrapped__(name) if name in FILES else rdyn.load(name)


def asked(tips, T):
    """One target for all tips, or for the first."""
    return dict.fromkeys(tips, T) if tips else T


def far():
    """A pose that no robot here reaches."""
    T = np.eye(4)
    T[:3, 3] = 9.0
    return T


def inside_the_base():
    """A pose that is hardly possible: inside the robot's own base."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.05, 0.0, 0.1
    return T


def first_overruns(case, budget, count=REPETITIONS, every=False):
    """[s] of the first request with some options, each of a new robot after ik_prepare: out of reach, then not."""
    name, tips, options = (FIRST | FIRST_OF_FIVE)[case]
    late = []
    for k in range(2 * count):
        robot, pose = robot_of(name), inside_the_base() if k % 2 else far()
        robot.ik_prepare(tips)
        solve, target = robot.ik_all if every else robot.ik, asked(tips, pose)
        start = thread_time()
        result = solve(target, timeout=budget, **options)
        late.append(thread_time() - start - budget)
        assert k % 2 or case == "weights" or result.reason == "out_of_reach", result
    return late


def overruns(case, budget, count=REPETITIONS, pause=0.0):
    """[s] of requests that search for a pose that is hardly possible as long as they may, after a pause [s] each."""
    name, tips, every, options = SEARCHES[case]
    robot, target, late = robot_of(name), asked(tips, inside_the_base()), []
    robot.ik_prepare(tips)
    solve = robot.ik_all if every else robot.ik
    for _ in range(count):
        if pause:
            sleep(pause)
        start = thread_time()
        result = solve(target, timeout=budget, max_restarts=10**9, **options)
        late.append(thread_time() - start - budget)
        assert not result.success, result
    return late


def rows():
    """The worst median of all kinds, per budget; of first requests out of reach and not, the later."""
    after = f"searches after a pause of {1e3 * PAUSE:g} ms"
    for what, measure, cases, budgets in (("searches", overruns, SEARCHES, BUDGETS),
                                          (after, partial(overruns, pause=PAUSE), SEARCHES, BUDGETS),
                                          ("first requests", first_overruns, FIRST, SHORT),
                                          ("first requests for five tips", first_overruns, FIRST_OF_FIVE, SHORT)):
        for budget in budgets:
            late = {case: np.array(measure(case, budget)) for case in cases}
            medians = {case: 1e6 * max(np.median(each[::2]), np.median(each[1::2])) for case, each in late.items()}
            worst = max(medians, key=medians.get)
            yield Row(f"{1e3 * budget:g} ms overrun by {what}, median, worst of {len(cases)} kinds ({worst})",
                      medians[worst], target=MOST)
