"""Poses: 4x4 matrices of a frame in another."""
import numpy as np


def pose_matrix(R, p):
    """Pose (4, 4) with axes R (3, 3) and origin p (3,) [m]."""
    return np.vstack([np.column_stack([R, p]), [[0.0, 0.0, 0.0, 1.0]]])


def pose_inverse(T):
    """Inverse of a rigid pose (4, 4)."""
    R, p = T[:3, :3], T[:3, 3]
    return pose_matrix(R.T, -R.T @ p)
