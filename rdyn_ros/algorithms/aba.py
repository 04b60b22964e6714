"""Forward and hybrid dynamics by articulated bodies (sources 000 and 002 with their misprints put right).

A joint of which the acceleration is given passes its inertia on whole; a joint of which the torque is given
passes on what is left after its own freedom took its share:
I^a = I^A - U D⁻¹ Uᵀ, p^a = p^A + I^a c + U D⁻¹ u, with U = I^A S, D = Sᵀ U + rotor inertia, u = tau - Sᵀ p^A.
"""
import numpy as np

from ..errors import RdynError
from ..spatial import cross_force, cross_motion
from .joint_kinematics import joint_transforms
from .ltl import solve_spd


def aba(model, q, qd, tau, f_ext=None):
    """qdd (nv,) of a tree without mimic joints; arguments as for rnea."""
    return hybrid_dynamics(model, q, qd, np.zeros(model.nv), tau, frozenset(), f_ext)[0]


def hybrid_dynamics(model, q, qd, qdd, tau, prescribed, f_ext=None):
    """(qdd, tau), both whole (nv,), of a tree without mimic joints.

    `prescribed` holds the numbers of the bodies whose joints have their part of qdd given (the rest of qdd is
    not read); the other joints have their part of tau given. A floating base is body 1: prescribed, its tau
    is the wrench f_0 that moves it so; else its tau, zero when nothing holds it, gives its acceleration.
    """
    if model.has_mimic:
        raise RdynError(f"{model.name} has mimic joints, which articulated bodies do not cover; "
                        "use the mass matrix (forward_dynamics.py, hybrid.py)")
    X, S = joint_transforms(model, q), model.S
    v, c, IA, pA = [np.zeros(6)], [np.zeros(6)], [np.zeros((6, 6))], [np.zeros(6)]
    for i, p in model.edges:
        vJ = S[i] @ qd[model.v_slice[i]]
        v.append(X[i] @ v[p] + vJ)
        c.append(cross_motion(v[i], vJ))
        IA.append(model.I[i].matrix)
        bias = cross_force(v[i], model.I[i] @ v[i])
        pA.append(bias if f_ext is None else bias - f_ext[i])
    U, D, u = [None] * (model.n + 1), [None] * (model.n + 1), [None] * (model.n + 1)
    for i, p in reversed(model.edges):
        s = model.v_slice[i]
        U[i] = IA[i] @ S[i]
        D[i] = S[i].T @ U[i] + np.diag(model.armature[s])
        if i in prescribed:
            Ia, pa = IA[i], pA[i] + IA[i] @ (c[i] + S[i] @ qdd[s])
        else:
            u[i] = tau[s] - S[i].T @ pA[i]
            Ia = IA[i] - U[i] @ solve_spd(D[i], U[i].T)
            pa = pA[i] + Ia @ c[i] + U[i] @ solve_spd(D[i], u[i])
        if p:
            E = X[i].matrix
            IA[p] = IA[p] + E.T @ Ia @ E
            pA[p] = pA[p] + X[i].T @ pa
    none = np.zeros(0)
    a, accelerations, torques = [np.concatenate([-model.gravity, np.zeros(3)])], [none], [none]
    for i, p in model.edges:
        s = model.v_slice[i]
        free = X[i] @ a[p] + c[i]
        joint = qdd[s] if i in prescribed else solve_spd(D[i], u[i] - U[i].T @ free)
        a.append(free + S[i] @ joint)
        if i in prescribed:
            torques.append(S[i].T @ (IA[i] @ a[i] + pA[i]) + model.armature[s] * joint)
        else:
            torques.append(tau[s])
        accelerations.append(joint)
    return np.concatenate(accelerations), np.concatenate(torques)
