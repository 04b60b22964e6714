"""Equations of motion in covariant form, metric tensor and Christoffel symbols through η (source 003).

An independent formulation. Every joint has one coordinate q^α, turning (ξ̄ = 1) or sliding (ξ = 1) along
e_α; a floating base is taken as three slides and three turns of massless links that stand at zero where the
robot is, so that its rates are the base's velocity and only its accelerations need a correction.
"""
from typing import NamedTuple

import numpy as np

from ..spatial import cross, quaternion_matrix, rodrigues


class Geometry(NamedTuple):
    """One entry per elementary joint α and per massive link i, vectors in base axes."""

    e: list          # (3,) unit vectors of the joints
    turns: list      # ξ̄: True for a turning joint
    origin: list     # (3,) point on each joint's axis
    column: list     # coordinate of each joint
    ratio: list      # mimic ratio of each joint
    com: list        # (3,) centre of mass of each link
    eta: list        # η: which joints lie between base and link, in ascending order
    J: list          # (3, 3) tensor about the centre of mass
    mass: list


def geometry(model, q):
    """Joint axes and centres of mass through η: r_C = Σ η (ρ_kk + ξ q e_k) + ρ_i; rotations by Rodrigues."""
    g = Geometry([], [], [], [], [], [], [], [], [])
    A, r, paths = [np.eye(3)], [np.zeros(3)], [[]]
    for i, p in model.edges:
        body, x, columns = model.bodies[i], q[model.q_slice[i]], range(model.nv)[model.v_slice[i]]
        kind, axis = body.joint.kind, body.joint.axis
        frame, start, path = A[p] @ body.R, r[p] + A[p] @ body.p, list(paths[p])
        if kind == "floating":
            frame, start = frame @ quaternion_matrix(x[3:]), start + frame @ x[:3]
            joints = [(frame[:, k % 3], k >= 3) for k in range(6)]
        else:
            theta = model.ratio[i] * x[0] + model.offset[i]
            joints = [(frame @ axis, kind != "prismatic")]
            if kind == "prismatic":
                start = start + frame @ axis * theta
            else:
                frame = frame @ rodrigues(axis, theta)
        for (e, turns), column in zip(joints, columns, strict=True):
            path.append(len(g.e))
            for values, value in zip(g[:5], (e, turns, start, column, model.ratio[i]), strict=True):
                values.append(value)
        A.append(frame)
        r.append(start)
        paths.append(path)
        link = start + frame @ body.com, path, frame @ body.inertia @ frame.T, body.mass
        for values, value in zip(g[5:], link, strict=True):
            values.append(value)
    return g


def metric_and_christoffel(model, q):
    """a_αβ (nv, nv) and Γ_αβ,γ (nv, nv, nv) of the first kind; Γ_αβ,γ q̇^α q̇^β is a force on coordinate γ.

    a_αβ = Σ m T_α · T_β + Ω_α · J Ω_β, and for α not beyond β on their path
    Γ_αβ,γ = Σ m ξ̄_α (e_α × T_β) · T_γ + (Ω_β × Ω_γ) · Π Ω_α, symmetric in α and β, with the quasi-base
    vectors T_α = ξ̄_α e_α × (r_C - o_α) + ξ_α e_α, Ω_α = ξ̄_α e_α and the planar tensor Π = ½ tr(J) 1 - J.
    """
    g = geometry(model, q)
    N, kind = len(g.e), np.asarray(q).dtype
    a, gamma = np.zeros((N, N), kind), np.zeros((N, N, N), kind)
    for mass, path, T, omega, J in _links(g):
        planar = 0.5 * np.trace(J) * np.eye(3) - J
        place, upper = np.ix_(path, path), np.triu(np.ones((len(path), len(path)), bool))
        a[place] = a[place] + mass * (T.T @ T) + omega.T @ J @ omega
        ordered = np.array([(mass * (T.T @ cross(w, T)) + omega.T @ cross(planar @ w, omega)).T
                            for w in omega.T])
        place = np.ix_(path, path, path)
        gamma[place] = gamma[place] + np.where(upper[:, :, None], ordered, ordered.transpose(1, 0, 2))
    G = np.zeros((N, model.nv))
    G[range(N), g.column] = g.ratio
    for _ in range(3):                                   # one index after the other, each moves to the end
        gamma = np.tensordot(gamma, G, axes=(0, 0))
    return G.T @ a @ G + np.diag(model.armature), gamma


def inverse_dynamics(model, q, qd, qdd):
    """Q_γ (nv,) = a_αγ q̈^α + Γ_αβ,γ q̇^α q̇^β minus the generalised weights Σ m g · T_γ."""
    a, gamma = metric_and_christoffel(model, q)
    return a @ coordinate_acceleration(model, qd, qdd) + qd @ (qd @ gamma) - weights(model, q)


def weights(model, q):
    """Σ m g · T_γ (nv,): what gravity does on the coordinates."""
    g = geometry(model, q)
    total = [0.0] * model.nv
    for mass, path, T, _, _ in _links(g):
        for k, force in zip(path, mass * (T.T @ model.gravity), strict=True):
            total[g.column[k]] = total[g.column[k]] + g.ratio[k] * force
    return np.array(total)


def coordinate_acceleration(model, qd, qdd):
    """q̈ of the coordinates used here; a floating base has p̈ = v̇ + ω × v, and ω̇ less the turns' products."""
    if not model.floating_base:
        return qdd
    w = qd[3:6]
    products = np.array([w[1] * w[2], -w[0] * w[2], w[0] * w[1]])
    return np.concatenate([qdd[:3] + cross(w, qd[:3]), qdd[3:6] - products, qdd[6:]])


def _links(g):
    """Per link mass, η, quasi-base vectors T (3, k), Ω (3, k) and tensor J."""
    for mass, com, path, J in zip(g.mass, g.com, g.eta, g.J, strict=True):
        e, turns = np.array([g.e[k] for k in path]).T, np.array([float(g.turns[k]) for k in path])
        arms = np.array([com - g.origin[k] for k in path]).T
        yield mass, path, cross(turns * e, arms) + (1.0 - turns) * e, turns * e, J
