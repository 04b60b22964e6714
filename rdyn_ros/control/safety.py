"""Safety filter between any law and the wire: one state machine, drawn in docs/safety.md.

Whatever happens, no command is non-finite, and two commands of one stream differ by at most max_delta_tau, but for
one cut: an end takes at most SETTLE + stop_time + PATIENCE, and where the rate limit needs longer, torque goes to zero
at once. A stream begins at the torque that the robot is measured to carry (or at zero) and ends at zero, after which
nothing is commanded. Commands beyond effort bounds that were lowered meanwhile come back by the rate limit.
"""
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from ..errors import RdynError

SETTLE = 0.5        # [s] at most that an arm which is switched off is held and damped until it stands
PATIENCE = 3.0      # [s] beyond stop_time after which the rate limit no longer delays the end
SLOWEST = 5.0       # [s] that stop_time may be set to
LONGEST_END = SETTLE + SLOWEST + PATIENCE


class Phase(StrEnum):
    """What the filter passes on."""

    IDLE = "idle"              # nothing is commanded
    RAMPING = "ramping"        # from the torque at the beginning over to the law
    ACTIVE = "active"          # the law
    DAMPING = "damping"        # after a fault: gravity held, motion damped, until enabled again
    FADING = "fading"          # states are missing: damping, fading to zero; fresh states resume
    STOPPING = "stopping"      # switched off: damping until the arm stands, then fading to zero


DRIVEN = (Phase.RAMPING, Phase.ACTIVE)
ENDING = (Phase.FADING, Phase.STOPPING)
LOST = "joint states were missing until torque had gone to zero: enable again"


@dataclass(frozen=True, eq=False)
class Bounds:
    """effort (n,) largest torque, max_delta_tau (n,) its largest change per command [N m or N].

    Times in s.
    """

    effort: np.ndarray
    max_delta_tau: np.ndarray
    ramp_time: float = 0.5
    stop_time: float = 0.1

    def __post_init__(self):
        if not (np.all(np.asarray(self.effort) >= 0.0) and np.all(np.asarray(self.max_delta_tau) > 0.0)
                and 0.0 <= self.ramp_time < np.inf and 0.0 <= self.stop_time < np.inf):
            raise RdynError(f"bounds are {self}; effort must be at least 0, max_delta_tau above 0, the times "
                            "finite and at least 0")


@dataclass(frozen=True, eq=False)
class SafetyFilter:
    """State of the filter: each event and each step gives the next one. now: steady time [s].

    Torques (n,).
    """

    bounds: Bounds
    output: np.ndarray                  # last command
    phase: Phase = Phase.IDLE
    since: float = 0.0                  # time at which the phase, or its fading, begins
    ramp_time: float = 0.0              # [s] of the ramp under way: other bounds do not make it longer or shorter
    fault: str = ""                     # why torque was given up

    def enable(self, now, measured=None):
        """Torque on. A stream that begins does so at the measured torque, or at zero when none is known."""
        if self.phase in DRIVEN:
            return self
        if self.phase is not Phase.IDLE:
            return replace(self, fault="")._enter(Phase.RAMPING, now)
        effort = self.bounds.effort
        output = self.output if measured is None else np.clip(_finite(measured), -effort, effort)
        return replace(self, output=output, fault="")._enter(Phase.RAMPING, now)

    def disable(self, now):
        """Torque off: damping until the arm stands, then a ramp to zero."""
        if self.phase in (Phase.IDLE, Phase.STOPPING):
            return self
        return self._enter(Phase.STOPPING, self.since if self.phase is Phase.FADING else now + SETTLE)

    def stands(self, now):
        """The arm is at rest, or nobody knows: what is switched off fades from now on."""
        waits = self.phase is Phase.STOPPING and now < self.since
        return replace(self, since=now) if waits else self

    def change(self, now):
        """Another law or reference from now on, by a ramp."""
        return self._enter(Phase.RAMPING, now) if self.phase in DRIVEN else self

    def switch(self, now):
        """Another law from now on, with no ramp: only the rate limit delays it."""
        return self._enter(Phase.ACTIVE, now) if self.phase in DRIVEN else self

    def trip(self, now, why):
        """Fault: torque is given up for damping, until enabled again."""
        return replace(self, fault=why)._enter(Phase.DAMPING, now) if self.phase in DRIVEN else self

    def lost(self, now):
        """States are missing."""
        return self._enter(Phase.FADING, now) if self.phase in (*DRIVEN, Phase.DAMPING) else self.stands(now)

    def found(self, now):
        """States are back: what was interrupted goes on, a fault stays one."""
        if self.phase is not Phase.FADING:
            return self
        return self._enter(Phase.DAMPING if self.fault else Phase.RAMPING, now)

    def step(self, now, law, damping, before=None):
        """Next command from the torques of the law and of the damping that replaces it.

        before: torque from which a ramp passes over to the law; damping where none is given, or none that is finite.
        """
        if self.phase is Phase.IDLE:
            return self
        if self.phase in DRIVEN and not np.all(np.isfinite(law)):
            return self.trip(now, "the control law gave a torque that is not finite").step(now, law, damping)
        damping = _finite(damping)
        before = damping if before is None or not np.all(np.isfinite(before)) else before
        wanted = np.clip(self._target(now, law, damping, before), -self.bounds.effort, self.bounds.effort)
        late = self.phase in ENDING and now > self.since + self.bounds.stop_time + PATIENCE
        delta = np.inf if late else self.bounds.max_delta_tau
        output = _finite(self.output + np.clip(wanted - self.output, -delta, delta))
        return replace(self, output=output)._after(now)

    def share(self, now):
        """Part 0..1 of the torque that is the law's while it drives."""
        return self._progress(now, self.ramp_time) if self.phase is Phase.RAMPING else 1.0

    def _target(self, now, law, damping, before):
        if self.phase is Phase.RAMPING:
            s = self.share(now)
            return (1.0 - s) * before + s * law
        if self.phase in ENDING:
            return (1.0 - self._progress(now, self.bounds.stop_time)) * damping
        return law if self.phase is Phase.ACTIVE else damping

    def _after(self, now):
        if self.phase is Phase.RAMPING and self.share(now) >= 1.0:
            return self._enter(Phase.ACTIVE, now)
        ended = self.phase in ENDING and self._progress(now, self.bounds.stop_time) >= 1.0
        if ended and not self.output.any():
            fault = self.fault or (LOST if self.phase is Phase.FADING else "")
            return replace(self, fault=fault)._enter(Phase.IDLE, now)
        return self

    def _progress(self, now, duration):
        return min(1.0, max(0.0, (now - self.since) / duration)) if duration > 0.0 else 1.0

    def _enter(self, phase, now):
        return replace(self, phase=phase, since=now, ramp_time=self.bounds.ramp_time)


def _finite(tau):
    return np.where(np.isfinite(tau), tau, 0.0)
