"""Inertia tensors: solids, change of frame, principal axes, composition of a link from parts.

Tensors are I = ∫ (r·r 1 - r rᵀ) dm [kg m²], so the products of inertia stand with a minus sign off the diagonal
(source 004; source 001, appendix 5 with squared distances in the parallel-axis terms).
"""
from typing import NamedTuple

import numpy as np

from .vectors import skew


class MassProperties(NamedTuple):
    """Mass [kg], centre of mass (3,) [m], tensor (3, 3) about the centre of mass [kg m²]."""

    mass: float
    com: np.ndarray
    tensor: np.ndarray


def cylinder(mass, radius, length):
    """Solid cylinder along z, about its centre."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.diag([across, across, 0.5 * mass * radius**2])


def box(mass, x, y, z):
    """Solid box with the given edges [m], about its centre."""
    return mass / 12.0 * np.diag([y**2 + z**2, x**2 + z**2, x**2 + y**2])


def sphere(mass, radius):
    """Solid sphere, about its centre."""
    return 0.4 * mass * radius**2 * np.eye(3)


def point(mass):
    """Point mass: no tensor about itself, whatever its mass."""
    return np.zeros((3, 3)) * mass


def parallel_axis(tensor, mass, d):
    """Tensor about a point at distance d (3,) [m] from the centre of mass: I + m (d·d 1 - d dᵀ)."""
    return tensor + mass * (d @ d * np.eye(3) - np.outer(d, d))


def rotate_tensor(tensor, R):
    """The same tensor in other axes: R I Rᵀ, R (3, 3) the old axes in the new ones."""
    return R @ tensor @ R.T


def principal_axes(tensor):
    """Principal moments (3,), ascending, and right-handed axes (3, 3) in columns: I = A diag(m) Aᵀ."""
    moments, axes = np.linalg.eigh(tensor)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def tensor_derivative(tensor, w):
    """dI/dt = w^ I - I w^ of a tensor carried along with angular velocity w [rad/s], in fixed axes."""
    return skew(w) @ tensor - tensor @ skew(w)


def compose(parts):
    """One MassProperties of several, all given in the axes of the link."""
    mass = sum(part.mass for part in parts)
    com = sum(part.mass * part.com for part in parts) / mass
    return MassProperties(mass, com, sum(parallel_axis(p.tensor, p.mass, p.com - com) for p in parts))
