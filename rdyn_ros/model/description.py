"""What a robot file says, link by link, before it is made into a tree: the common result of all readers."""
from dataclasses import dataclass, field

import numpy as np

from .parts import INF
from .tree import GRAVITY

MOVING_KINDS = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, eq=False)
class Placement:
    """Pose of a frame in another one: R (3, 3) its axes as columns, p (3,) its origin [m]."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other):
        return Placement(self.R @ other.R, self.R @ other.p + self.p)


IDENTITY = Placement(np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A link: mass [kg], com (3,) [m] and inertia (3, 3) about com [kg m^2], both in the link's own axes."""

    name: str
    line: int | None = None
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    size: float | None = None  # [m] reach of its geometry from its origin, where the file tells it


@dataclass(frozen=True, eq=False)
class JointSpec:
    """A joint: parent link --before--> joint frame --motion along axis--> --after--> child link.

    before, after are Placements; axis (3,) is a unit vector in the joint frame. Limits in rad or m, rad/s
    or m/s, N m or N. mimic is (leader, ratio, offset) or None.
    """

    name: str
    kind: str  # revolute, continuous, prismatic or fixed
    parent: str
    child: str
    line: int | None = None
    before: Placement = IDENTITY
    after: Placement = IDENTITY
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    lower: float = -INF
    upper: float = INF
    velocity: float = INF
    effort: float = INF
    viscous: float = 0.0
    coulomb: float = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    mimic: tuple | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """A whole robot as described; `order` is "file" (YAML, and URDF that says so) or "name" (URDF: depth first,
    joints by name).
    """

    name: str
    links: tuple
    joints: tuple
    order: str
    where: str
    gravity: tuple = GRAVITY
    tips: tuple = ()
    floating_base: bool = False
