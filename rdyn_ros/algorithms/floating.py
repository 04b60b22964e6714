"""Floating base: wrench from acceleration and acceleration from wrench (source 002, corrected)."""
import numpy as np

from .aba import hybrid_dynamics

BASE = frozenset([1])


def base_wrench(model, q, qd, a0, tau, f_ext=None):
    """(f_0, qdd): wrench (6,) that accelerates the root by a0 (6,) while the joints get tau (nv - 6,).

    f_0 = I_0^A a_0 + p_0^A in root axes at its origin; qdd (nv - 6,) are the accelerations of the joints.
    """
    qdd, tau = np.concatenate([a0, 0.0 * tau]), np.concatenate([0.0 * a0, tau])
    qdd, torque = hybrid_dynamics(model, q, qd, qdd, tau, BASE, f_ext)
    return torque[:6], qdd[6:]


def base_acceleration(model, q, qd, f0, tau, f_ext=None):
    """(a_0, qdd): accelerations of the root (6,) under the wrench f0 (6,), 0 in free fall, and joints."""
    given = np.concatenate([f0, tau])
    qdd, _ = hybrid_dynamics(model, q, qd, 0.0 * given, given, frozenset(), f_ext)
    return qdd[:6], qdd[6:]
