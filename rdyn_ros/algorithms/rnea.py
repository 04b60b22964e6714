"""Inverse dynamics by the recursive Newton-Euler algorithm on a tree (source 000, section 8.2; by points: 004)."""
import numpy as np

from ..spatial import cross, skew
from .joint_kinematics import joint_transforms


def rnea(model, q, qd, qdd, gravity=None, f_ext=None):
    """tau = M(q) qdd + C(q, qd) qd + g(q) - Σ Jᵀ f_ext, rotor inertia included, friction not.

    q (nq,), qd, qdd (nv,) -> tau (nv,) [N m or N]. `gravity` (3,) [m/s²] in base axes, that of the model
    when None. `f_ext`: per body an external wrench (6,) at its origin in its axes, or None.
    """
    f = joint_wrenches(model, q, qd, qdd, gravity, f_ext)
    tau = [model.armature[k] * qdd[k] for k in range(model.nv)]
    for i, _ in model.edges:
        for k, torque in zip(range(model.nv)[model.v_slice[i]], model.S[i].T @ f[i], strict=True):
            tau[k] = tau[k] + torque
    return np.array(tau)


def joint_wrenches(model, q, qd, qdd, gravity=None, f_ext=None):
    """Per body the wrench (6,) its joint transmits to it, at its origin in its axes; f[0] holds up the base.

    Outward: a point r of body i accelerates by a + U r, a that of the origin and U = α^ + ω^ω^, so that no linear
    velocity is needed (Khalil and Kleinfinger 1987); f_i = ∫ (1, r^) (a + U r) dm - f_ext. Inward: f_λ += Xᵀ f_i.
    Arguments as for `rnea`.
    """
    X, S, I = joint_transforms(model, q), model.S, model.I
    gravity = model.gravity if gravity is None else gravity
    w, alpha, a, U, f = [np.zeros(3)], [np.zeros(3)], [-gravity], [np.zeros((3, 3))], [np.zeros(6)]
    for i, p in model.edges:                               # parents before children
        s, E = model.v_slice[i], X[i].R.T
        vJ, aJ, carried = S[i] @ qd[s], S[i] @ qdd[s], E @ w[p]
        w.append(carried + vJ[3:])
        alpha.append(E @ alpha[p] + aJ[3:] + cross(carried, vJ[3:]))
        a.append(E @ (a[p] + U[p] @ X[i].p) + aJ[:3] + cross(carried + w[i], vJ[:3]))
        U.append(skew(alpha[i]) + skew(w[i]) @ skew(w[i]))
        f.append(I[i].wrench(a[i], U[i]))
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]
    for i, p in reversed(model.edges):
        f[p] = f[p] + X[i].T @ f[i]
    return f
