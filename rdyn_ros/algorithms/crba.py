"""Joint-space inertia matrix by composite rigid bodies (source 000, section 8.2)."""
import numpy as np

from .assemble import assemble
from .joint_kinematics import joint_transforms


def composite_inertias(model, X):
    """Yields per body, children first, its number and the Inertia of everything it carries, in body axes.

    I^C_i = I_i + Σ_μ Xᵀ I^C X. One by one: compiled code has what it needs at hand.
    """
    IC = list(model.I)
    for i, p in reversed(model.edges):
        yield i, IC[i]
        if p:
            IC[p] = IC[p] + IC[i].in_parent(X[i])


def crba(model, q):
    """M(q) (nv, nv), symmetric positive definite, rotor inertia on the diagonal.

    H_ji = S_jᵀ F with F = I^C_i S_i carried inward from i to j; only pairs on one path get an entry, so the
    zeros between branches are exact.
    """
    X, S = joint_transforms(model, q), model.S
    every = slice(None)
    blocks = [(every, every, np.diag(model.armature))]
    for i, IC in composite_inertias(model, X):
        F, j, p = IC @ S[i], i, model.parent[i]
        blocks.append((model.v_slice[i], model.v_slice[i], S[i].T @ F))
        while p:
            F, j, p = X[j].T @ F, p, model.parent[p]
            H = S[j].T @ F
            blocks += [(model.v_slice[j], model.v_slice[i], H), (model.v_slice[i], model.v_slice[j], H.T)]
    return assemble((model.nv, model.nv), blocks)
