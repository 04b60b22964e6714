"""The measured torques of a recording explained by the model, term by term."""
from dataclasses import dataclass

import numpy as np

from ..errors import RdynError

TERMS = ("gravity", "coriolis", "inertia", "friction")


@dataclass(frozen=True, eq=False)
class TorqueTerms:
    """Per sample and joint (N, n) [N m or N]: what the model says each cause takes, and what was measured."""

    gravity: np.ndarray
    coriolis: np.ndarray
    inertia: np.ndarray          # M qdd
    friction: np.ndarray
    measured: np.ndarray         # NaN where effort was not recorded

    @property
    def model(self):
        """The sum of the four terms."""
        return self.gravity + self.coriolis + self.inertia + self.friction

    @property
    def error(self):
        """What the model does not explain: measured - model."""
        return self.measured - self.model


def torque_terms(robot, recording):
    """M qdd, C qd, g and friction at every sample of the recording of this robot."""
    if recording.joint_names != tuple(robot.joint_names) or robot.nq != len(robot.joint_names):
        base = "" if robot.nq == robot.nv else " and a floating base"
        raise RdynError(f"{recording.where} was read for joints {', '.join(recording.joint_names)}; "
                        f"{robot.name} has {', '.join(robot.joint_names)}{base}")
    q, qd, qdd = recording.position, recording.velocity, recording.acceleration
    gravity, coriolis = robot.gravity_torque(q), robot.coriolis_torque(q, qd)
    return TorqueTerms(gravity=gravity, coriolis=coriolis,
                       inertia=robot.inverse_dynamics(q, qd, qdd) - gravity - coriolis,
                       friction=robot.friction_torque(qd), measured=recording.effort)


def rms(values):
    """Root of the mean square over the samples: (N, n) -> (n,)."""
    return np.sqrt(np.mean(np.square(values), axis=0))
