"""The three ways to say where a joint and its link sit: URDF origin, installation angles, DH parameters."""
import numpy as np

from ..spatial import rot_x, rot_z, rotation_pyr, rotation_rpy
from .description import IDENTITY, Placement
from .parts import frozen_rotation


def origin(xyz, rpy):
    """URDF: T = Trans(xyz) Rz(yaw) Ry(pitch) Rx(roll), xyz [m], rpy [rad]."""
    return Placement(frozen_rotation(rotation_rpy(rpy)), np.array(xyz, dtype=float))


def installation(angles, length):
    """Source 001, ch. 1.4: εᵀ = Rx(α) Ry(β) Rz(γ) [rad]; link vector l [m] in the link's own axes."""
    R = frozen_rotation(rotation_pyr(angles))
    return Placement(R, R @ np.array(length, dtype=float))


def denavit_hartenberg(a, alpha, d, theta, convention):
    """Placements (before, after) of a joint; its position adds to theta (revolute) or to d (prismatic).

    standard: Rz(theta) Tz(d) Tx(a) Rx(alpha); the joint acts along the z of its parent: all comes after it.
    modified: Rx(alpha) Tx(a) Rz(theta) Tz(d); the joint acts along its own link's z: all comes before it.
    """
    along_z = Placement(frozen_rotation(rot_z(theta)), np.array([0.0, 0.0, d]))
    along_x = Placement(frozen_rotation(rot_x(alpha)), np.array([a, 0.0, 0.0]))
    return (IDENTITY, along_z @ along_x) if convention == "standard" else (along_x @ along_z, IDENTITY)


def unit(axis):
    """The direction of a vector; a unit vector is returned as it is, to the last digit."""
    length = np.linalg.norm(axis)
    return axis if abs(length - 1.0) < 1e-15 else axis / length
