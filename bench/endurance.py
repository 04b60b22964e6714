"""Dynamics and control beside a driver at 1 kHz for minutes: states answered, memory flat, latency told."""
import subprocess
import sys
import tempfile
import time
from array import array
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sensor_msgs.msg import JointState

from rdyn_ros.bringup.description import describe
from rdyn_ros.bringup.fleet import Fleet

from .driver import RATE, STAMP
from .faults.system import System
from .faults.watch import TORQUES, Watch
from .memory import memory
from .outcomes import Outcome

ROBOT = "arm_7r"
HELD = 0.995  # part of RATE that the driver must reach, or nothing was tried
LOST = 1e-3  # part of the states that may stay unanswered while the machine runs
STOOD = 5_000_000  # [ns] without a state of the driver, which only sleeps and speaks: the machine stood still
WAKE = 100_000_000  # [ns] about such a pause in which queues may overflow
GROWTH = 0.1  # [MB] a minute, after the first
ANSWERS = {"dynamics": TORQUES, "control": "control/effort"}  # topics that bear the stamp of the state answered
WARM, START, REST = 60.0, 60.0, 1.0  # [s] before it counts, until all talk, for the last answers


@dataclass(frozen=True)
class Run:
    """What was said and heard in `span` = (begin, end) [ns], of which the machine ran for `seconds`."""

    span: tuple
    seconds: float        # steady time, which stands while the machine is suspended
    sent: np.ndarray      # (n,) stamps [ns]
    answers: dict         # {node: (m, 2) stamp of the state, time at which the answer was heard [ns]}
    grown: dict           # {node: [MB]}

    def outcomes(self):
        """Outcomes of the driver, of each node and of its memory."""
        (begin, end), seconds = self.span, self.seconds
        sent = self.sent[(self.sent >= begin) & (self.sent < end)]
        pauses = np.diff([begin, *sent, end])
        yield Outcome("the driver held 1 kHz", len(sent), f"{len(sent)} states in {seconds:.1f} s; the machine stood "
                      f"still {np.count_nonzero(pauses > STOOD)} times, at most {1e-6 * pauses.max():.1f} ms",
                      f"{100 * HELD:g} % of {RATE * seconds:.0f}", len(sent) >= HELD * RATE * seconds)
        for name, answers in self.answers.items():
            yield _answered(name, sent, answers, seconds)
        yield from memories(self.grown, "meanwhile", seconds)


def _answered(name, sent, answers, seconds):
    """Outcome of a node: which of the stamps sent came back, and how long that took."""
    stamps, first = np.unique(answers[:, 0], return_index=True)
    back = np.isin(stamps, sent)
    lost = sent[~np.isin(sent, stamps)]
    apart = np.count_nonzero(_when_it_stood(lost, sent))
    took = 1e-6 * (answers[first[back], 1] - stamps[back])
    p50, p99, p999 = np.percentile(took, (50, 99, 99.9)) if len(took) else (np.inf,) * 3
    return Outcome(f"{name} at 1 kHz for {seconds / 60:.1f} minutes", len(sent),
                   f"{len(lost)} states ({100 * len(lost) / max(len(sent), 1):.3f} %) not answered, {apart} of them "
                   f"when the machine stood still; from state to torque, heard by another process, p50 {p50:.2f} ms, "
                   f"p99 {p99:.2f} ms, p99.9 {p999:.2f} ms",
                   f"{100 * LOST:g} % while it runs", bool(len(lost) - apart <= LOST * len(sent)))


def _when_it_stood(lost, sent):
    """Which of the stamps [ns] lie about a pause of the driver (m,) bool."""
    stood = np.flatnonzero(np.diff(sent) > STOOD)
    begins, ends = np.append(sent[stood], np.iinfo(np.int64).max), sent[stood + 1]
    return begins[np.searchsorted(ends, lost - WAKE)] <= lost + WAKE


def memories(grown, when, seconds):
    """Outcomes of growth [MB] by node in so many seconds."""
    for name, growth in grown.items():
        limit = GROWTH * seconds / 60.0
        yield Outcome(f"memory of {name} {when}", 1, f"{growth:+.2f} MB in {seconds / 60:.1f} minutes",
                      f"{limit:.2f} MB", growth < limit)


def endurance_trials(seconds):
    """Outcomes of a run of dynamics and control, torque on, of so many seconds at 1 kHz after WARM."""
    answers = {name: array("q") for name in ANSWERS}
    with Fleet(describe("control", robot=ROBOT), output=subprocess.DEVNULL) as fleet, _driver() as (stop, stamps):
        watch = Watch(topics=(), executor="events")
        try:
            for name, topic in ANSWERS.items():
                watch.node.create_subscription(JointState, topic, _keep(answers[name]), 5000, raw=True)
            watch.enable(START)
            time.sleep(min(WARM, seconds))
            pids = {name: process.pid for name, process in fleet.running.items()}
            before, begin, steady = _used(pids), time.time_ns(), time.monotonic()
            time.sleep(seconds)
            ran, end = time.monotonic() - steady, time.time_ns()
            grown = {name: used - before[name] for name, used in _used(pids).items()}
            time.sleep(REST)
            stop()
        finally:
            watch.close()
        heard = {name: np.array(kept, dtype=np.int64).reshape(-1, 2) for name, kept in answers.items()}
        yield from Run((begin, end), ran, stamps(), heard, grown).outcomes()


def simulation_trials(seconds):
    """Outcomes of a run of all nodes, the arm swinging: memory of simulator and viewer after WARM."""
    with System(viewer="true") as system:
        system.ready()
        system.swing()
        time.sleep(min(WARM, seconds))
        pids = {name: system.pids()[name] for name in ("simulator", "viewer")}
        before = _used(pids)
        time.sleep(seconds)
        grown = {name: used - before[name] for name, used in _used(pids).items()}
    yield from memories(grown, "beside a swinging arm", seconds)


def _keep(kept):
    """Callback that keeps stamp and time [ns] of each message."""
    def keep(data):
        seconds, nanoseconds = STAMP.unpack_from(data, 4)
        kept.extend((seconds * 10**9 + nanoseconds, time.time_ns()))
    return keep


@contextmanager
def _driver():
    """(stop, stamps): a driver that runs until stop(), and what it said until then."""
    with tempfile.TemporaryDirectory(prefix="rdyn_driver_") as folder:
        file = Path(folder) / "stamps"
        process = subprocess.Popen([sys.executable, "-m", "bench.driver", ROBOT, file])

        def stop():
            process.terminate()
            process.wait(30.0)

        try:
            yield stop, lambda: np.fromfile(file, dtype=np.int64)
        finally:
            stop()


def _used(pids):
    return {name: memory("RssAnon", pid) for name, pid in pids.items()}
