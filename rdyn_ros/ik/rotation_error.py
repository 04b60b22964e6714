"""How far a pose is from its target, as vectors."""
import numpy as np

from ..spatial import unskew


def rotation_vector(R):
    """Axis times angle [rad] of a rotation matrix, angle in [0, pi]."""
    v, c = unskew(R), 0.5 * (np.trace(R) - 1.0)
    s = np.linalg.norm(v)
    if c > -0.999:
        return v * (np.arctan2(s, c) / s if s > 1e-9 else 1.0)
    k = np.argmax(np.diag(R))                       # near half a turn the axis is in the symmetric part
    a = R[:, k] + R[k] - 2.0 * c * np.eye(3)[k]
    return a / np.linalg.norm(a) * np.arctan2(s, c) * (-1.0 if a @ v < 0.0 else 1.0)


def pointing_vector(a, b):
    """Shortest rotation vector [rad] that turns the unit vector a onto b."""
    v, c = np.cross(a, b), a @ b
    s = np.linalg.norm(v)
    if s < 1e-9 and c < 0.0:                        # opposite: any axis across
        v = np.cross(a, np.eye(3)[0 if abs(a[0]) < 0.6 else 1])
        return np.pi * v / np.linalg.norm(v)
    return v * (np.arctan2(s, c) / s if s > 1e-9 else 1.0)
