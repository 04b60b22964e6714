"""The space of joint positions and velocities in which torque may act."""
from typing import NamedTuple

import numpy as np


class Envelope(NamedTuple):
    """Bounds (n,) of position [rad or m] and speed; infinite where there is none."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray

    def outside(self, q):
        """Which joints (n,) are beyond their positions."""
        return (q < self.lower) | (q > self.upper)

    def violation(self, names, q, qd, excused):
        """In words which joint is beyond what, or "" when all is well.

        The positions of excused joints pass.
        """
        fast = np.abs(qd) > self.velocity
        out = self.outside(q) & ~excused
        if not fast.any() and not out.any():
            return ""
        i = int(np.argmax(fast if fast.any() else out))
        if fast.any():
            return f"joint {names[i]} moves at {qd[i]:.3f}, beyond {self.velocity[i]:.3f}"
        return f"joint {names[i]} is at {q[i]:.3f}, beyond {self.lower[i]:.3f} .. {self.upper[i]:.3f}"


def envelope(limits, velocity_scale=1.0, position_margin=0.05):
    """Envelope of a robot's limits: positions widened by the margin, speeds scaled."""
    return Envelope(limits.lower - position_margin, limits.upper + position_margin,
                    limits.velocity * velocity_scale)
