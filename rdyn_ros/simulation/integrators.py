"""One step of q' = v, v' = a(q, v) over h [s], for joint vectors q, v (n,).

The acceleration function takes one state, or a stack of states (k, n) at once.
"""
import numpy as np

R3 = np.sqrt(3.0)
GAUSS = np.array([[0.25, 0.25 - R3 / 6.0], [0.25 + R3 / 6.0, 0.25]])      # Butcher matrix, weights are 1/2


def semi_implicit_euler(acceleration, q, v, h):
    """Symplectic for separable systems, first order: v first, then q with the new v."""
    v = v + h * acceleration(q, v)
    return q + h * v, v


def rk4(acceleration, q, v, h):
    """Classical Runge-Kutta, fourth order, explicit."""
    k1 = acceleration(q, v)
    v2 = v + 0.5 * h * k1
    k2 = acceleration(q + 0.5 * h * v, v2)
    v3 = v + 0.5 * h * k2
    k3 = acceleration(q + 0.5 * h * v2, v3)
    v4 = v + h * k3
    k4 = acceleration(q + h * v3, v4)
    return q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def gauss_legendre(acceleration, q, v, h, tolerance=1e-13, iterations=30):
    """Two-stage Gauss-Legendre, fourth order, implicit, symplectic.

    The energy of a free robot does not drift.

    The stages are found by fixed-point iteration, until the velocity changes by less than the tolerance
    relative to its size (Hairer, Lubich, Wanner, Geometric Numerical Integration, ch. II and VIII).
    """
    a = np.repeat(acceleration(q, v)[None], 2, axis=0)                    # (2, n) at the two stages
    size = tolerance * (1.0 + np.abs(v).max())
    for _ in range(iterations):
        V = v + h * (GAUSS @ a)
        before, a = a, acceleration(q + h * (GAUSS @ V), V)
        if abs(h) * np.abs(a - before).max() <= size:
            break
    V = v + h * (GAUSS @ a)
    return q + 0.5 * h * V.sum(axis=0), v + 0.5 * h * a.sum(axis=0)


SCHEMES = {"semi_implicit_euler": semi_implicit_euler, "rk4": rk4, "gauss_legendre": gauss_legendre}
