"""Dry friction, joint stops and brakes as impulses in one step: sticking is exact and nothing is stiff."""
import numpy as np


def impulses(A, v, lower, upper, target, start, sweeps=50, tolerance=1e-12):
    """Joint impulses p (n,) [N m s] within lower ..

    Upper that bring v + A p as near to the target as they can.

    A (n, n) inverse mass matrix, v (n,) velocity without them. Each p_i is at a bound, or v_i = target_i:
    projected Gauss-Seidel, which converges because A is symmetric and positive. start (n,): impulses to begin
    from, best those that would reach the target if there were no bounds.
    """
    p = np.clip(start, lower, upper)
    w = v - target + A @ p
    active = np.flatnonzero((lower < 0.0) | (upper > 0.0))
    for _ in range(sweeps):
        largest = 0.0
        for i in active:
            new = min(max(p[i] - w[i] / A[i, i], lower[i]), upper[i])
            change = new - p[i]
            if change:
                w = w + A[:, i] * change
                p[i] = new
                largest = max(largest, abs(change))
        if largest <= tolerance:
            break
    return p
