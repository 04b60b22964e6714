"""Forward and inverse velocity problem of a frame, and its inertia as felt there (source 001, ch. 6)."""
from typing import NamedTuple

import numpy as np

from .crba import crba
from .jacobian import jacobian
from .ltl import dof_parents, ltdl, ltdl_solve

SMALL = 1e-9   # singular values below this share of the largest count as zero


class VelocitySolution(NamedTuple):
    """Joint velocities for a wanted frame velocity, and what the Jacobian allowed."""

    qd: np.ndarray          # (nv,) [rad/s or m/s]
    residual: np.ndarray    # (6,) wanted minus reached
    rank: int               # independent directions the frame can move in
    condition: float        # largest / smallest singular value; inf when singular
    unreachable: np.ndarray  # (6, 6 - rank) directions the frame cannot move in
    reason: str             # unique | many: shortest taken | few joints, singular: nearest taken | damped


def inverse_velocity(model, q, twist, frame=None, damping=0.0):
    """qd with J qd = twist: the shortest of the nearest, qd = Jᵀ (J Jᵀ + damping² 1)⁻¹ twist.

    `twist` (6,) linear then angular in base axes. A singular J has no inverse: the directions it has lost are
    named in `unreachable`, the rest of the twist is followed. With damping > 0 the answer stays bounded near
    singularities at the price of a residual.
    """
    J = jacobian(model, q, frame)
    U, sigma, Vt = np.linalg.svd(J)
    rank = int((sigma > SMALL * sigma.max(initial=1e-300)).sum())
    gains = sigma[:rank] / (sigma[:rank]**2 + damping**2)
    qd = Vt[:rank].T @ (gains * (U[:, :rank].T @ twist))
    condition = float(sigma[0] / sigma[-1]) if rank == len(sigma) > 0 else np.inf
    if damping:
        reason = "damped"
    elif rank < min(6, model.nv):
        reason = "singular: nearest taken"
    elif rank < 6:
        reason = "few joints: nearest taken"
    else:
        reason = "unique" if model.nv == 6 else "many: shortest taken"
    return VelocitySolution(qd, twist - J @ qd, rank, condition, U[:, rank:], reason)


def operational_mobility(model, q, frame=None):
    """Λ⁻¹ = J M⁻¹ Jᵀ (6, 6), base axes: acceleration of the frame per wrench on it."""
    J, parents = jacobian(model, q, frame), dof_parents(model)
    return J @ ltdl_solve(*ltdl(crba(model, q), parents), J.T, parents)


def inertia_of_mobility(mobility):
    """Λ (..., 6, 6): inertia felt at a frame; directions it cannot move in are left out (pseudo-inverse)."""
    return np.linalg.pinv(mobility, rcond=1e-12, hermitian=True)
