"""Velocity inverse kinematics: joint velocities for a wanted twist, calm near singularities (source 001, ch. 6)."""
from typing import NamedTuple

import numpy as np

SMALLEST = 0.05         # singular value of the Jacobian in levers below which damping sets in
DAMPING = 0.05          # the most damping, at a singular value of 0


class IkVelocity(NamedTuple):
    """Joint velocities with what they cost: J qd = achieved; scale < 1 when joint velocity limits slowed the motion."""

    qd: np.ndarray              # (nv,) [rad/s or m/s]
    achieved: np.ndarray        # (6,) twist [m/s, rad/s]
    scale: float
    damping: float
    smallest_singular_value: float      # of the Jacobian in levers


def damped_velocity(J, twist, limit, towards=None, lever=1.0, smallest=SMALLEST, most=DAMPING):
    """IkVelocity for J (6, nv) and a twist (6,).

    qd = J⁺ twist + (1 - J⁺J) towards, J⁺ = V diag(σ / (σ² + λ²)) Uᵀ; λ² = most² (1 - (σ_min / smallest)²) below
    `smallest`, else 0 (Nakamura, Hanafusa 1986; Chiaverini 1997: only directions that are nearly lost are damped).
    U, σ and V are those with metres told in levers [m], the size of the arm, so that it does not count. The task is
    slowed as a whole to keep |qd| <= limit (nv,), so its direction stays; the null-space term takes what room is left.
    """
    moving, slides = J.any(axis=0), ~J[3:].any(axis=0)
    rows, columns = np.repeat([1.0 / lever, 1.0], 3), np.where(slides, lever, 1.0)
    U, s, Vt = np.linalg.svd((rows[:, None] * J * columns)[:, moving], full_matrices=False)
    V = np.zeros((len(moving), len(s)))             # what does not move the frame stays: no direction is lost by it
    V[moving] = Vt.T
    least = float(s[-1]) if len(s) else 0.0
    damping = most * np.sqrt(max(0.0, 1.0 - (least / smallest) ** 2))
    weak = s < smallest
    gain = np.divide(s, s * s + np.where(weak, damping**2, 0.0), out=np.zeros_like(s), where=s > 0.0)
    task = columns * (V @ (gain * (U.T @ (rows * twist))))
    scale = _room(task, limit)
    qd = scale * task
    if towards is not None:
        kept = V[:, s > 1e-9 * s.max(initial=0.0)]
        extra = towards - columns * (kept @ (kept.T @ (towards / columns)))
        qd = qd + _room_beside(qd, extra, limit) * extra
    return IkVelocity(qd, J @ qd, scale, float(damping), least)


def _room(qd, limit):
    """Largest factor up to 1 that keeps |qd| within limit."""
    over = np.abs(qd) > limit
    return float((limit[over] / np.abs(qd[over])).min(initial=1.0))


def _room_beside(qd, extra, limit):
    """Largest factor up to 1 with |qd + factor · extra| <= limit."""
    some = (extra != 0.0) & np.isfinite(limit)
    room = (np.sign(extra[some]) * -qd[some] + limit[some]) / np.abs(extra[some])
    return float(max(0.0, room.min(initial=1.0)))
