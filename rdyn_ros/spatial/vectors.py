"""Vectors of three components."""
import numpy as np

NEXT, AFTER_NEXT = [1, 2, 0], [2, 0, 1]


def skew(a):
    """Matrix a^ (3, 3) with a^ b = a × b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def unskew(A):
    """Vector a (3,) of the skew part of A: unskew(skew(a)) = a."""
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def cross(a, b):
    """a × b for (3,) or, column by column, (3, k)."""
    if a.ndim < b.ndim:
        a = a[:, None]
    if b.ndim < a.ndim:
        b = b[:, None]
    return a[NEXT] * b[AFTER_NEXT] - a[AFTER_NEXT] * b[NEXT]
