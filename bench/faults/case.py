"""One fault under watch: what is done to a running system, and how it has to bear it."""
import time
from dataclasses import dataclass

import numpy as np

from ..outcomes import Outcome
from .system import MAX_DELTA_TAU, STATE_TIMEOUT, STOP_TIME
from .watch import COMMANDS, SPEEDS, STATES, TORQUES, largest_step

ROUNDING = 1e-9  # [N m]
STANDING = 0.05  # [rad/s]
BRAKES = 0.5  # [s] after the last command until a simulated arm stands
PATIENCE = {TORQUES: STATE_TIMEOUT, COMMANDS: STATE_TIMEOUT + STOP_TIME}  # [s] until silence


@dataclass(frozen=True)
class Limits:
    """What the table allows: `slack` [s] for a node to get a core when its time has come, and for recovery."""

    slack: float = 0.1
    recovery: float = 30.0


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was seen, what is allowed, whether it held."""

    seen: str
    limit: str
    held: bool


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
    again: bool = False     # torque must be enabled anew
    page: bool = False      # the page of the viewer must be there afterwards

    def __call__(self, system, limits):
        """Outcome of this fault in a system that is ready, while its arm swings."""
        watch = system.watch
        system.swing()
        watch.clear()
        watch.wait(COMMANDS, time.time())
        self.hurt(system)
        hurt = time.time()
        time.sleep(self.lasts)
        checks = self._during(watch, hurt, limits.slack)
        self.heal(system)
        checks += [self._recovery(watch, limits.recovery), _torques(watch)]
        return Outcome(self.tried, 1, ", ".join(check.seen for check in checks),
                       ", ".join(check.limit for check in checks), all(check.held for check in checks))

    def _during(self, watch, hurt, slack):
        """Checks of what is seen while the fault lasts; where that is too short for a limit, there is none."""
        seen = []   # (what, time of it [s], limit of it, time allowed [s])
        for topic in self.silent:
            seen.append((f"{topic} silent after", watch.last(topic) - hurt, "silent in", PATIENCE[topic] + slack))
        for topic in self.flowing:
            times = [t for t, _ in watch.heard[topic] if t > hurt]
            pause = np.diff([hurt, *times, time.time()]).max()
            seen.append((f"{topic} pause", pause, "pause", STATE_TIMEOUT + slack))
        if self.stands:
            moving = [t for t, speed in watch.heard[SPEEDS] if speed > STANDING]
            seen.append(("the arm stands after", max(moving, default=hurt) - hurt, "stands in", BRAKES + slack))
        return [Check(f"{what} {max(took, 0.0):.2f} s", f"{limit} {allowed:.1f} s", bool(took <= allowed))
                for what, took, limit, allowed in seen if allowed < self.lasts]

    def _recovery(self, watch, limit):
        healed, problem = time.time(), ""
        try:
            watch.wait(TORQUES, healed, limit)
            if self.again:
                watch.enable(limit)
            watch.wait(COMMANDS, time.time(), limit)
            if self.page:
                watch.wait_page(limit)
        except TimeoutError as error:
            problem = f"; did not recover: {error}"
        return Check(f"recovered in {time.time() - healed:.1f} s{problem}", f"{limit:.0f} s", not problem)


def _torques(watch):
    """No command differs too much from the one before, and nothing is not finite."""
    finite = all(np.isfinite(x).all() for topic in (COMMANDS, TORQUES) for _, x in watch.heard[topic])
    step = largest_step(list(watch.heard[COMMANDS]), list(watch.heard[STATES]))
    return Check(f"largest step {step:.2f} N m{'' if finite else ', NOT FINITE'}", f"step {MAX_DELTA_TAU} N m, finite",
                 bool(finite and step <= MAX_DELTA_TAU + ROUNDING))
