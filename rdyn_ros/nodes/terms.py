"""What the dynamics node answers to a state: named torques. No ROS in here."""
from typing import NamedTuple

import numpy as np


class Terms(NamedTuple):
    """Torques (n,) [N m or N] in the order of the robot's joints; without velocities some are not known."""

    gravity: np.ndarray
    coriolis: np.ndarray | None
    friction: np.ndarray | None
    compensation: np.ndarray


def terms(loaded, q, qd, now, values):
    """Terms of a LoadedRobot at q, qd (None: not known), compensation chosen by the parameters."""
    gravity = loaded.gravity_torque(q, now)
    compensation = gravity_gain(values) * gravity
    if qd is None:
        return Terms(gravity, None, None, compensation)
    coriolis = loaded.coriolis_torque(q, qd, now)
    friction = loaded.robot.friction_torque(qd)
    if values.use_coriolis_compensation:
        compensation = compensation + values.coriolis_scale * coriolis
    if values.use_friction:
        compensation = compensation + values.friction_scale * friction
    return Terms(gravity, coriolis, friction, compensation)


def gravity_gain(values):
    """Factor on gravity in the compensation; 0 when the driver compensates it already."""
    wanted = values.use_gravity_compensation and not values.driver_compensates_gravity
    return values.gravity_scale if wanted else 0.0
