"""Rotations about one or two axes in closed form: the bricks of every arm (Paden, Kahan; Murray, Li, Sastry, ch. 3).

Straight lines only: every branch is computed, and an impossible one is NaN. A branch is named by a sign.
"""
import numpy as np

from .vectors import add, cross, dot, scale

SLACK = 1e-12       # relative: an arm stretched exactly to its target stays possible in rounding
TOUCHES = 5e-15     # relative: a circle that cuts a plane by less touches it; rounding bends a straight arm by 1e-8
TINY = 1e-30
EDGE = 1e-44        # far below what rounding leaves of squares of ALIGNED; 1/EDGE is a number that machine code takes
ALIGNED = 1e-11     # [rad, m] a vector so near to an axis is along it: far above rounding, yet exact


def root(x, slack):
    """√x; 0 for -slack <= x < 0, NaN below: √(max(x, 0) + min(x + slack, 0))."""
    y = x + slack
    return np.sqrt(0.5 * (x + abs(x)) + 0.5 * (y - abs(y)))


def larger(a, b):
    """The larger of two numbers: half their sum and half their distance."""
    return 0.5 * (a + b + abs(a - b))


def step(x):
    """1 for x > 0, else 0."""
    x = x + abs(x)
    return x / (x + EDGE)


def aligned(k, p, within=ALIGNED):
    """1 where p is along k, off it by less than `within`; else 0. Turning p about k is then of no effect, and free."""
    beside = cross(k, p)
    return step(within * within - dot(beside, beside))


def kept(free, angle, near):
    """The angle, or `near` where it is free (1)."""
    return angle + free * (near - angle)


def angle_of(sin, cos):
    """np.arctan2(sin, cos); by its complement where only the first is a plain number, as in a trace it may be."""
    if isinstance(sin, float) and not isinstance(cos, float):       # which NumPy would ask for its own arctan2
        return 0.5 * np.pi - np.arctan2(cos, sin)
    return np.arctan2(sin, cos)


def angle_between(k, p, q):
    """θ with turn(k, θ, p) nearest to q; 0 when p or q lies along k (any angle would do).

    Both are first projected by k×: near the axis the plain p·q - (k·p)(k·q) would lose all its digits.
    """
    p, q = cross(k, p), cross(k, q)
    return angle_of(dot(k, cross(p, q)), dot(p, q))


def angle_to_plane(h, k, p, d, sign):
    """θ with h · turn(k, θ, p) = d; the left side has a derivative of the given sign there."""
    hk, kp = dot(h, k), dot(k, p)
    a, b, c = dot(h, p) - hk * kp, dot(h, cross(k, p)), d - hk * kp
    rho2 = a * a + b * b
    both, inside = rho2 + c * c, rho2 - c * c
    opening = step(inside - TOUCHES * both) * root(inside, SLACK * both + TINY)
    return angle_of(b, a) - sign * angle_of(opening, c)


def angle_to_sphere(k, p, v, distance2, sign):
    """θ with |turn(k, θ, p) - v|² = distance2; the left side has a derivative of the given sign there."""
    return angle_to_plane(v, k, p, 0.5 * (dot(p, p) + dot(v, v) - distance2), -sign)


def two_angles(k1, p, k2, q, sign):
    """(θ1, θ2) with turn(k1, θ1, p) = turn(k2, θ2, q) = z; sign is that of z · (k1 × k2).

    z = α k1 + β k2 + γ k1×k2. γ² follows from the radius of either cone, |k1×p| or |k2×q|; the thinner one is
    the exact one, so the two are weighted towards it (a straight wrist keeps its digits).
    """
    c, k12 = dot(k1, k2), cross(k1, k2)
    s2 = dot(k12, k12)
    a, b = dot(k1, p), dot(k2, q)
    alpha, beta = (a - c * b) / s2, (b - c * a) / s2
    n1, n2 = (dot(x, x) / s2 for x in (cross(k1, p), cross(k2, q)))
    both = n1 + n2 + TINY
    thin = n1 * n2 / both
    gamma2 = ((n1 - beta * beta) * n2 + (n2 - alpha * alpha) * n1) / both
    gamma = sign * root(gamma2, SLACK * thin + 1e-15 * np.sqrt(thin) + TINY)
    z = add(add(scale(alpha, k1), scale(beta, k2)), scale(gamma, k12))
    return angle_between(k1, p, z), angle_between(k2, q, z)
