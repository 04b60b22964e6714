"""Faults are planted in what a watch hears: each makes its row red, and nothing else does."""
from types import SimpleNamespace

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from bench.faults.case import Case, Limits
from bench.faults.watch import COMMANDS, SPEEDS, STATES, TORQUES, Heard, largest_step, whole

PERIOD, WAIT, LASTS, CALM = 0.005, 0.1, 0.8, Limits(slack=0.05, recovery=1.0)
ENDS = 0.55  # [s] after the fault, when a stream has faded
JOINTS = ("a", "b")


class Planted:
    """A clock, and a watch that hears what `tau(s)` and others say s seconds after the fault; None: nothing."""

    def __init__(self, tau, torques=np.ones_like, states=np.ones_like, speed=lambda s: 1.0, drives=True, trips=0):
        self.says = {COMMANDS: tau, TORQUES: torques, STATES: states, SPEEDS: speed}
        self.heard, self.enabled, self.drives, self.trips, self.now = {}, 0, drives, trips, 0.0

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def clear(self):
        self.now = -WAIT

    def wait(self, topic, after, limit=1.0, count=5):
        self.sleep(WAIT)
        sent = np.arange(-2 * WAIT, self.now, PERIOD)
        self.heard = {topic: [Heard(t, np.array(says(t)) * np.ones(2), k) for k, t in enumerate(sent)
                              if says(t) is not None] for topic, says in self.says.items()}
        self.heard[SPEEDS] = [speed._replace(said=speed.said[0]) for speed in self.heard[SPEEDS]]
        if not any(heard.time > after for heard in self.heard[topic]):
            raise TimeoutError(f"{topic} was silent")

    def wait_driven(self, after, limit):
        if not self.drives or self.enabled < self.trips:
            raise TimeoutError("damping" if not self.drives else "idle: joint moves at 1.8")

    def enable(self, limit):
        self.enabled += 1


@pytest.fixture
def judged(monkeypatch):
    """Outcome of a case for a watch and its clock, in a process that waited so long for a core [s]."""

    def judge(case, watch, waits=0.0):
        times = iter((0.0, waits))
        monkeypatch.setattr("bench.faults.case.time", watch)
        return case(SimpleNamespace(watch=watch, swing=lambda: None, waited=lambda: {1: {1: next(times)}}), CALM)

    return judge


def during(s, here, elsewhere):
    """`here` while the fault lasts, `elsewhere` before and after."""
    return here if 0.0 < s < LASTS else elsewhere


RIDDEN = Case("ridden through", lambda s: None, lasts=LASTS, flowing=(COMMANDS, TORQUES))
FADED = Case("faded", lambda s: None, lasts=LASTS, silent=(COMMANDS,), again=True)
FADING = {"tau": lambda s: None if ENDS < s < LASTS else np.clip(ENDS - 2 * PERIOD - s, 0.0, 0.5)}


@pytest.mark.parametrize("case, said, held", [
    (RIDDEN, {"tau": lambda s: 40.0 + np.sin(s)}, True),
    (RIDDEN, {"tau": lambda s: during(s, 0.0, 40.0)}, False),
    (RIDDEN, {"tau": lambda s: during(s, np.nan, 40.0)}, False),
    (RIDDEN, {"tau": lambda s: during(s, None, 40.0)}, False),
    (RIDDEN, {"tau": lambda s: 40.0, "torques": lambda s: during(s, None, 1.0)}, False),
    (RIDDEN, {"tau": lambda s: 40.0, "torques": lambda s: during(s, np.inf, 1.0)}, False),
    (RIDDEN, {"tau": lambda s: 40.0 if s < 0.1 else None}, False),
    (RIDDEN, {"tau": lambda s: 40.0, "drives": False}, False),
    (FADED, FADING, True),
    (FADED, {"tau": lambda s: during(s, None, 40.0), "states": lambda s: 40.0}, False),
    (FADED, {"tau": lambda s: 40.0}, False),
], ids=["calm", "a cut", "nan", "silence", "no torques", "inf", "gone for good", "damped for good", "faded",
        "a stop at 40 N m", "no end"])
def test_what_is_planted_is_found(judged, case, said, held):
    row = judged(case, Planted(**said))
    assert row.held is held, row


def test_an_arm_that_moves_on_without_commands_is_found(judged):
    case = Case("control gone", lambda s: None, lasts=LASTS, stands=True)
    assert judged(case, Planted(lambda s: 1.0, speed=lambda s: float(s < 0.1))).held
    assert not judged(case, Planted(lambda s: 1.0, speed=lambda s: 1.0)).held


def test_waiting_for_a_core_is_no_pause_of_a_node(judged):
    starved = {"tau": lambda s: None if 0.1 < s < 0.4 else 40.0}
    assert not judged(RIDDEN, Planted(**starved)).held
    assert judged(RIDDEN, Planted(**starved), waits=0.3).held


def test_torque_is_enabled_anew_only_where_states_or_cores_were_missing(judged):
    for said, waits, enabled in (({}, 0.0, 0), ({}, 0.7, 1), ({"states": lambda s: during(s, None, 1.0)}, 0.0, 1)):
        watch = Planted(lambda s: 40.0, **said)
        judged(RIDDEN, watch, waits)
        assert watch.enabled == enabled


def test_an_arm_that_got_too_fast_is_driven_anew_only_where_cores_were_missing(judged):
    for waits, trips, held in ((0.0, 1, False), (0.15, 1, True), (0.15, 2, True), (0.15, 3, False), (0.0, 0, True)):
        assert judged(RIDDEN, Planted(lambda s: 40.0, trips=trips), waits).held == held


def test_a_command_that_was_not_heard_makes_no_step_and_a_restart_counts_anew():
    def step(*numbers):
        return largest_step([Heard(0.005 * k, np.array([float(n)]), n) for k, n in enumerate(numbers)], [])
    assert step(1, 2, 5) == step(1, 2, 3) == 1.0
    assert step(7, 8, 1) == 7.0


def test_only_whole_states_of_the_robot_count():
    good = {"name": JOINTS, "position": [0.1, 0.2], "velocity": [0.0, 0.0], "effort": [1.0, 2.0]}
    assert whole(JointState(**good), JOINTS) and whole(JointState(**good))
    for wrong in ({"effort": []}, {"position": [0.1, np.nan]}, {"velocity": [0.0]}, {"name": ["a", "c"]}):
        assert not whole(JointState(**good | wrong), JOINTS)
