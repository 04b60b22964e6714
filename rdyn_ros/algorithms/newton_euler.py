"""Inverse dynamics by the vector Newton-Euler recursion, link to link in link axes (source 004).

An independent formulation: 3-vectors only, Newton's and Euler's equations about each centre of mass, with the
Coriolis term 2 ω × ḋ z of prismatic joints written out.
"""
import numpy as np

from ..spatial import cross, quaternion_matrix, rodrigues


def inverse_dynamics(model, q, qd, qdd, loads=None):
    """tau (nv,), rotor inertia included.

    `loads`: per body None or (force, moment) on it at its origin, in link axes.
    """
    f, n, _ = link_loads(model, q, qd, qdd, loads)
    tau = model.armature * qdd
    for i, _ in model.edges:
        joint, s, ratio = model.bodies[i].joint, model.v_slice[i], model.ratio[i]
        if joint.kind == "floating":
            own = np.concatenate([f[i], n[i]])
        else:
            own = ratio * np.array([joint.axis @ (f[i] if joint.kind == "prismatic" else n[i])])
        tau = np.concatenate([tau[:s.start], tau[s] + own, tau[s.stop:]])
    return tau


def link_loads(model, q, qd, qdd, loads=None):
    """Per body force f and moment n in its joint about its origin, link axes; rotation R to its parent."""
    w, alpha, acc = [np.zeros(3)], [np.zeros(3)], [-model.gravity]
    R, p, F, N = [None], [None], [np.zeros(3)], [np.zeros(3)]
    for i, up in model.edges:                          # outward: motion of the links
        Ri, pi, rates = _joint(model, i, q, qd, qdd)
        (v_rel, w_rel), (a_rel, alpha_rel) = rates
        E, body = Ri.T, model.bodies[i]
        w_up = E @ w[up]
        carried = E @ (acc[up] + cross(alpha[up], pi) + cross(w[up], cross(w[up], pi)))
        w.append(w_up + w_rel)
        alpha.append(E @ alpha[up] + alpha_rel + cross(w_up, w_rel))
        acc.append(carried + a_rel + 2.0 * cross(w_up, v_rel))
        a_com = acc[i] + cross(alpha[i], body.com) + cross(w[i], cross(w[i], body.com))
        F.append(body.mass * a_com)                                            # Newton
        N.append(body.inertia @ alpha[i] + cross(w[i], body.inertia @ w[i]))   # Euler
        R.append(Ri)
        p.append(pi)
    f, n = list(F), [np.zeros(3)] * (model.n + 1)
    for i, _ in model.edges:
        n[i] = N[i] + cross(model.bodies[i].com, F[i])
        if loads is not None and loads[i] is not None:
            f[i], n[i] = f[i] - loads[i][0], n[i] - loads[i][1]
    for i, up in reversed(model.edges):                # inward: forces and moments
        force = R[i] @ f[i]
        f[up], n[up] = f[up] + force, n[up] + R[i] @ n[i] + cross(p[i], force)
    return f, n, R


def _joint(model, i, q, qd, qdd):
    """Rotation and origin of link i in its parent; its relative velocity and acceleration, link axes."""
    body, s, ratio = model.bodies[i], model.v_slice[i], model.ratio[i]
    kind, axis, zero = body.joint.kind, body.joint.axis, np.zeros(3)
    x = q[model.q_slice[i]]
    if kind == "floating":
        v, w, a, alpha = qd[s][:3], qd[s][3:], qdd[s][:3], qdd[s][3:]
        return body.R @ quaternion_matrix(x[3:]), body.p + body.R @ x[:3], ((v, w), (a + cross(w, v), alpha))
    theta, speed, rise = ratio * x[0] + model.offset[i], ratio * qd[s][0] * axis, ratio * qdd[s][0] * axis
    if kind == "prismatic":
        return body.R, body.p + body.R @ axis * theta, ((speed, zero), (rise, zero))
    return body.R @ rodrigues(axis, theta), body.p, ((zero, speed), (zero, rise))
