"""The terms of M qdd + C qd + g + friction = tau, each from rnea with the other arguments zero."""
import numpy as np

from .rnea import rnea

SLIP = 0.01   # speed at which Coulomb friction has reached 76 % [rad/s or m/s]


def gravity_torque(model, q):
    """g(q) (nv,): torques that hold the robot still."""
    still = np.zeros(model.nv)
    return rnea(model, q, still, still)


def coriolis_torque(model, q, qd):
    """C(q, qd) qd (nv,): centrifugal and Coriolis torques."""
    return rnea(model, q, qd, np.zeros(model.nv), gravity=np.zeros(3))


def bias_torque(model, q, qd):
    """C(q, qd) qd + g(q) (nv,)."""
    return rnea(model, q, qd, np.zeros(model.nv))


def friction_torque(model, qd):
    """Viscous and smoothed Coulomb friction (nv,): viscous qd + Gᵀ coulomb tanh(G qd / 0.01).

    G qd are the velocities of the joints with dry friction: those of qd, and ratio times it in a follower.
    """
    G, coulomb = model.dry_joints
    return model.viscous * qd + G.T @ (coulomb * np.tanh(G @ qd / SLIP))
