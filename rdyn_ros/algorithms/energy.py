"""Kinetic and potential energy of the moving bodies [J]."""
from .kinematics import body_velocities
from .momentum import first_moment


def kinetic_energy(model, q, qd):
    """½ Σ vᵀ I v + ½ Σ rotor inertia qd² = ½ qdᵀ M qd."""
    v = body_velocities(model, q, qd)
    bodies = sum(v[i] @ (model.I[i] @ v[i]) for i, _ in model.edges)
    return 0.5 * (bodies + qd @ (model.armature * qd))


def potential_energy(model, q):
    """-g · Σ m c, zero with the centre of mass at the height of the base's origin."""
    return -(model.gravity @ first_moment(model, q))
