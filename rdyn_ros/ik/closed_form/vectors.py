"""Vectors as triples of numbers: floats, arrays (N,) of a batch, or symbols of a trace; all formulas run on each."""
import numpy as np


def add(a, b):
    """a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a, b):
    """a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def scale(s, a):
    """s a."""
    return tuple(s * x for x in a)


def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def turn(k, angle, a):
    """Rotation of a by angle [rad] about the unit vector k: Rodrigues, k(k·a) + cos (a - k(k·a)) + sin k×a."""
    along = scale(dot(k, a), k)
    c, s = np.cos(angle), np.sin(angle)
    return tuple(u + c * (x - u) + s * w for u, x, w in zip(along, a, cross(k, a), strict=True))


def turn_about(k, point, angle, a):
    """Point a turned by angle about the axis k through a point."""
    return add(point, turn(k, angle, sub(a, point)))


def columns_dot(R, a):
    """Rᵀ a, R given by its three rows."""
    return tuple(R[0][j] * a[0] + R[1][j] * a[1] + R[2][j] * a[2] for j in range(3))


def rows_dot(R, a):
    """R a, R given by its three rows."""
    return tuple(dot(row, a) for row in R)


def across(k):
    """A constant unit vector at right angles to the constant k."""
    k = np.asarray(k, dtype=float)
    a = np.cross(k, np.eye(3)[np.argmin(np.abs(k))])
    return triple(a / np.linalg.norm(a))


def triple(a):
    """An array (3,) as three plain floats."""
    return tuple(float(x) for x in a)
