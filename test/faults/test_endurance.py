"""A slow driver, lost states and growing memory are planted in the record of a long run: each row tells its own."""
import numpy as np
import pytest

from bench.driver import CATCH_UP, RATE, drive
from bench.endurance import Run

SPAN = 0, 5 * 10**9     # [ns]
SENT = np.arange(0, SPAN[1], 10**6)


def answers(sent, delay=400_000):
    """A record in which each of the states is answered after so many ns, the last one twice."""
    return np.column_stack((sent, sent + delay))[[*range(len(sent)), -1]]


def run(sent=SENT, lost=0, growth=0.001, suspended=0.0):
    """Rows of a run by what they are about."""
    heard = {"dynamics": answers(sent), "control": answers(sent[lost:])}
    rows = Run(SPAN, 1e-9 * SPAN[1] - suspended, sent, heard, {"control": growth}).outcomes()
    return dict(zip(("driver", "dynamics", "control", "memory"), rows, strict=True))


@pytest.mark.parametrize("planted, red", [
    ({}, set()),
    ({"sent": SENT[::2]}, {"driver"}),
    ({"sent": np.delete(SENT, slice(1000, 1030))}, {"driver"}),
    ({"sent": np.delete(SENT, slice(1000, 2000)), "suspended": 1.0}, set()),
    ({"sent": np.delete(SENT, slice(1000, 2030)), "suspended": 1.0}, {"driver"}),
    ({"sent": np.delete(SENT, slice(50, 60)), "lost": 50}, set()),
    ({"sent": np.delete(SENT, slice(500, 510)), "lost": 50}, {"control"}),
    ({"lost": 5}, set()),
    ({"lost": 6}, {"control"}),
    ({"lost": len(SENT) - 1}, {"control"}),
    ({"growth": 0.1}, {"memory"}),
], ids=["calm", "500 Hz", "a pause", "suspended", "a pause and suspended",
        "lost about a pause", "lost before a pause", "few lost", "too many lost", "dumb",
        "a leak"])
def test_what_is_planted_is_found(planted, red):
    rows = run(**planted)
    assert {name for name, row in rows.items() if row.failed} == red, rows


def test_latencies_are_told():
    assert "p50 0.40 ms, p99 0.40 ms, p99.9 0.40 ms" in run()["control"].happened


@pytest.mark.parametrize("pause, left_out", [(0.5 * CATCH_UP, 0), (10 * CATCH_UP, 9 * CATCH_UP * RATE)])
def test_a_driver_makes_up_for_a_short_pause_only(monkeypatch, pause, left_out):
    clock = Clock(pause)
    monkeypatch.setattr("bench.driver.time", clock)
    drive(clock.say, lambda: clock.now >= 1.0)
    assert -1 <= RATE - clock.said - left_out <= (CATCH_UP * RATE if left_out else 1)


class Clock:
    """Time that passes only by sleeping and by one pause, when the 100th state is said."""

    def __init__(self, pause):
        self.now, self.said, self._pause = 0.0, 0, pause

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += max(seconds, 1e-9)

    def say(self):
        self.said += 1
        self.now += self._pause if self.said == 100 else 0.0
