"""Derivatives of inverse and forward dynamics, analytic, O(n · depth) (Singh, Russell and Wensing 2022).

Derivatives by a floating base are by its tangent: a small motion of the root in its own axes, as qd is.
"""
import numpy as np

from ..spatial import cross_force
from .assemble import assemble
from .common_frame import common_tree, joint_torques, root_paths, subtree_sums
from .ltl import dof_parents, ltdl, ltdl_inverse, ltdl_solve


def rnea_derivatives(model, q, qd, qdd, gravity=None):
    """dtau/dq, dtau/dqd, dtau/dqdd = M, each (nv, nv).

    With Ψ̇_j = v_λ × S_j, Ψ̈_j = a_λ × S_j + v_λ × Ψ̇_j, Ṡ_j = v_j × S_j and I, B, f summed over the subtree
    of i, for j on the path from i to the base:
    dtau_i/dq_j = S_iᵀ (2 B Ψ̇_j + I Ψ̈_j),              dtau_i/dqd_j = S_iᵀ (2 B S_j + I (Ψ̇_j + Ṡ_j)),
    dtau_j/dq_i = S_jᵀ (2 B Ψ̇_i + I Ψ̈_i + S_i ×* f),   dtau_j/dqd_i = S_jᵀ (2 B S_i + I (Ψ̇_i + Ṡ_i)).
    """
    S, psi1, psi2, S_dot, _, _, *sums = common_tree(model, q, qd, qdd, gravity)
    I, B, f = (subtree_sums(model, values) for values in sums)
    rate = [psi + dot for psi, dot in zip(psi1, S_dot, strict=True)]      # Ψ̇ + Ṡ
    every = slice(None)
    by_q, by_qd, by_qdd = [], [], [(every, every, np.diag(model.armature))]
    for i, path in enumerate(root_paths(model)):
        U, V = I[i] @ S[i], 2.0 * B[i].transposed(S[i])
        wrench_q = 2.0 * (B[i] @ psi1[i]) + I[i] @ psi2[i] + cross_force(S[i], f[i])
        wrench_qd = 2.0 * (B[i] @ S[i]) + I[i] @ rate[i]
        for j in path:
            s, t, H = model.v_slice[i], model.v_slice[j], U.T @ S[j]
            by_q.append((s, t, U.T @ psi2[j] + V.T @ psi1[j]))
            by_qd.append((s, t, U.T @ rate[j] + V.T @ S[j]))
            by_qdd.append((s, t, H))
            if j != i:
                by_q.append((t, s, S[j].T @ wrench_q))
                by_qd.append((t, s, S[j].T @ wrench_qd))
                by_qdd.append((t, s, H.T))
    return tuple(assemble((model.nv, model.nv), blocks) for blocks in (by_q, by_qd, by_qdd))


def forward_dynamics_derivatives(model, q, qd, tau):
    """dqdd/dq = -M⁻¹ dtau/dq, dqdd/dqd = -M⁻¹ dtau/dqd, dqdd/dtau = M⁻¹, each (nv, nv), at the qdd of tau."""
    parents, still = dof_parents(model), np.zeros(model.nv)
    L, d = ltdl(rnea_derivatives(model, q, qd, still)[2], parents)      # M does not depend on qdd
    bias = joint_torques(model, common_tree(model, q, qd, still))
    qdd = ltdl_solve(L, d, tau - bias, parents)
    by_q, by_qd, _ = rnea_derivatives(model, q, qd, qdd)
    return ltdl_solve(L, -d, by_q, parents), ltdl_solve(L, -d, by_qd, parents), ltdl_inverse(L, d, parents)
