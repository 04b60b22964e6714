"""Configurations: q ⊕ v, its inverse and the neutral one. Joints add up; a floating base moves in SE(3), exactly.

q (..., nq), v (..., nv): batches of any shape. v is a motion in one unit of time, ordered as qd: of a floating base
its linear then angular velocity in base-link axes, constant in these axes.
"""
import numpy as np

SMALL = 1e-2      # [rad] angle below which series take the place of quotients that would round


def neutral(model):
    """q (nq,) with all joints at zero and a floating base at the origin, unturned."""
    q = np.zeros(model.nq)
    if model.floating_base:
        q[6] = 1.0
    return q


def integrate(model, q, v):
    """q ⊕ v (..., nq): where the constant velocity v leads from q in one unit of time.

    Base: p + R V v, with V = 1 + (1 - cos θ)/θ² ω^ + (θ - sin θ)/θ³ ω^², and the quaternion times exp(ω/2).
    """
    if not model.floating_base:
        return q + v
    linear, w, start = v[..., :3], v[..., 3:6], _unit(q[..., 3:7])
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    half = 0.5 * np.sinc(angle / (2.0 * np.pi))                     # sin(θ/2)/θ
    moved = _with_crosses(w, linear, 2.0 * half**2, _volume(angle))
    turn = np.concatenate([half * w, np.cos(0.5 * angle)], axis=-1)
    quaternion = _unit(_product(start, turn))
    return np.concatenate([q[..., :3] + _rotated(start, moved), quaternion, q[..., 7:] + v[..., 6:]], axis=-1)


def difference(model, start, end):
    """v (..., nv) with start ⊕ v = end; the base turns the shorter way, joints count their turns.

    Base: ω from the quaternion start⁻¹ end, and V⁻¹ Rᵀ Δp with V⁻¹ = 1 - ½ ω^ + (1 - ½θ cot ½θ)/θ² ω^².
    """
    if not model.floating_base:
        return end - start
    back = _unit(start[..., 3:7]) * [-1.0, -1.0, -1.0, 1.0]
    turn = _product(back, _unit(end[..., 3:7]))
    turn = np.where(turn[..., 3:] < 0.0, -turn, turn)
    sine = np.linalg.norm(turn[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, turn[..., 3:])
    w = turn[..., :3] * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0)
    way = _rotated(back, end[..., :3] - start[..., :3])
    linear = _with_crosses(w, way, -0.5, _inverse_volume(angle))
    return np.concatenate([linear, w, end[..., 7:] - start[..., 7:]], axis=-1)


def _unit(quaternion):
    """Quaternions (..., 4) that were rounded, at length 1."""
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def _with_crosses(w, x, a, b):
    """x + a w × x + b w × (w × x)."""
    across = np.cross(w, x)
    return x + a * across + b * np.cross(w, across)


def _volume(angle):
    """(θ - sin θ)/θ³."""
    safe = np.where(angle < SMALL, 1.0, angle)
    return np.where(angle < SMALL, 1.0 / 6.0 - angle**2 / 120.0 + angle**4 / 5040.0, (safe - np.sin(safe)) / safe**3)


def _inverse_volume(angle):
    """(1 - ½θ cot ½θ)/θ²."""
    safe = np.where(angle < SMALL, 1.0, angle)
    return np.where(angle < SMALL, 1.0 / 12.0 + angle**2 / 720.0 + angle**4 / 30240.0,
                    (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2)


def _product(a, b):
    """Product of quaternions (..., 4), x y z w."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    real = s * t - (u * v).sum(-1, keepdims=True)
    return np.concatenate([s * v + t * u + np.cross(u, v), real], axis=-1)


def _rotated(quaternion, x):
    """x (..., 3) turned by unit quaternions (..., 4)."""
    return _with_crosses(quaternion[..., :3], x, 2.0 * quaternion[..., 3:], 2.0)
