"""Dynamics linear in the inertial parameters: tau = Y(q, qd, qdd) π + rotor inertia · qdd."""
from typing import NamedTuple

import numpy as np

from ..spatial import Inertia, cross_force
from .assemble import assemble
from .joint_kinematics import joint_transforms
from .kinematics import body_accelerations
from .sample import random_state

UNITS = tuple(Inertia.from_parameters(unit) for unit in np.eye(10))


def body_regressor(v, a):
    """A (6, 10): wrench I a + v ×* I v of a body = A π, π = m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz."""
    return np.stack([I @ a + cross_force(v, I @ v) for I in UNITS], axis=1)


def regressor(model, q, qd, qdd):
    """Y (nv, 10 n), ten columns for each of model.link_names, tensors about the link's origin."""
    X, (v, a) = joint_transforms(model, q), body_accelerations(model, q, qd, qdd)
    gravity, blocks = [np.concatenate([-model.gravity, np.zeros(3)])], []
    for i, p in model.edges:
        gravity.append(X[i] @ gravity[p])
        F, j = body_regressor(v[i], a[i] + gravity[i]), i
        columns = slice(10 * (i - 1), 10 * i)
        blocks.append((model.v_slice[i], columns, model.S[i].T @ F))
        while p:
            F, j, p = X[j].T @ F, p, model.parent[p]
            blocks.append((model.v_slice[j], columns, model.S[j].T @ F))
    return assemble((model.nv, 10 * model.n), blocks)


def inertial_parameters(model):
    """π (10 n,) of the moving bodies."""
    return np.reshape([I.parameters for I in model.I[1:]], 10 * model.n)


class BaseParameters(NamedTuple):
    """The identifiable combinations β = π[independent] + K π[dependent], with Y π = Y[:, independent] β."""

    independent: np.ndarray   # (r,) places in π
    dependent: np.ndarray     # (10 n - r,)
    K: np.ndarray             # (r, 10 n - r)


def base_parameters(model, samples=None, seed=0, tolerance=1e-9):
    """Base parameters from the regressor at random states (QR with column pivoting).

    `tolerance` is relative to the largest pivot; below it a column depends on those before it.
    """
    from scipy.linalg import qr  # slow to import and needed by nothing else
    samples = samples or max(10, 20 * model.n // max(model.nv, 1) + 10)
    Y = np.vstack([regressor(model, *random_state(model, seed + k)) for k in range(samples)])
    _, R, order = qr(Y, mode="economic", pivoting=True)
    pivots = abs(np.diag(R))
    rank = int((pivots > tolerance * pivots.max(initial=0.0)).sum())
    return BaseParameters(order[:rank], order[rank:], np.linalg.solve(R[:rank, :rank], R[:rank, rank:]))
