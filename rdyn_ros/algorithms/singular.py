"""Whether the mass matrix can be inverted at all."""
import numpy as np

from .assemble import assemble
from .crba import composite_inertias, crba
from .joint_kinematics import joint_transforms
from .ltl import ltdl
from .sample import random_state

NOTHING = 1e-12   # share of the inertia carried by a joint below which what it moves is rounding


def is_solid(model):
    """Whether all bodies have mass and extent: then the mass matrix can be inverted wherever the robot stands."""
    return all(body.mass > 0 and _solid(body.inertia) for body in model.bodies[1:])


def inertialess_joint(model):
    """Name of a joint that moves no inertia of its own, wherever the robot stands; None for a sound robot."""
    if is_solid(model):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):        # a random state stands for all
        found = pivots(model, random_state(model, 0)[0], *range(model.nv))
    return lost_joint(model, range(model.nv), *found)


def pivots(model, q, *free):
    """Pivots of the rows and columns `free` of M at q (nq,), and the sizes of the inertia that each of them carries."""
    M = crba(model, q)[np.ix_(free, free)]
    return ltdl(M, range(-1, len(free) - 1))[1], _carried(model, q)[list(free)]


def lost_joint(model, free, pivots, sizes):
    """Name of the last joint among the coordinates `free` whose pivot is nothing beside what it carries, or None.

    Pivots and sizes are (len(free),) or (N, len(free)).
    """
    lost = np.flatnonzero(np.atleast_2d(~(pivots > NOTHING * sizes)).any(axis=0))
    if not len(lost):
        return None
    column = free[lost[-1]]
    driven = (i for i, _ in model.edges if column in range(model.nv)[model.v_slice[i]])
    return model.bodies[next(driven)].joint.name


def _carried(model, q):
    """Per coordinate the size (nv,) of the inertia it carries: mass, or trace of the tensor."""
    blocks = []
    for i, IC in composite_inertias(model, joint_transforms(model, q)):
        linear, angular = (model.S[i][:3]**2).sum(0), (model.S[i][3:]**2).sum(0)
        blocks.append((model.v_slice[i], 0, IC.m * linear + np.trace(IC.J) * angular))
    return assemble((model.nv, 1), blocks)[:, 0]


def _solid(tensor):
    moments = np.linalg.eigvalsh(tensor)
    return moments[0] > NOTHING * moments[-1]
