"""Centre of mass, momentum and the centroidal momentum matrix of all moving bodies, in base axes."""
import numpy as np

from ..spatial import cross
from .assemble import assemble
from .crba import composite_inertias
from .joint_kinematics import joint_transforms
from .kinematics import body_poses


def total_mass(model):
    """Mass of all moving bodies [kg]."""
    return sum(body.mass for body in model.bodies[1:])


def center_of_mass(model, q):
    """Centre of mass (3,) [m] of all moving bodies; the base's origin when none has mass."""
    return first_moment(model, q) / (total_mass(model) or 1.0)


def first_moment(model, q):
    """Σ m c (3,) [kg m] of all moving bodies."""
    pose = body_poses(model, q)
    moments = (model.bodies[i].mass * pose[i].p + pose[i].R @ model.I[i].h for i, _ in model.edges)
    return sum(moments, np.zeros(3))


def momentum_matrix(model, q):
    """A_0 (6, nv): A_0 qd is linear [kg m/s] and angular [kg m²/s] momentum about the base's origin.

    Columns I^C_i S_i of the composite bodies, carried to the base as forces are.
    """
    X, pose = joint_transforms(model, q), body_poses(model, q)
    return assemble((6, model.nv), ((slice(None), model.v_slice[i], pose[i].T @ (IC @ model.S[i]))
                                    for i, IC in composite_inertias(model, X)))


def centroidal_matrix(model, q):
    """A_G (6, nv): A_G qd is the momentum with its angular part about the centre of mass."""
    A, c = momentum_matrix(model, q), center_of_mass(model, q)
    return np.concatenate([A[:3], A[3:] - cross(c, A[:3])])


def com_jacobian(model, q):
    """J_G (3, nv): velocity of the centre of mass = linear momentum / mass."""
    return momentum_matrix(model, q)[:3] / (total_mass(model) or 1.0)
