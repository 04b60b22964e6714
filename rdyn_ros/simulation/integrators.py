"""One step of q' = v, v' = a(q, v) over h [s], for joint vectors q, v (n,).

The acceleration function takes one state, or a stack of states (k, n) at once. Z (n, n) = h M⁻¹ B says how stiff
its viscous friction -M⁻¹ B v is; None: it has none, or too little to matter.
"""
from typing import NamedTuple

import numpy as np

from ..errors import RdynError

R3 = np.sqrt(3.0)
GAUSS = np.array([[0.25, 0.25 - R3 / 6.0], [0.25 + R3 / 6.0, 0.25]]), np.array([0.5, 0.5]), 1 / 2, 1 / 12
RADAU = np.array([[5.0, -1.0], [9.0, 3.0]]) / 12.0, np.array([0.75, 0.25]), 2 / 3, 1 / 6   # A, b, tr A, det A
STIFF = 1.0             # trace of Z from which friction is faster than the step
RK4_STABLE = 2.7        # largest eigenvalue of Z that rk4 takes; it grows without bound from 2.785 on
ITERATIONS = 30
TOLERANCE, ENOUGH, RUNAWAY = 1e-13, 1e-9, 1e6       # of velocity: wanted, taken after all iterations, hopeless


class Step(NamedTuple):
    """State after the step; a force f (n,) held over it would add h phi M⁻¹ f to v and h² psi M⁻¹ f to q.

    phi and psi are (n, n), or numbers when there is no Z.
    """

    q: np.ndarray
    v: np.ndarray
    phi: np.ndarray | float
    psi: np.ndarray | float


def semi_implicit_euler(acceleration, q, v, h, Z=None):
    """Symplectic for separable systems, first order: v first, friction with the new v, then q with the new v."""
    phi = 1.0 if Z is None else np.linalg.inv(np.eye(len(q)) + Z)
    v = v + h * np.dot(phi, acceleration(q, v))
    return Step(q + h * v, v, phi, phi)


def rk4(acceleration, q, v, h, Z=None):
    """Classical Runge-Kutta, fourth order, explicit: refused where friction is too stiff for it."""
    phi, psi = (1.0, 0.5) if Z is None else _rk4_response(Z)
    k1 = acceleration(q, v)
    v2 = v + 0.5 * h * k1
    k2 = acceleration(q + 0.5 * h * v, v2)
    v3 = v + 0.5 * h * k2
    k3 = acceleration(q + 0.5 * h * v2, v3)
    v4 = v + h * k3
    k4 = acceleration(q + h * v3, v4)
    return Step(q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), phi, psi)


def gauss_legendre(acceleration, q, v, h, Z=None):
    """Two-stage Gauss-Legendre, fourth order, implicit, symplectic: the energy of a free robot does not drift.

    Where friction is faster than the step, Radau IIA (third order) takes its place, which damps as friction does.
    The accelerations a (2, n) of the stages are found by Newton's method with the Jacobian -1 - A ⊗ Z, until the
    velocity changes by less than TOLERANCE relative to its size. Its inverse needs matrices of n rows only:
    (1 + A ⊗ Z)⁻¹ = (1 + (tr A - A) ⊗ Z) (1 ⊗ P⁻¹), P = 1 + tr A Z + det A Z² (Cayley-Hamilton). Without Z this is
    fixed-point iteration (Hairer, Lubich, Wanner, Geometric Numerical Integration, ch. II and VIII; Hairer,
    Wanner, Solving Ordinary Differential Equations II, ch. IV).
    """
    A, b, trace, det = GAUSS if Z is None or Z.trace() < STIFF else RADAU
    phi, psi, solve = (1.0, 0.5, None) if Z is None else _implicit_response(A, trace, det, Z)
    a = np.repeat(acceleration(q, v)[None], 2, axis=0)
    size = 1.0 + np.abs(v).max()
    for _ in range(ITERATIONS):
        V = v + h * (A @ a)
        change = acceleration(q + h * (A @ V), V) - a
        change = change if solve is None else solve(change)
        a = a + change
        moved = abs(h) * np.abs(change).max() / size
        if moved <= TOLERANCE or not moved <= RUNAWAY:
            break
    if not moved <= ENOUGH:
        raise RdynError(f"gauss_legendre does not converge with a step of {h:g} s: velocities still change by "
                        f"{moved:.1g} of their size; take a smaller step")
    V = v + h * (A @ a)
    return Step(q + h * (b @ V), v + h * (b @ a), phi, psi)


SCHEMES = {"semi_implicit_euler": semi_implicit_euler, "rk4": rk4, "gauss_legendre": gauss_legendre}


def _implicit_response(A, trace, det, Z):
    """phi and psi of a two-stage method with Butcher matrix A, and r (2, n) -> (1 + A ⊗ Z)⁻¹ r."""
    P = np.linalg.inv(np.eye(len(Z)) + trace * Z + det * (Z @ Z))
    ZP = Z @ P
    return P + (trace - 0.5) * ZP, 0.5 * P + det * ZP, lambda r: r @ P.T + (trace * r - A @ r) @ ZP.T


def _rk4_response(Z):
    """phi, psi of rk4; refuses a Z for which it is not stable."""
    stiffness = Z.trace()
    if stiffness > RK4_STABLE and (stiffness := np.abs(np.linalg.eigvals(Z)).max()) > RK4_STABLE:
        raise RdynError(f"viscous friction is too stiff for rk4: step times its rate is {stiffness:.3g}, at most "
                        f"{RK4_STABLE} is stable; take a smaller step, or scheme gauss_legendre")
    one = np.eye(len(Z))
    psi = one / 2.0 - Z @ (one / 6.0 - Z / 24.0)
    return one - Z @ psi, psi
