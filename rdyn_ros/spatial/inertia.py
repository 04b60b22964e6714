"""Spatial inertia of a rigid body by its ten parameters."""
import numpy as np

from .vectors import cross, skew, unskew


class Inertia:
    """I = [[m 1, -h^], [h^, J]]: mass m [kg], first moment h = m c [kg m], tensor J about the origin [kg m²]."""

    __slots__ = ("J", "h", "m")

    def __init__(self, m, h, J):
        """m scalar, h (3,), J (3, 3), all at the origin and in the axes of the body."""
        self.m, self.h, self.J = m, h, J

    @classmethod
    def about_com(cls, mass, com, tensor):
        """From mass [kg], centre of mass (3,) [m] and tensor (3, 3) about it [kg m²] (parallel-axis rule)."""
        return cls(mass, mass * com, tensor + mass * (com @ com * np.eye(3) - np.outer(com, com)))

    @classmethod
    def from_parameters(cls, pi):
        """From pi (10,) = m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz (order of Pinocchio's regressor)."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = pi
        return cls(m, np.array([hx, hy, hz]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    @property
    def parameters(self):
        """pi (10,) = m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz."""
        J = self.J
        return np.array([self.m, *self.h, J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]])

    @property
    def matrix(self):
        """I as a matrix (6, 6)."""
        H = skew(self.h)
        return np.block([[self.m * np.eye(3), -H], [H, self.J]])

    def __matmul__(self, v):
        """Momentum I v of a motion v (6,) or (6, k)."""
        linear, angular = v[:3], v[3:]
        return np.concatenate([self.m * linear + cross(angular, self.h), cross(self.h, linear) + self.J @ angular])

    def wrench(self, a, U):
        """Wrench (6,) under which the points r accelerate by a + U r: ∫ (a + U r) dm and ∫ r × (a + U r) dm."""
        moments = 0.5 * np.trace(self.J) * np.eye(3) - self.J          # ∫ r rᵀ dm
        return np.concatenate([self.m * a + U @ self.h, cross(self.h, a) + 2.0 * unskew(U @ moments)])

    def __add__(self, other):
        """Inertia of two bodies rigidly joined, both given at one origin and in one set of axes."""
        return Inertia(self.m + other.m, self.h + other.h, self.J + other.J)

    def in_parent(self, X):
        """Xᵀ I X: the same body seen from the parent frame of the Transform X (rotation, then parallel axis)."""
        h = X.R @ self.h                               # first moment about the body's origin, parent axes
        b = self.m * X.p + 2.0 * h
        shift = X.p @ b * np.eye(3) - np.outer(X.p, self.m * X.p + h) - np.outer(h, X.p)
        J = X.R @ self.J @ X.R.T + shift
        mirrored = J[[[0, 0, 0], [0, 1, 1], [0, 1, 2]], [[0, 1, 2], [1, 1, 2], [2, 2, 2]]]    # to the bit
        return Inertia(self.m, self.m * X.p + h, mirrored)
