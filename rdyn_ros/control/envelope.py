"""The space of joint positions and velocities in which torque may act."""
from typing import NamedTuple

import numpy as np


class Envelope(NamedTuple):
    """Bounds (n,) of position [rad or m] and speed; infinite where there is none."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray

    def excess(self, q):
        """How far (n,) each joint is beyond its positions; 0 within."""
        return np.maximum(0.0, np.maximum(self.lower - q, q - self.upper))

    def violation(self, joints, q, qd, out):
        """In words which joint is too fast, or which of those `out` (n,) of their positions; "" if none."""
        fast = ~(np.abs(qd) <= self.velocity)
        if not fast.any() and not out.any():
            return ""
        i = int(np.argmax(fast if fast.any() else out))
        name, unit = joints[i].name, joints[i].unit
        if fast.any():
            return f"joint {name} moves at {qd[i]:.4g}, beyond {self.velocity[i]:.4g} {unit}/s"
        return f"joint {name} is at {q[i]:.4g}, beyond {self.lower[i]:.4g} .. {self.upper[i]:.4g} {unit}"


def envelope(limits, velocity_scale=1.1, position_margin=0.05):
    """Envelope of a robot's limits: positions widened by the margin, speeds scaled."""
    return Envelope(limits.lower - position_margin, limits.upper + position_margin,
                    limits.velocity * velocity_scale)
