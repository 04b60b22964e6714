"""The end of a motion under way: each joint comes to rest along a polynomial of its own, inside its limits."""
from dataclasses import dataclass

import numpy as np
import scipy

from .motion import Reference
from .trajectory import SAMPLES, quintic

HALVINGS = 10       # of the time in which a joint stops, until its limits are kept
SLACK = 1e-6        # [rad or m, rad/s or m/s] beyond a limit that rounding may leave


@dataclass(frozen=True, eq=False)
class Braking:
    """Motion that ends `times` (n,) [s] after its start; polynomials q, q', q'' of the part 0..1 of these."""

    start: float
    times: np.ndarray
    polynomials: tuple

    def sample(self, t):
        """Reference at time t [s]."""
        part = np.clip((t - self.start) / self.times, 0.0, 1.0)
        return Reference(*(np.diagonal(p(part)) / self.times**k for k, p in enumerate(self.polynomials)))


def braked(motion, now, duration, limits):
    """Ends a motion from time `now` on within the duration [s], each joint sooner where its limits need it.

    Position, velocity and acceleration go on; the way is half of what the velocity would go: q + T qd / 2.
    """
    present = motion.sample(now)
    times = np.full(len(present.q), float(duration))
    for _ in range(HALVINGS):
        braking = _braking(now, present, times)
        if not (out := _outside(braking, present, limits)).any():
            break
        times = np.where(out, 0.5 * times, times)
    return braking


def _braking(now, present, times):
    q, qd, qdd = present
    ends = np.stack([q, q + 0.5 * times * qd]), np.stack([qd, 0.0 * qd]), np.stack([qdd, 0.0 * qdd])
    position = scipy.interpolate.BPoly(quintic(1.0, ends[0], times * ends[1], times**2 * ends[2]), [0.0, 1.0])
    return Braking(now, times, (position, position.derivative(), position.derivative(2)))


def _outside(braking, present, limits):
    """Which joints (n,) leave their limits, or are beyond them and go further."""
    part = np.linspace(0.0, 1.0, SAMPLES)
    q, qd = braking.polynomials[0](part), np.abs(braking.polynomials[1](part)) / braking.times
    lower, upper = np.minimum(limits.lower, present.q) - SLACK, np.maximum(limits.upper, present.q) + SLACK
    fastest = np.maximum(limits.velocity, np.abs(present.qd)) + SLACK
    return ((q < lower) | (q > upper) | (qd > fastest)).any(axis=0)
