"""The torque of each mode, from what is measured and wanted."""
from typing import NamedTuple

import numpy as np

from . import laws
from .impedance import cartesian_impedance
from .motion import Reference


class Wanted(NamedTuple):
    """Motion of the joints, pose (4, 4) of the tool and posture (n,) in its null space."""

    reference: Reference
    target: np.ndarray
    posture: np.ndarray


def mode_torque(mode, robot, state, wanted, s):
    """Torque (n,) [N m or N] of a mode with ControlSettings s, repulsion from the limits included."""
    if mode == "damping":
        tau = laws.damping(robot, state, s.stop_damping, s.terms)
    elif mode == "gravity_compensation":
        tau = laws.gravity_compensation(robot, state, s.hand_damping, s.terms)
    elif mode == "pd":
        tau = laws.pd(robot, state, wanted.reference, s.gains)
    elif mode == "pd_gravity":
        tau = laws.pd_gravity(robot, state, wanted.reference, s.gains, s.terms)
    elif mode == "computed_torque":
        tau = laws.computed_torque(robot, state, wanted.reference, s.gains, s.terms)
    else:
        tau = cartesian_impedance(robot, state, wanted.target, wanted.posture, s.impedance, s.terms, s.frame)
    if not s.limit_zone * s.limit_stiffness:
        return tau
    return tau + laws.limit_repulsion(robot, state.q, s.limit_zone, s.limit_stiffness)
