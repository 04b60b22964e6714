"""Feedback gains, as natural frequency and damping ratio or joint by joint."""
from typing import NamedTuple

import numpy as np

from ..errors import RdynError


class Gains(NamedTuple):
    """Wanted acceleration per position error kp [1/s^2] and per velocity error kd [1/s], each (n,)."""

    kp: np.ndarray
    kd: np.ndarray


def gains_from_frequency(n, frequency, damping_ratio):
    """kp = w^2, kd = 2 z w.

    The error answers like a spring with natural frequency w [rad/s] and damping ratio z.

    Both are one number for all joints, or n of them.
    """
    w, z = per_joint(n, frequency, "natural_frequency"), per_joint(n, damping_ratio, "damping_ratio")
    return Gains(w * w, 2.0 * z * w)


def per_joint(n, values, name):
    """The values as (n,) floats, each finite and >= 0; one value stands for all joints."""
    array = np.atleast_1d(np.asarray(values, float))
    if array.shape not in {(1,), (n,)} or not np.all(np.isfinite(array)) or np.any(array < 0.0):
        raise RdynError(f"{name} is {array.tolist()}; give 1 or {n} finite numbers, none negative")
    return np.broadcast_to(array, (n,)).copy()
