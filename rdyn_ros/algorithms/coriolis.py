"""Coriolis matrix and Christoffel symbols."""
import numpy as np

from .assemble import assemble
from .common_frame import common_tree, root_paths, subtree_sums


def coriolis_matrix(model, q, qd):
    """C(q, qd) (nv, nv): C qd is the Coriolis torque and Ṁ - 2 C is skew (Echeandia and Wensing 2021).

    For j on the path from i to the base, with I and B summed over the subtree of i:
    C_ij = S_iᵀ (I Ṡ_j + B S_j), C_ji = S_jᵀ (I Ṡ_i + B S_i), Ṡ = v × S.
    """
    tree = common_tree(model, q, qd, np.zeros(model.nv))
    S, rate, I, B = tree.S, tree.S_dot, subtree_sums(model, tree.I), subtree_sums(model, tree.B)
    blocks = []
    for i, path in enumerate(root_paths(model)):
        U, V, wrench = I[i] @ S[i], B[i].transposed(S[i]), I[i] @ rate[i] + B[i] @ S[i]
        for j in path:
            s, t = model.v_slice[i], model.v_slice[j]
            blocks.append((s, t, U.T @ rate[j] + V.T @ S[j]))
            if j != i:
                blocks.append((t, s, S[j].T @ wrench))
    return assemble((model.nv, model.nv), blocks)


def christoffel(model, q):
    """Γ (nv, nv, nv) of the first kind: Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i), C = Γ qd.

    C is linear in qd, so its columns of Γ are C at unit speeds. (With a floating base, whose qd is not the
    rate of its q, this is the same linear map but has no such derivative form in the base's six places.)
    """
    by_speed = np.array([coriolis_matrix(model, q, unit) for unit in np.eye(model.nv)])
    return by_speed.reshape((model.nv,) * 3).transpose(1, 2, 0)
