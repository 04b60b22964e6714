"""Rotations: matrices from angles, axes and quaternions, and back.

What builds rotations runs on symbols; what reads them takes numbers.
"""
import numpy as np

from .vectors import skew

LOCKED = 1e-15                  # cosine of the middle angle below which the outer two cannot be told apart


def rot_x(a):
    """Rotation (3, 3) by a [rad] about x."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rot_y(a):
    """Rotation (3, 3) by a [rad] about y."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rot_z(a):
    """Rotation (3, 3) by a [rad] about z."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_rpy(rpy):
    """Rz(yaw) Ry(pitch) Rx(roll): the angles of URDF, about fixed axes [rad]."""
    roll, pitch, yaw = rpy
    return rot_z(yaw) @ rot_y(pitch) @ rot_x(roll)


def rotation_pyr(pyr):
    """Rx(P) Ry(Y) Rz(R): the book's orientation angles, about turning axes x-y'-z'' [rad] (source 001, ch. 3)."""
    p, y, r = pyr
    return rot_x(p) @ rot_y(y) @ rot_z(r)


def rodrigues(axis, angle):
    """Rotation (3, 3) by angle [rad] about the unit vector axis: aaᵀ + cos (1 - aaᵀ) + sin a^ (source 003)."""
    along = np.outer(axis, axis)
    return along + np.cos(angle) * (np.eye(3) - along) + np.sin(angle) * skew(axis)


def rotation_derivative(R, w):
    """Time derivative dR/dt = w^ R of a rotation with angular velocity w [rad/s] in fixed axes (source 001, ch. 2)."""
    return skew(w) @ R


def quaternion_matrix(q):
    """Rotation (3, 3) of a quaternion (x, y, z, w) of length 1; one off by 1e-6 is made 1 to the last digit."""
    x, y, z, w = q
    n = x * x + y * y + z * z + w * w
    s = 6.0 - 6.0 * n + 2.0 * n * n         # 2/n = 2 (1 - (n - 1) + (n - 1)² - ...)
    return np.array([
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ])


def matrix_quaternion(R):
    """Unit quaternion (x, y, z, w), w >= 0, of a rotation matrix."""
    (a, b, c), (d, e, f), (g, h, i) = R
    Q = np.array([[1.0 + a - e - i, b + d, c + g, h - f],      # 4 q qᵀ
                  [b + d, 1.0 - a + e - i, f + h, c - g],
                  [c + g, f + h, 1.0 - a - e + i, d - b],
                  [h - f, c - g, d - b, 1.0 + a + e + i]])
    q = Q[np.argmax(Q.diagonal())]                             # the row that rounds least
    return q / (np.linalg.norm(q) if q[3] >= 0.0 else -np.linalg.norm(q))


def matrix_rpy(R):
    """Roll, pitch, yaw [rad] of a rotation matrix; at pitch ±pi/2 the yaw is 0. To the last digits everywhere."""
    across = np.hypot(R[0, 0], R[1, 0])
    yaw = np.arctan2(R[1, 0], R[0, 0]) if across > LOCKED else 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])   # of Rz(-yaw) R
    return np.array([roll, np.arctan2(-R[2, 0], across), yaw])


def matrix_pyr(R):
    """The book's P, Y, R [rad] of a rotation matrix; at Y = ±pi/2 the angle R is 0."""
    p, y, r = matrix_rpy(R.T)            # (Rx(P) Ry(Y) Rz(R))ᵀ = Rz(-R) Ry(-Y) Rx(-P)
    return -np.array([p, y, r])
