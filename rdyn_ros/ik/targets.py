"""Targets and seeds as arrays, checked."""
from collections.abc import Mapping

import numpy as np

from ..boundary import vector
from ..errors import RdynError

RIGID = 1e-6


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
    fault = rigid_fault(T)
    if fault:
        raise RdynError(f"target of '{name}' is no rigid pose: {fault}")
    return T


def real_numbers(value):
    """C-contiguous float64 array; TypeError or ValueError for words, complex numbers and rows of different lengths."""
    return np.ascontiguousarray(np.asarray(value).astype(float, casting="same_kind", copy=False))


def rigid_fault(T):
    """What keeps T (4, 4) from being rigid, in words; "" when nothing does."""
    R = T[:3, :3]
    off = abs(R @ R.T - np.eye(3)).sum()
    if abs(T[3] - [0.0, 0.0, 0.0, 1.0]).sum() > RIGID:
        return f"the last row is {T[3]}, it must be 0 0 0 1"
    if off > RIGID:
        return f"its rotation is off by {off:.3g}; orthonormalise it (R Rᵀ = 1)"
    return "its rotation mirrors (determinant -1)" if np.linalg.det(R) < 0.0 else ""


def rigid(T):
    """Which of T (N, 4, 4) are finite, rigid poses, (N,) bool."""
    R = T[:, :3, :3]
    with np.errstate(invalid="ignore"):
        off = abs(R @ R.transpose(0, 2, 1) - np.eye(3)).sum(axis=(1, 2))
        last = abs(T[:, 3] - [0.0, 0.0, 0.0, 1.0]).sum(axis=1)
        return np.isfinite(T).all(axis=(1, 2)) & (off + last < RIGID) & (np.linalg.det(R) > 0.0)


def read_seed(model, seed):
    """Seed (nq,) as finite float64."""
    q = vector(model, "seed", seed, model.nq)
    if q.ndim != 1:
        raise RdynError(f"seed has shape {q.shape}; one target takes ({model.nq},)")
    return q
