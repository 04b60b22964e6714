"""Angles that differ by whole turns."""
import numpy as np

from .constants import ROUNDING, TURN


def next_to(x, near, lower, upper, turns, most=np.inf):
    """x (..., n) by whole turns next to `near`, inside the limits or as little outside as turns allow.

    Only where `turns` (n,) says so; turns further away than `most` [rad] are not followed. What rounding left outside
    the limits goes onto them.
    """
    low, high, away = lower - ROUNDING, upper + ROUNDING, near - x
    y = x + np.where(abs(away) < most, TURN * np.round(away / TURN), 0.0)
    y = y + TURN * np.ceil(np.clip((low - y) / TURN, 0.0, None))
    y = y - TURN * np.ceil(np.clip((y - high) / TURN, 0.0, None))
    y = np.where((y < low) & (low - y > y + TURN - high), y + TURN, y)
    y = np.where(turns, y, x)
    return np.where((y > low) & (y < high), np.clip(y, lower, upper), y)


def wrapped(angle):
    """The angle in [-pi, pi)."""
    return (angle + 0.5 * TURN) % TURN - 0.5 * TURN


def nearest_first(q, seed):
    """Order of q (k, nq) by their distance to the seed (nq,)."""
    return np.argsort(((q - seed) ** 2).sum(axis=1), kind="stable").tolist()


def apart(a, b, turns):
    """Largest difference of the coordinates a and b (..., n), whole turns aside where `turns` (n,) says so."""
    d = a - b
    return abs(np.where(turns, d - TURN * np.round(d / TURN), d)).max(axis=-1, initial=0.0)
