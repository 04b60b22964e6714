"""Forward dynamics from the mass matrix: M qdd = tau - bias, solved in tree order."""
import numpy as np

from .crba import crba
from .ltl import dof_parents, ltdl, ltdl_solve
from .rnea import rnea


def forward_dynamics(model, q, qd, tau, f_ext=None):
    """qdd (nv,) = M⁻¹ (tau - C qd - g + Σ Jᵀ f_ext) by crba and LᵀDL; any tree, also with mimic joints."""
    parents = dof_parents(model)
    bias = rnea(model, q, qd, np.zeros(model.nv), f_ext=f_ext)
    return ltdl_solve(*ltdl(crba(model, q), parents), tau - bias, parents)
