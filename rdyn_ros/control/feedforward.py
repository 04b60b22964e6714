"""The model's torque for a wanted acceleration, with each term on request."""
from typing import NamedTuple

import numpy as np


class Terms(NamedTuple):
    """Parts of the model that a law commands; a driver that compensates gravity itself has gravity=False."""

    gravity: bool = True
    coriolis: bool = True
    friction: bool = False
    rotor: bool = True


def feedforward(robot, q, qd, qdd, terms, friction_velocity=None):
    """Torque M(q) qdd + C(q, qd) qd + g(q) + friction (n,) [N m or N], less the terms not asked for.

    Friction is taken at friction_velocity (n,), by default qd: a law that follows a motion gives the wanted
    velocity, whose sign does not chatter with the noise of the measured one.
    """
    tau = robot.inverse_dynamics(q, qd if terms.coriolis else np.zeros(len(q)), qdd)
    if not terms.gravity:
        tau = tau - robot.gravity_torque(q)
    if not terms.rotor:
        tau = tau - robot.model.armature * qdd
    if terms.friction:
        tau = tau + robot.friction_torque(qd if friction_velocity is None else friction_velocity)
    return tau
