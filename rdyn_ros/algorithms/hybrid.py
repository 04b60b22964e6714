"""Hybrid dynamics from the mass matrix: some accelerations given, the other torques; mimic joints too."""
import numpy as np

from .crba import crba
from .ltl import solve_spd
from .rnea import rnea


def hybrid_dynamics_by_mass_matrix(model, q, qd, qdd, tau, prescribed, f_ext=None):
    """(qdd, tau), both whole (nv,); `prescribed` (nv,) bool marks the coordinates whose qdd is given.

    Rows of M qdd + bias = tau with unknown qdd are solved for it, the other rows then give tau.
    """
    M, bias = crba(model, q), rnea(model, q, qd, np.zeros(model.nv), f_ext=f_ext)
    free = ~prescribed
    qdd = np.where(prescribed, qdd, 0.0)
    qdd[free] = solve_spd(M[np.ix_(free, free)], (tau - bias - M @ qdd)[free])
    return qdd, np.where(prescribed, M @ qdd + bias, tau)
