"""Targets and seeds as arrays, checked."""
from collections.abc import Mapping

import numpy as np

from ..boundary import unit_quaternion, vector
from ..errors import RdynError
from .constants import RIGID, SPACING


def read_targets(model, target, frame):
    """(frames, targets (k, 4, 4)) of one pose for a frame, or of {frame: pose} for several."""
    if isinstance(target, Mapping):
        if not target or frame is not None:
            raise RdynError("give targets for several frames as {frame: pose}, at least one, and no frame beside it")
        frames = tuple(model.frame(name).name for name in target)
        return frames, np.stack([read_pose(name, pose) for name, pose in target.items()])
    name = model.frame(frame).name
    return (name,), read_pose(name, target)[None]


def read_pose(name, pose):
    """Pose (4, 4) as float64; RdynError when it is not a rigid one."""
    try:
        T = real_numbers(pose)
    except (TypeError, ValueError):
        raise RdynError(f"target of '{name}' must be a pose (4, 4); got {pose!r}") from None
    if T.shape != (4, 4):
        raise RdynError(f"target of '{name}' has shape {T.shape}; it must be a pose (4, 4)")
    if not np.isfinite(T).all():
        raise RdynError(f"target of '{name}' holds {T[~np.isfinite(T)][0]}; only finite numbers are allowed")
    if not rigid(T):
        (last, off), share = unrigid(T), RIGID / 3.0
        raise RdynError(f"target of '{name}' is no rigid pose: " + (
            f"the last row is {T[3]}, it must be 0 0 0 1" if last > share else
            f"its rotation is off by {off:.3g}; orthonormalise it (R Rᵀ = 1)" if off > share else
            "its rotation mirrors (determinant -1)"))
    return T


def real_numbers(value):
    """C-contiguous float64 array; TypeError or ValueError for words, complex numbers and rows of different lengths."""
    return np.ascontiguousarray(np.asarray(value).astype(float, casting="same_kind", copy=False))


def unrigid(T):
    """By how much T (..., 4, 4) is not rigid: |last row - (0 0 0 1)|₁ and |R Rᵀ - 1|₁."""
    *rows, last = elements(T)
    return (abs(last[:3]).sum(axis=0) + abs(last[3] - 1.0),
            sum(abs((a[:3] * b[:3]).sum(axis=0) - (a is b)) for a in rows for b in rows))


def rigid(T):
    """Which of T (..., 4, 4) are finite, rigid poses; what passes here passes in C too."""
    with np.errstate(invalid="ignore", over="ignore"):
        (a, b, c, _), (d, e, f, _), (g, h, i, _), _ = elements(T)
        return (np.isfinite(T).all(axis=(-1, -2)) & (sum(unrigid(T)) < RIGID - SPACING)
                & (a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0.0))


def elements(T):
    """T (..., 4, 4) with its rows and columns first, (4, 4, ...): the same element of all poses side by side."""
    return np.ascontiguousarray(np.moveaxis(T, (-2, -1), (0, 1)))


def read_seed(model, seed):
    """Seed (nq,) as finite float64."""
    q = vector(model, "seed", seed, model.nq)
    if q.ndim != 1:
        raise RdynError(f"seed has shape {q.shape}; one target takes ({model.nq},)")
    if model.floating_base:
        unit_quaternion("seed", q)
    return q
