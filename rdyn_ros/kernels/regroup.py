"""Fewer inertial parameters for the same motion.

Turning about its own axis a does not move a body whose first moment lies along a and whose tensor is
α (1 - aaᵀ). That much of a link can therefore be given to its parent: energies, and so all torques, stay
the same, and the link keeps fewer numbers to compute with (Gautier and Khalil 1990). A sliding joint passes
on the whole tensor.
"""
import numpy as np

from .. import algorithms as alg
from ..spatial import Inertia

TORQUES = frozenset({       # algorithms whose results are torques, or follow from torques
    alg.rnea, alg.gravity_torque, alg.coriolis_torque, alg.bias_torque, alg.crba, alg.forward_dynamics,
    alg.coriolis_matrix, alg.christoffel, alg.rnea_derivatives, alg.forward_dynamics_derivatives,
    alg.kinetic_energy})


def regrouped(model):
    """Model with the inertias moved towards the base as far as that changes no torque.

    Only its `I` differs; the bodies' own mass, com and inertia still describe the robot.
    """
    X, inertias = alg.joint_transforms(model, alg.neutral(model)), list(model.I)
    for i, p in reversed(model.edges):
        shared = _unfelt(inertias[i], model.bodies[i].joint)
        if shared is not None:
            inertias[i] = _without(inertias[i], shared)
            inertias[p] = inertias[p] + shared.in_parent(X[i])
    changed = model.replace()
    changed.__dict__["I"] = tuple(inertias)
    return changed


def _unfelt(I, joint):
    """The part of a body's Inertia that its joint cannot feel; None for a floating base."""
    if joint.kind == "floating":
        return None
    if joint.kind == "prismatic":
        return Inertia(0.0, np.zeros(3), I.J)
    a = joint.axis
    e = np.eye(3)[np.argmin(abs(a))]            # an axis across a, along which the tensor loses an entry
    e = e - (a @ e) * a
    alpha = e @ I.J @ e / (e @ e)
    return Inertia(I.m, (a @ I.h) * a, alpha * (np.eye(3) - np.outer(a, a)))


def _without(I, part):
    """I - part, with exact zeros where only rounding is left."""
    scale = np.finfo(float).eps * 8
    h, J = I.h - part.h, I.J - part.J
    return Inertia(I.m - part.m, np.where(abs(h) <= scale * abs(I.h).max(), 0.0, h),
                   np.where(abs(J) <= scale * abs(I.J).max(), 0.0, J))
