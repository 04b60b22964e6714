"""Targets as arrays, checked."""
from collections.abc import Mapping

import numpy as np

from ..errors import RdynError
from .constants import RIGID, SPACING


def read_targets(model, target, frame):
    """(frames, targets (k, 4, 4)) of one pose for a frame, or of {frame: pose} for several."""
    if isinstance(target, Mapping):
        check_frames(target, frame, "pose")
        target = {name: target[name] for name in in_order(model, target)}
        frames = tuple(model.frame(name).name for name in target)
        return frames, np.stack([read_pose(name, pose) for name, pose in target.items()])
    name = model.frame(frame).name
    return (name,), read_pose(name, target)[None]


def in_order(model, frames):
    """Names of frames, as they were given, sorted: asked for in any order they are one problem."""
    try:
        return tuple(sorted(frames))                    # which is faster than by a key
    except (TypeError, ValueError):                     # None, or what is no name
        return tuple(sorted(frames, key=lambda name: model.tips[0] if name is None else str(name)))


def check_frames(targets, frame, what):
    """RdynError when {frame: targets} names no frame, or another is named beside it; what: each frame is to have."""
    if not targets:
        raise RdynError(f"targets is {{}}; give {{frame: {what}}} for at least one frame")
    if frame is not None:
        raise RdynError(f"targets for {', '.join(map(str, targets))} and frame {frame!r} given; {{frame: {what}}} "
                        "names its frames itself: give no frame beside it")


def read_pose(name, pose):
    """Pose (4, 4) as float64; RdynError when it is not a rigid one."""
    try:
        T = real_numbers(pose)
    except (TypeError, ValueError):
        raise RdynError(f"target of '{name}' must be a pose (4, 4); got {pose!r}") from None
    if T.shape != (4, 4):
        place = ", whose last column is the position; position_only frees the rest" if T.shape == (3,) else ""
        raise RdynError(f"target of '{name}' has shape {T.shape}; it must be a pose (4, 4){place}")
    if rigid(T):
        return T
    if not np.isfinite(T).all():
        raise RdynError(f"target of '{name}' holds {T[~np.isfinite(T)][0]}; only finite numbers are allowed")
    (last, off), share = unrigid(T.tolist()), RIGID / 3.0
    raise RdynError(f"target of '{name}' is no rigid pose: " + (
        f"the last row is {T[3]}, it must be 0 0 0 1" if last > share else
        f"R Rᵀ is off by {off:.3g} from 1, all elements together, at most {share:.1g} is allowed; orthonormalise it"
        if off > share else
        "its rotation mirrors (determinant -1): turn one of its axes round"))


def real_numbers(value):
    """Aligned, C-contiguous float64 array; TypeError or ValueError for words, complex numbers, uneven rows."""
    return np.require(np.atleast_1d(value).astype(float, casting="same_kind", copy=False), requirements="CA")


def rigid(T):
    """Which of T (..., 4, 4) are finite, rigid poses; what passes here passes in C too."""
    if T.ndim == 2:
        return _rigid(T.tolist())       # plain numbers: ten times as fast for one pose
    with np.errstate(invalid="ignore", over="ignore"):
        return _rigid(np.ascontiguousarray(np.moveaxis(T, (-2, -1), (0, 1))))   # an element of all poses side by side


def _rigid(rows):
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = rows
    off = sum(unrigid(rows)) + 0.0 * x + 0.0 * y + 0.0 * z      # nan where one is not finite
    return (off < RIGID - SPACING) & (a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0.0)


def unrigid(rows):
    """By how much poses, given by their rows (4, 4, ...), are not rigid: |last row - (0 0 0 1)|₁ and |R Rᵀ - 1|₁."""
    *R, (x, y, z, one) = rows
    return (abs(x) + abs(y) + abs(z) + abs(one - 1.0),
            sum(abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - (a is b)) for a in R for b in R))
