"""What a controller reads: the measured state and the wanted motion, all (n,) in the order of joint_names."""
from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    """Measured joint positions q [rad or m], velocities qd and, when there is one, effort [N m or N]."""

    q: np.ndarray
    qd: np.ndarray
    effort: np.ndarray | None = None


class Reference(NamedTuple):
    """Wanted joint positions q [rad or m], velocities qd and accelerations qdd."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def rest(q):
    """Reference that stands still at q."""
    zero = np.zeros(len(q))
    return Reference(np.array(q, float), zero, zero)
