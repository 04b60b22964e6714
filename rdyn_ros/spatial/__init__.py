"""3-vectors, rotations, Plücker transforms and inertias: plain NumPy that also accepts arrays of symbols.

Six-vectors are LINEAR FIRST everywhere: motions (vx vy vz wx wy wz), forces (fx fy fz tx ty tz), both taken at
the origin of the frame in whose axes they are written. `R` holds the axes of a body in its parent (body to
parent), `p` the origin of the body in its parent [m].
"""
from .inertia import Inertia
from .plucker import Transform, crf, crm, cross_force, cross_motion
from .pose import pose_inverse, pose_matrix
from .rotations import (
    matrix_pyr,
    matrix_quaternion,
    matrix_rpy,
    quaternion_matrix,
    rodrigues,
    rot_x,
    rot_y,
    rot_z,
    rotation_derivative,
    rotation_pyr,
    rotation_rpy,
)
from .vectors import cross, skew, unskew

__all__ = [
    "Inertia", "Transform", "crf", "crm", "cross", "cross_force", "cross_motion", "matrix_pyr", "matrix_quaternion",
    "matrix_rpy", "pose_inverse", "pose_matrix", "quaternion_matrix", "rodrigues", "rot_x", "rot_y", "rot_z",
    "rotation_derivative", "rotation_pyr", "rotation_rpy", "skew", "unskew",
]
