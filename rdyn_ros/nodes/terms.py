"""What the dynamics node answers to a state, written as one algorithm so that one kernel computes it all."""
from typing import NamedTuple

import numpy as np

from .. import algorithms as alg


class Terms(NamedTuple):
    """Torques (n,) [N m or N] in the robot's order of joints, poses (k, 4, 4) of tips, velocity (6,) of the first."""

    gravity: np.ndarray
    coriolis: np.ndarray
    friction: np.ndarray
    poses: np.ndarray
    velocity: np.ndarray


def terms(model, q, qd, gravity, *tips):
    """g(q), C qd, friction, poses of tips in the base and the velocity of the first; gravity (3,) in base axes."""
    still = np.zeros(model.nv)
    return Terms(alg.rnea(model, q, still, still, gravity), alg.coriolis_torque(model, q, qd),
                 alg.friction_torque(model, qd), np.stack([alg.frame_pose(model, q, tip) for tip in tips]),
                 alg.frame_velocity(model, q, qd, tips[0], "base"))


def gains(values):
    """Factors of gravity, Coriolis and friction in the compensation that the parameters choose."""
    gravity = values.use_gravity_compensation and not values.driver_compensates_gravity
    return (values.gravity_scale if gravity else 0.0,
            values.coriolis_scale if values.use_coriolis_compensation else 0.0,
            values.friction_scale if values.use_friction else 0.0)
