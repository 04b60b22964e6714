"""Whether the mass matrix can be inverted at all."""
import numpy as np

from .crba import composite_inertias, crba
from .joint_kinematics import joint_transforms
from .ltl import ltdl
from .sample import random_state

NOTHING = 1e-12   # share of the inertia carried by a joint below which what it moves is rounding


def is_solid(model):
    """Whether all bodies have mass and extent: then the mass matrix can be inverted wherever the robot stands."""
    return all(body.mass > 0 and _solid(body.inertia) for body in model.bodies[1:])


def inertialess_joint(model, q=None, free=None):
    """Name of a joint that moves no inertia of its own at q (nq,); None for a sound robot.

    The pivots of M, of its rows and columns `free` when given, decide. Without q a random state stands for all.
    """
    if is_solid(model):
        return None
    q = random_state(model, 0)[0] if q is None else q
    free = np.arange(model.nv) if free is None else free
    with np.errstate(divide="ignore", invalid="ignore"):
        pivots = ltdl(crba(model, q)[np.ix_(free, free)], range(-1, len(free) - 1))[1]
    lost = free[~(pivots > NOTHING * _carried(model, q)[free])]
    if not len(lost):
        return None
    driven = (i for i, _ in model.edges if lost[-1] in range(model.nv)[model.v_slice[i]])
    return model.bodies[next(driven)].joint.name


def _carried(model, q):
    """Per coordinate the size (nv,) of the inertia it carries: mass, or trace of the tensor."""
    size = np.zeros(model.nv)
    composite = composite_inertias(model, joint_transforms(model, q))
    for i, _ in model.edges:
        linear, angular = model.S[i][:3]**2, model.S[i][3:]**2
        size[model.v_slice[i]] += composite[i].m * linear.sum(0) + np.trace(composite[i].J) * angular.sum(0)
    return size


def _solid(tensor):
    moments = np.linalg.eigvalsh(tensor)
    return moments[0] > NOTHING * moments[-1]
