"""The end of a motion under way: each joint comes to rest in a time of its own, inside its limits."""
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.polynomial import polyder

from .motion import Reference, rest
from .trajectory import SAMPLES, beyond

HALVINGS = 10       # of the time in which a joint stops, until its limits are kept
# of the part s = 0..1 of the time: s - s³ + s⁴/2 takes a velocity to 0, s²/2 - 3s³/2 + 3s⁴/2 - s⁵/2 an acceleration
FALL, EASE = (np.stack([np.pad(polyder(c, k), (0, k)) for k in range(3)]) for c in (
    [0.0, 1.0, 0.0, -1.0, 0.5, 0.0], [0.0, 0.0, 0.5, -1.5, 1.5, -0.5]))


@dataclass(frozen=True, eq=False)
class Braking:
    """From `present` at the start on [s] each joint comes to rest within its time (n,) [s], at `end`."""

    start: float
    present: Reference
    times: np.ndarray
    duration: float
    end: Reference

    def sample(self, t):
        """Reference at time t [s]."""
        since = t - self.start
        return self.end if since >= self.duration else self.at(np.clip(since / self.times, 0.0, 1.0))

    def at(self, s):
        """Reference at the parts s (..., n) or (..., 1) of the times, as q + T qd fall(s) + T² qdd ease(s)."""
        (q, qd, qdd), T, powers = self.present, self.times, s[..., None] ** np.arange(6)
        fall, ease = powers @ FALL.T, powers @ EASE.T
        return Reference(q + T * qd * fall[..., 0] + T**2 * qdd * ease[..., 0],
                         qd * fall[..., 1] + T * qdd * ease[..., 1], qd / T * fall[..., 2] + qdd * ease[..., 2])


def braked(motion, now, duration, limits):
    """Ends a motion from time `now` on within the duration [s], each joint sooner where its limits need it.

    Position, velocity and acceleration go on; the way is half of what the velocity would go: q + T qd / 2.
    """
    present, s = motion.sample(now), np.linspace(0.0, 1.0, SAMPLES)[:, None]
    times = np.full(len(present.q), float(duration))
    for _ in range(HALVINGS):
        end = rest(present.q + 0.5 * times * present.qd)
        braking = Braking(now, present, times, times.max(), end)
        out = np.logical_or(*beyond(*braking.at(s)[:2], limits))
        if not out.any():
            break
        times = np.where(out, 0.5 * times, times)
    return braking
