"""Algorithms whose arguments are more than vectors, put so that a kernel can take them: vectors, then options."""
import numpy as np

from .. import algorithms as alg


def loaded_reactions(model, q, qd, qdd, *rest):
    """Joint reactions under wrenches (6,) on frames; rest = the wrenches, the names of their frames, the axes."""
    *wrenches, frames, axes = rest
    loads = alg.body_wrenches(model, q, dict(zip(frames, wrenches, strict=True)))
    return alg.joint_reactions(model, q, qd, qdd, loads, axes)


def hybrid_dynamics(model, q, qd, qdd, tau, *prescribed):
    """(qdd, tau) with the coordinates marked in `prescribed`, nv truth values, having their qdd given."""
    return alg.hybrid_dynamics_by_mass_matrix(model, q, qd, qdd, tau, np.array(prescribed, dtype=bool))
