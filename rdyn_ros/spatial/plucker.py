"""Plücker transforms and the two spatial cross products (linear part first)."""
import numpy as np

from .vectors import cross, skew


class Transform:
    """X: takes motions from parent to body axes, v_body = X @ v; its transpose takes forces back, X.T @ f.

    X = [[E, -E p^], [0, E]], E = R.T, applied through R and p because that is half the work of a 6x6 product.
    """

    __slots__ = ("R", "p")

    def __init__(self, R, p):
        """R (3, 3) body axes in the parent, p (3,) body origin in the parent [m]."""
        self.R, self.p = R, p

    def __matmul__(self, v):
        """Motion v (6,) or (6, k) of the parent, in body axes at the body's origin."""
        linear, angular = v[:3], v[3:]
        return np.concatenate([self.R.T @ (linear + cross(angular, self.p)), self.R.T @ angular])

    @property
    def T(self):
        """The transposed transform: forces from body to parent."""
        return _Transposed(self)

    @property
    def matrix(self):
        """X as a matrix (6, 6)."""
        E = self.R.T
        return np.block([[E, -E @ skew(self.p)], [np.zeros((3, 3)), E]])

    def then(self, X):
        """The transform of a body placed by X in this one: X_total = X · self."""
        return Transform(self.R @ X.R, self.p + self.R @ X.p)

    def inverse(self, v):
        """Motion v (6,) or (6, k) of the body, in parent axes at the parent's origin."""
        angular = self.R @ v[3:]
        return np.concatenate([self.R @ v[:3] + cross(self.p, angular), angular])


class _Transposed:
    __slots__ = ("X",)

    def __init__(self, X):
        self.X = X

    def __matmul__(self, f):
        force = self.X.R @ f[:3]
        return np.concatenate([force, self.X.R @ f[3:] + cross(self.X.p, force)])


def crm(v):
    """Matrix (6, 6) of the motion cross product: crm(v) @ w = v × w."""
    linear, angular = skew(v[:3]), skew(v[3:])
    return np.block([[angular, linear], [np.zeros((3, 3)), angular]])


def crf(v):
    """Matrix (6, 6) of the force cross product: crf(v) = -crm(v).T."""
    return -crm(v).T


def cross_motion(v, w):
    """crm(v) @ w for v (6,) and w (6,) or (6, k)."""
    return np.concatenate([cross(v[3:], w[:3]) + cross(v[:3], w[3:]), cross(v[3:], w[3:])])


def cross_force(v, f):
    """crf(v) @ f for v (6,) and f (6,) or (6, k)."""
    return np.concatenate([cross(v[3:], f[:3]), cross(v[:3], f[:3]) + cross(v[3:], f[3:])])
