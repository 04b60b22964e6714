"""One fault under watch: what is done to a running system, and how it has to bear it."""
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..outcomes import Outcome
from ..waiting import waited_more
from .system import MAX_DELTA_TAU, STATE_TIMEOUT, STOP_TIME
from .watch import COMMANDS, SPEEDS, STATES, TORQUES, largest_step

ROUNDING = 1e-9  # [N m]
STANDING = 0.05  # [rad/s]
BRAKES = 0.5  # [s] after the last command until a simulated arm stands
SLOWED, TOO_FAST = 5.0, "moves at"      # [s] after which an arm that was too fast stands, and how that is told
PATIENCE = {TORQUES: STATE_TIMEOUT, COMMANDS: STATE_TIMEOUT + STOP_TIME}  # [s] until silence


@dataclass(frozen=True)
class Limits:
    """What the table allows: `slack` [s] beside the time that nodes waited for a core, and for recovery."""

    slack: float = 0.1
    recovery: float = 30.0


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was seen, what is allowed, whether it held."""

    seen: str
    limit: str
    held: bool


@dataclass(frozen=True)
class Span:
    """When a fault began to be done, when it was done and when it ended [s]; `slack` [s] of what is timed in it."""

    before: float
    hurt: float
    end: float
    slack: float


@dataclass(frozen=True)
class Case:
    """A fault: `hurt(system)` does it, `heal(system)` undoes it after so many seconds."""

    tried: str
    hurt: object
    heal: object = lambda system: None
    lasts: float = 1.0      # [s]
    silent: tuple = ()      # topics of nodes that miss their input, and must stop
    flowing: tuple = ()     # topics that must not even falter
    stands: bool = False    # the arm must come to rest
    again: bool = False     # torque must be enabled anew; else the law drives the arm by itself
    page: bool = False      # the page of the viewer must be there afterwards

    def __call__(self, system, limits):
        """Outcome of this fault in a system that is ready, while its arm swings."""
        watch = system.watch
        system.swing()
        watch.clear()
        watch.wait(COMMANDS, time.time())
        waits, before = system.waited(), time.time()
        self.hurt(system)
        hurt = time.time()
        time.sleep(self.lasts)
        end = time.time()
        for topic in self.flowing:          # a pause lasts until the next message, however late this process is
            with suppress(TimeoutError):
                watch.wait(topic, end, limits.recovery, count=1)
        waits = waited_more(waits, system.waited())
        span = Span(before, hurt, end, limits.slack + waits)
        self.heal(system)
        recovery = self._recovery(watch, before, waits, limits.recovery)
        checks = [*self._during(watch.heard, span), recovery, _torques(watch.heard)]
        return Outcome(self.tried, 1, ", ".join(check.seen for check in checks),
                       ", ".join(check.limit for check in checks), all(check.held for check in checks))

    def _during(self, heard, span):
        """Checks of what was seen while the fault lasted; where that is too short for an end, there is none."""
        for topic in self.flowing:
            yield _timed(f"{topic} pause", "pause", _pause(heard[topic], span.before, span.end),
                         STATE_TIMEOUT + span.slack)
        for topic in (topic for topic in self.silent if PATIENCE[topic] + span.slack < self.lasts):
            said = [message for message in heard[topic] if message.time <= span.end]
            last = said[-1].time if said else span.hurt
            yield _timed(f"{topic} silent after", "silent in", last - span.hurt, PATIENCE[topic] + span.slack)
            if topic == COMMANDS:
                left = float(np.abs(said[-1].said).max()) if said else np.inf
                yield Check(f"the last {left:.2g} N m", "0 N m", left <= ROUNDING)
        if self.stands and BRAKES + span.slack < self.lasts:
            moving = [speed.time for speed in heard[SPEEDS] if speed.said > STANDING and speed.time <= span.end]
            yield _timed("the arm stands after", "stands in", max(moving, default=span.hurt) - span.hurt,
                         BRAKES + span.slack)

    def _recovery(self, watch, before, waits, limit):
        """All is as it was; torque is enabled anew where the case, or missing states or cores, ask for it."""
        healed, problem = time.time(), ""
        try:
            for topic in (STATES, TORQUES):
                watch.wait(topic, healed, limit)
            if self.again or max(waits, _pause(watch.heard[STATES], before, healed)) > PATIENCE[COMMANDS]:
                watch.enable(limit)
            watch.wait(COMMANDS, time.time(), limit)
            _driven(watch, limit, busy=waits > STATE_TIMEOUT)
            if self.page:
                watch.wait_page(limit)
        except TimeoutError as error:
            problem = f"; did not recover: {error}"
        return Check(f"recovered in {time.time() - healed:.1f} s{problem}", f"{limit:.0f} s", not problem)


def _driven(watch, limit, busy):
    """Waits until the law drives the arm; a law that waited for a core may let it go too fast: then anew."""
    for patience in (SLOWED, SLOWED) if busy else ():
        try:
            return watch.wait_driven(time.time(), patience)
        except TimeoutError as error:
            if TOO_FAST not in str(error):
                break
            watch.enable(limit)
    return watch.wait_driven(time.time(), limit)


def _timed(seen, limit, took, allowed):
    return Check(f"{seen} {max(took, 0.0):.2f} s", f"{limit} {allowed:.2f} s", bool(took <= allowed))


def _pause(heard, begin, end):
    """Longest time [s] without a message from `begin` to the first message after `end`."""
    times = [message.time for message in heard if message.time > begin]
    until = next((k for k, sent in enumerate(times) if sent > end), None)
    return float(np.diff([begin, *times, np.inf] if until is None else [begin, *times[:until + 1]]).max())


def _torques(heard):
    """No command differs too much from the one before, and nothing is not finite."""
    finite = all(np.isfinite(message.said).all() for topic in (COMMANDS, TORQUES) for message in heard[topic])
    step = largest_step(list(heard[COMMANDS]), list(heard[STATES]))
    return Check(f"largest step {step:.2f} N m{'' if finite else ', NOT FINITE'}", f"step {MAX_DELTA_TAU} N m, finite",
                 bool(finite and step <= MAX_DELTA_TAU + ROUNDING))
