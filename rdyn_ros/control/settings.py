"""Everything that a controller depends on, beside the robot.

One immutable object, checked when it is made.
"""
from dataclasses import dataclass

import numpy as np

from ..errors import RdynError
from .envelope import Envelope
from .feedforward import Terms
from .gains import Gains
from .impedance import Impedance
from .safety import Bounds

MODES = ("damping", "gravity_compensation", "pd", "pd_gravity", "computed_torque", "cartesian_impedance")
FOLLOWING = ("pd", "pd_gravity", "computed_torque")         # modes that follow a motion of the joints


@dataclass(frozen=True, eq=False)
class ControlSettings:
    """Arrays are (n,). Units: s, rad or m, N m or N; damping rates 1/s."""

    gains: Gains
    impedance: Impedance
    bounds: Bounds
    envelope: Envelope
    terms: Terms
    hand_damping: np.ndarray                # rate of gravity_compensation
    stop_damping: np.ndarray                # rate of the mode damping, of faults and of stopping
    collision_threshold: np.ndarray         # 0 = no threshold
    observer_gain: float = 50.0             # [1/s]
    interpolation: str = "quintic"
    frame: str | None = None                # tool; None = the robot's first tip
    limit_zone: float = 0.0                 # distance from a position limit at which repulsion begins
    limit_stiffness: float = 0.0
    state_timeout: float = 0.05
    reference_step: float = 0.1             # largest distance of a streamed reference from the present one
    preflight: bool = True
    preflight_relative: float = 0.25
    preflight_floor: float = 2.0
    start_measured: bool = True             # a stream of commands begins at the measured effort
    collision_stops: bool = False           # a collision is a fault


def check_mode(mode):
    """Returns the mode, or raises RdynError with those that exist."""
    if mode not in MODES:
        raise RdynError(f"mode is '{mode}'; it can be {', '.join(MODES)}")
    return mode
