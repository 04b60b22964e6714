"""What stands for each body in the picture: primitives made from the tree itself."""
from dataclasses import dataclass, field

import numpy as np

from ..spatial import rodrigues

GREY, DARK, ORANGE = (214, 219, 226), (58, 84, 124), (240, 140, 40)
THICKNESS = 0.03        # radius of a link / reach of the robot
SHORT = 1e-6            # [m], no link to draw


@dataclass(frozen=True, eq=False)
class Shape:
    """A solid on body `body`, centred at p with axes R in the body's axes [m].

    kind and size: "box" (x, y, z), "cylinder" (radius, length along z), "sphere" (radius,), "mesh" (scales
    sx, sy, sz of the triangles in `mesh`).
    """

    body: int
    kind: str
    size: tuple
    p: np.ndarray
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    colour: tuple = GREY
    mesh: object = None


def reach(model):
    """Size of a robot [m]: the longest way from the base along the tree to a frame."""
    length = [0.0] * (model.n + 1)
    for i, p in model.edges:
        length[i] = length[p] + np.linalg.norm(model.bodies[i].p)
    ends = [length[frame.body] + np.linalg.norm(frame.p) for frame in model.frames]
    return max([*length, *ends]) or 1.0


def primitives(model):
    """A drum or box for every joint, and rods from each body to its children, frames or centre of mass."""
    r = THICKNESS * reach(model)
    shapes = [Shape(0, "cylinder", (2.5 * r, r), np.zeros(3), colour=DARK)]
    for i, body in enumerate(model.bodies):
        if i:
            shapes.append(_joint(i, body.joint, r))
        ends = [model.bodies[child].p for child in model.children[i]]
        ends += [frame.p for frame in model.frames if frame.body == i]
        rods = [rod for end in ends if (rod := _rod(i, end, 0.7 * r))]
        if i and not rods:
            rods = [_rod(i, body.com, 0.7 * r) or Shape(i, "sphere", (1.5 * r,), body.com)]
        shapes += rods
    return shapes


def from_z(direction):
    """Rotation (3, 3) that turns the z axis onto a direction."""
    d = np.asarray(direction) / np.linalg.norm(direction)
    axis = np.cross([0.0, 0.0, 1.0], d)
    sine = np.linalg.norm(axis)
    axis = axis / sine if sine > SHORT else np.array([1.0, 0.0, 0.0])
    return rodrigues(axis, np.arctan2(sine, d[2]))


def _joint(i, joint, r):
    if joint.kind == "floating":
        return Shape(i, "box", (4 * r, 4 * r, 2 * r), np.zeros(3), colour=DARK)
    R = from_z(joint.axis)
    if joint.kind == "prismatic":
        return Shape(i, "box", (2 * r, 2 * r, 4 * r), np.zeros(3), R, DARK)
    return Shape(i, "cylinder", (1.3 * r, 3.2 * r), np.zeros(3), R, DARK)


def _rod(i, end, radius):
    length = np.linalg.norm(end)
    return Shape(i, "cylinder", (radius, length), end / 2, from_z(end)) if length > SHORT else None
