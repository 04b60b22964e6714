"""Cartesian impedance: the tool behaves like a body on a spring, the rest of the arm keeps its posture."""
from typing import NamedTuple

import numpy as np

from ..ik.rotation_error import rotation_vector
from .feedforward import feedforward


class Impedance(NamedTuple):
    """Spring at the tool and in the null space.

    stiffness (6,) [N/m x3, N m/rad x3] and damping (6,) [N s/m x3, N m s/rad x3] in base axes; posture
    stiffness [1/s^2] and damping [1/s] act on joint errors; reach (2,) [m, rad] bounds the error that the
    spring feels.
    """

    stiffness: np.ndarray
    damping: np.ndarray
    posture_stiffness: float
    posture_damping: float
    reach: tuple[float, float]


def cartesian_impedance(robot, state, target, posture, impedance, terms, frame=None):
    """tau = Jᵀ (K e - D J qd) + N tau_0 + C(q, qd) qd + g(q), N = 1 - Jᵀ (J M⁻¹ Jᵀ)⁻¹ J M⁻¹.

    target (4, 4) pose of `frame` in the base, posture (n,) wanted in the null space: tau_0 = M (kp (posture -
    q) - kd qd). N is dynamically consistent: the posture torque does not accelerate the tool.
    """
    q, qd = state.q, state.qd
    J, M = robot.jacobian(q, frame), robot.mass_matrix(q)
    e = _within(pose_error(target, robot.fk(q, frame)), impedance.reach)
    force = impedance.stiffness * e - impedance.damping * (J @ qd)
    posture_acceleration = impedance.posture_stiffness * (posture - q) - impedance.posture_damping * qd
    bias = feedforward(robot, q, qd, np.zeros(len(q)), terms)
    return J.T @ force + null_space(J, M) @ (M @ posture_acceleration) + bias


def pose_error(target, pose):
    """Translation [m] and rotation vector [rad] (6,) in base axes that take the pose to the target."""
    return np.concatenate([target[:3, 3] - pose[:3, 3], rotation_vector(target[:3, :3] @ pose[:3, :3].T)])


def null_space(J, M):
    """Projector N (n, n) of joint torques that do not accelerate the tool.

    Directions near a singularity are left to the posture (relative cut 1e-4).
    """
    A = np.linalg.solve(M, J.T)                       # M⁻¹ Jᵀ (n, 6)
    return np.eye(len(M)) - J.T @ np.linalg.pinv(J @ A, rcond=1e-4, hermitian=True) @ A.T


def _within(e, reach):
    """The error shortened to at most reach in length, translation and rotation apart."""
    lengths = np.maximum([np.linalg.norm(e[:3]), np.linalg.norm(e[3:])], 1e-12)
    return e * np.repeat(np.minimum(1.0, np.array(reach) / lengths), 3)
