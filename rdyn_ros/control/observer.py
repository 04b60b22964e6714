"""Momentum observer: external joint torques without accelerations, and the wrench at the tool that explains them.

Generalised momentum p = M(q) qd obeys dp/dt = tau + tau_ext + C(q, qd)ᵀ qd - g(q) - friction. The residual r follows
tau_ext like a first-order filter with gain K: dr/dt = K (tau_ext - r), here with implicit steps, stable for
any K dt.
"""
from typing import NamedTuple

import numpy as np


class Observed(NamedTuple):
    """Estimate r (n,) [N m or N] of the external joint torques, and the state (q, qd) it belongs to."""

    external: np.ndarray
    q: np.ndarray
    qd: np.ndarray


def start_observer(q, qd):
    """Estimate of zero at the state (q, qd)."""
    return Observed(np.zeros(len(q)), q, qd)


def observe(robot, before, q, qd, tau, dt, gain):
    """Estimate r = (r_before + K (p - p_before - dt b)) / (1 + K dt) after dt [s].

    tau (n,) is the motor torque held over dt; b = tau + Cᵀ qd - g - friction at the middle of the step; gain K
    [1/s] is (n,) or one number. Both momenta are taken with the same robot, so a payload that changes in between
    makes no jump.
    """
    qm, vm = 0.5 * (before.q + q), 0.5 * (before.qd + qd)
    b = tau + robot.coriolis_matrix(qm, vm).T @ vm - robot.gravity_torque(qm) - robot.friction_torque(vm)
    dp = robot.mass_matrix(q) @ qd - robot.mass_matrix(before.q) @ before.qd
    return Observed((before.external + gain * (dp - dt * b)) / (1.0 + gain * dt), q, qd)


def tip_wrench(robot, q, external, frame=None):
    """Wrench w (fx fy fz tx ty tz) at the frame's origin, base axes, with Jᵀ w nearest to `external` (n,)."""
    return np.linalg.lstsq(robot.jacobian(q, frame).T, external, rcond=1e-3)[0]


def collision(external, threshold):
    """True when any joint's external torque is beyond its threshold (n,) [N m or N]; 0 = no threshold."""
    return bool(np.any((np.abs(external) > threshold) & (threshold > 0.0)))
