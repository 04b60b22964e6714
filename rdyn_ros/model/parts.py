"""What a robot is made of: joints, bodies, frames, limits. All immutable."""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

INF = float("inf")
KINDS = ("revolute", "continuous", "prismatic", "floating")
ROUNDING = 4e-16               # what cos(pi/2) leaves behind in a rotation where 0 or ±1 is meant


class Mimic(NamedTuple):
    """position = ratio · position of the leader + offset."""

    leader: str
    ratio: float
    offset: float


class Limits(NamedTuple):
    """(nv,) each: lower, upper [rad or m], velocity [rad/s or m/s], effort [N m or N]; inf where none."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


def frozen(values):
    """A read-only float64 copy."""
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def frozen_rotation(values):
    """A read-only rotation matrix with the rounding noise of right angles removed."""
    R = np.array(values, dtype=float)
    R[abs(R) < ROUNDING] = 0.0
    nearest = np.round(R)
    R = np.where(abs(R - nearest) < ROUNDING, nearest, R) + 0.0
    R.flags.writeable = False
    return R


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between a body and its parent; `axis` is a unit vector in body axes."""

    name: str
    kind: str
    axis: np.ndarray
    lower: float = -INF          # [rad or m]
    upper: float = INF
    velocity: float = INF        # [rad/s or m/s]
    effort: float = INF          # [N m or N]
    viscous: float = 0.0         # [N m s/rad or N s/m]
    coulomb: float = 0.0         # [N m or N]
    rotor_inertia: float = 0.0   # [kg m²], on the motor's side
    gear_ratio: float = 1.0      # turns of the motor per turn of the joint
    mimic: Mimic | None = None

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(self.axis))

    @property
    def width(self):
        """How many velocity coordinates the joint has."""
        return 6 if self.kind == "floating" else 1

    @property
    def unit(self):
        """Unit of its position in words."""
        return "m" if self.kind == "prismatic" else "rad"

    @property
    def effort_unit(self):
        """Unit of its effort in words."""
        return "N" if self.kind == "prismatic" else "N m"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: placement (R, p) in its parent at joint position 0, and its mass properties."""

    name: str
    parent: int                  # -1 for the base
    joint: Joint | None = None   # None for the base
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))
    mass: float = 0.0            # [kg]
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))           # [m], in body axes
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the com, body axes [kg m²]

    def __post_init__(self):
        for name, freeze in (("R", frozen_rotation), ("p", frozen), ("com", frozen), ("inertia", frozen)):
            object.__setattr__(self, name, freeze(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class Frame:
    """A named place (R, p) on a body: a link, also one merged into its parent, or a tool."""

    name: str
    body: int
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self):
        object.__setattr__(self, "R", frozen_rotation(self.R))
        object.__setattr__(self, "p", frozen(self.p))
