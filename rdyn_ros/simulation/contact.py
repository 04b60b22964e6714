"""Dry friction, joint stops and brakes as impulses in one step: sticking is exact and nothing is stiff."""
import numpy as np

BLOCKS = 10        # rounds in which all wrong guesses are changed at once, before they are changed one by one


def impulses(M, v, lower, upper, target):
    """Joint impulses p (n,) [N m s], lower ≤ p ≤ upper, and v + M⁻¹ p (n,), as near to the target as it can be.

    M (n, n) mass matrix; v (n,) velocity without impulses. Each joint reaches its target, or its impulse is at
    a bound: +1 upper, -1 lower, 0 inside. The guess is improved until it is right (principal pivoting; one
    change at a time, the last wrong one, always ends: Murty 1974).
    """
    p = M @ (target - v)
    if ((lower <= p) & (p <= upper)).all():  # an arm that stands
        return p, target
    A, n = np.linalg.inv(M), len(v)
    at = np.zeros(n, int)
    for round_ in range(BLOCKS + 2 ** min(n, 10)):
        free = at == 0
        p = np.where(at > 0, upper, np.where(at < 0, lower, 0.0))
        if free.any():
            p[free] = np.linalg.solve(A[np.ix_(free, free)], (target - v - A @ p)[free])
        miss = target - (v + A @ p)                         # velocity that is still wanted
        wrong = np.where(free, (p > upper) | (p < lower), at * miss < -1e-12)
        if not wrong.any():
            break
        change = wrong if round_ < BLOCKS else np.arange(n) == np.flatnonzero(wrong)[-1]
        at = np.where(change, np.where(free, np.sign(p - np.clip(p, lower, upper)), 0), at)
    p = np.clip(p, lower, upper)
    return p, v + A @ p
