"""Factorisation of the mass matrix in tree order: the zeros between branches stay zero (source 000)."""
import numpy as np


def dof_parents(model):
    """Per velocity coordinate the next one towards the base, -1 at the root.

    Mimic joints couple branches, so for them the tree is the chain 0, 1, 2, ..., which is always right.
    """
    if model.has_mimic:
        return tuple(range(-1, model.nv - 1))
    parents = []
    for i, p in model.edges:
        s, above = model.v_slice[i], model.v_slice[p]
        parents += [above.stop - 1, *range(s.start, s.stop - 1)]
    return tuple(parents)


def depths(parents):
    """Per coordinate (nv,) how many there are from it to the root, itself included."""
    depth = []
    for p in parents:
        depth.append(1 if p < 0 else depth[p] + 1)
    return np.array(depth)


def ltdl(M, parents):
    """Unit lower triangular L (n, n) and pivots d (n,) with M = Lᵀ diag(d) L; leaves are eliminated first."""
    L = [list(row) for row in M]
    for k in reversed(range(len(L))):
        for i in _ancestors(k, parents):
            a = L[k][i] / L[k][k]
            for j in (i, *_ancestors(i, parents)):
                L[i][j] = L[i][j] - a * L[k][j]
            L[k][i] = a
    d = np.array([L[k][k] for k in range(len(L))])
    for k, row in enumerate(L):
        row[k:] = [1.0] + [0.0] * (len(L) - k - 1)
    return np.array(L).reshape(len(d), len(d)), d


def ltl(M, parents):
    """Lower triangular L (n, n) with M = Lᵀ L."""
    L, d = ltdl(M, parents)
    return np.sqrt(d)[:, None] * L


def ltdl_solve(L, d, b, parents):
    """x with Lᵀ diag(d) L x = b; b (n,) or (n, m)."""
    x = list(b)
    for k in reversed(range(len(d))):
        for i in _ancestors(k, parents):
            x[i] = x[i] - L[k][i] * x[k]
    for k in range(len(d)):
        x[k] = x[k] / d[k]
        for i in _ancestors(k, parents):
            x[k] = x[k] - L[k][i] * x[i]
    return np.array(x).reshape(np.shape(b))


def ltdl_inverse(L, d, parents):
    """(Lᵀ diag(d) L)⁻¹ (n, n), symmetric to the bit: its upper triangle, mirrored."""
    x, n = ltdl_solve(L, d, np.eye(len(d)), parents), len(d)
    return np.array([[x[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])


def solve_spd(M, b):
    """x with M x = b for a small dense symmetric positive definite M, numbers or symbols."""
    chain = tuple(range(-1, len(M) - 1))
    return ltdl_solve(*ltdl(M, chain), b, chain)


def _ancestors(k, parents):
    k = parents[k]
    while k >= 0:
        yield k
        k = parents[k]
