"""Equations of motion from the block Jacobians C and D of all links (source 001, ch. 5 to 9).

An independent formulation: 3-vectors and sums over links, nothing shared with the spatial recursions. C_i
(3, nv) gives the angular velocity of link i, D_i (3, nv) the velocity of its centre of mass; stacked over
the links they are the book's C and D (3n, nv). Rows of links j above i, or on another branch, are zero.
"""
from typing import NamedTuple

import numpy as np

from ..spatial import cross, quaternion_matrix, rodrigues
from .assemble import assemble


class Links(NamedTuple):
    """Per body, in base axes: rotation τ_0i, origin, centre of mass, joint directions D^V and c (3, k)."""

    tau: list
    origin: list
    com: list
    slide: list    # (1 - σ) τ ν: linear velocity per joint speed
    turn: list     # σ τ ν = c_j: angular velocity per joint speed


class Blocks(NamedTuple):
    """Per moving link C, D, Ċ, Ḋ (3, nv) and its central inertia tensor, all in one set of axes."""

    C: list
    D: list
    C_dot: list
    D_dot: list
    J: list


def links(model, q):
    """Positions and joint directions of all links (eq. 2.3, 3.2, 5.5, 5.13)."""
    nothing = np.zeros((3, 0))
    tau, origin, com, slide, turn = [np.eye(3)], [np.zeros(3)], [np.zeros(3)], [nothing], [nothing]
    for i, p in model.edges:
        body, s = model.bodies[i], model.q_slice[i]
        kind, axis, ratio = body.joint.kind, body.joint.axis, model.ratio[i]
        rotation, shift = np.eye(3), np.zeros(3)
        if kind == "floating":
            rotation, shift = quaternion_matrix(q[s][3:]), q[s][:3]
        elif kind == "prismatic":
            shift = axis * (ratio * q[s][0] + model.offset[i])
        else:
            rotation = rodrigues(axis, ratio * q[s][0] + model.offset[i])
        tau.append(tau[p] @ body.R @ rotation)
        origin.append(origin[p] + tau[p] @ (body.p + body.R @ shift))
        com.append(origin[i] + tau[i] @ body.com)
        none = np.zeros((3, 1))
        direction = ratio * (tau[i] @ axis)[:, None]
        if kind == "floating":
            none = np.zeros((3, 3))
            slide.append(np.hstack([tau[i], none]))
            turn.append(np.hstack([none, tau[i]]))
        else:
            slide.append(direction if kind == "prismatic" else none)
            turn.append(none if kind == "prismatic" else direction)
    return Links(tau, origin, com, slide, turn)


def point_jacobian(model, place, i, point):
    """C and D (3, nv) of a point fixed in link i: c_j, and D_ij = D^V_j + c_j × R_ij (eq. 5.12 to 5.15)."""
    on_path = [j for j in range(1, i + 1) if model.path[i, j]]
    every, shape = slice(None), (3, model.nv)
    C = assemble(shape, [(every, model.v_slice[j], place.turn[j]) for j in on_path])
    swept = {j: cross(place.turn[j], point - place.origin[j]) for j in on_path}
    D = assemble(shape, [(every, model.v_slice[j], place.slide[j] + swept[j]) for j in on_path])
    return C, D


def blocks(model, q, qd, axes="base"):
    """C, D and their rates for the centres of mass of all links, in base axes or each in its link's axes."""
    place = links(model, q)
    result, speeds = Blocks([], [], [], [], []), [None]
    for i, _ in model.edges:
        C, D = point_jacobian(model, place, i, place.com[i])
        w, v = C @ qd, D @ qd
        speeds.append((w, v - cross(w, place.com[i] - place.origin[i])))
        C_dot, D_dot = _rates(model, place, i, v, speeds)
        E = place.tau[i].T if axes == "link" else np.eye(3)
        inertia = model.bodies[i].inertia
        tensor = inertia if axes == "link" else place.tau[i] @ inertia @ place.tau[i].T
        for column, value in zip(result, (E @ C, E @ D, E @ C_dot, E @ D_dot, tensor), strict=True):
            column.append(value)
    return result


def xi(model, q, i):
    """Ξ (6, nv) of link i: angular velocity over velocity of its origin, in base axes (5.8)."""
    place = links(model, q)
    return np.vstack(point_jacobian(model, place, i, place.origin[i]))


