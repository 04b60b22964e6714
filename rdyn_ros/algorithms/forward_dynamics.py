"""Forward dynamics: articulated bodies where the tree is deep, else M qdd = tau - bias solved in tree order."""
import numpy as np

from .aba import aba
from .crba import crba
from .ltl import depths, dof_parents, ltdl, ltdl_solve
from .rnea import rnea

DEEP = 130.0    # mean square of the depth, as of a chain of 20: LᵀDL takes the fewer operations below it


def forward_dynamics(model, q, qd, tau, f_ext=None):
    """qdd (nv,) = M⁻¹ (tau - C qd - g + Σ Jᵀ f_ext), f_ext as for rnea, by the way that takes fewer operations."""
    deep = not model.has_mimic and (depths(dof_parents(model))**2).sum() > DEEP * model.nv
    return (aba if deep else forward_dynamics_by_mass_matrix)(model, q, qd, tau, f_ext)


def forward_dynamics_by_mass_matrix(model, q, qd, tau, f_ext=None):
    """The same by crba and LᵀDL; any tree, also with mimic joints."""
    parents = dof_parents(model)
    L, d = ltdl(crba(model, q), parents)        # first: its long chain of divisions runs beside the bias
    bias = rnea(model, q, qd, np.zeros(model.nv), f_ext=f_ext)
    return ltdl_solve(L, d, tau - bias, parents)