def equations_of_motion(model, q, qd, axes="base"):
    """A (nv, nv) and b (nv,) of A q̈ + b = μ + Cᵀ M + Dᵀ F (eq. 9.1, 9.3, 9.5; 9.4 for link axes)."""
    A, b = np.diag(model.armature), np.zeros(model.nv)
    for body, C, D, C_dot, D_dot, J in zip(model.bodies[1:], *blocks(model, q, qd, axes), strict=True):
        w = C @ qd
        A = A + C.T @ J @ C + body.mass * (D.T @ D)
        b = b + C.T @ (J @ (C_dot @ qd) + cross(w, J @ w)) + body.mass * (D.T @ (D_dot @ qd))
    return A, b


def gravity_load(model, q):
    """Dᵀ F (nv,) with the weights of all links as external forces."""
    at_rest = blocks(model, q, np.zeros(model.nv))
    return sum(body.mass * (D.T @ model.gravity) for body, D in zip(model.bodies[1:], at_rest.D, strict=True))


def external_load(model, q, loads, axes="base"):
    """Cᵀ M + Dᵀ F (nv,) of `loads` (n, 6): on each moving link a force F at its centre of mass and a moment M."""
    at_rest = blocks(model, q, np.zeros(model.nv), axes)
    return sum((D.T @ load[:3] + C.T @ load[3:] for C, D, load in zip(at_rest.C, at_rest.D, loads, strict=True)),
               np.zeros(model.nv))


def inverse_dynamics(model, q, qd, qdd, axes="base", loads=None):
    """Drive torques μ (nv,) = A q̈ + b - Cᵀ M - Dᵀ F (eq. 8.10): weights, and `loads` as for `external_load`."""
    A, b = equations_of_motion(model, q, qd, axes)
    return A @ qdd + b - _right_side(model, q, axes, loads)


def forward_dynamics(model, q, qd, mu, axes="base", loads=None):
    """q̈ (nv,) of A q̈ + b = μ + Cᵀ M + Dᵀ F (ch. 9) under drive torques μ (nv,), weights and `loads`."""
    A, b = equations_of_motion(model, q, qd, axes)
    return np.linalg.solve(A, mu + _right_side(model, q, axes, loads) - b)


def reactions(model, q, qd, qdd, loads=None):
    """Force and moment (n, 6) in each joint about its link's origin, in base axes (eq. 8.3 and 8.6); so are `loads`."""
    place, motion = links(model, q), blocks(model, q, qd)
    force, moment = [], []
    loads = np.zeros((model.n, 6)) if loads is None else loads
    for body, load, C, D, C_dot, D_dot, J in zip(model.bodies[1:], loads, *motion, strict=True):
        w = C @ qd
        force.append(body.mass * (D @ qdd + D_dot @ qd - model.gravity) - load[:3])
        moment.append(J @ (C @ qdd + C_dot @ qd) + cross(w, J @ w) - load[3:])
    rows = []
    for i, _ in model.edges:
        carried = [j - 1 for j in model.subtree[i]]
        arms = [place.com[j + 1] - place.origin[i] for j in carried]
        rows.append(np.concatenate([
            sum(force[j] for j in carried),
            sum(moment[j] + cross(arm, force[j]) for j, arm in zip(carried, arms, strict=True))]))
    return np.array(rows)


def _right_side(model, q, axes, loads):
    """Cᵀ M + Dᵀ F (nv,) of the weights and of external loads."""
    weights = gravity_load(model, q)
    return weights if loads is None else weights + external_load(model, q, loads, axes)


def _rates(model, place, i, v_com, speeds):
    """Ċ and Ḋ (3, nv) of the centre of mass of link i: directions turn with their link (ch. 7).

    `speeds`: per link its angular velocity and the velocity of its origin.
    """
    every, shape, C_dot, D_dot = slice(None), (3, model.nv), [], []
    for j in range(1, i + 1):
        if not model.path[i, j]:
            continue
        w, v = speeds[j]
        arm, arm_dot = place.com[i] - place.origin[j], v_com - v
        turned = cross(w, place.turn[j])
        C_dot.append((every, model.v_slice[j], turned))
        D_dot.append((every, model.v_slice[j], cross(w, place.slide[j]) + cross(turned, arm)
                      + cross(place.turn[j], arm_dot)))
    return assemble(shape, C_dot), assemble(shape, D_dot)
