"""A Model as a plain list of links, joints and frames: what both writers write."""
from typing import NamedTuple

import numpy as np

from .parts import Body, Frame


class Flat(NamedTuple):
    """Root body, moving bodies (with the names of themselves and their parents) and remaining frames."""

    root: Body
    root_name: str
    moving: list[tuple[str, str, Body]]      # name, parent's name, body
    frames: list[tuple[str, Frame]]          # name of the link that carries it, frame


def flatten(model):
    """Flat list of a model; the world above a floating base is left out.

    A link whose frame lies off its joint axis (DH and installation styles) is written as NAME_at_joint with
    NAME as a frame fixed to it, because URDF puts every link frame on the axis.
    """
    own = {frame.name: frame for frame in model.frames}
    taken, names = set(own), []
    for body in model.bodies:
        frame = own.get(body.name)
        name = body.name
        if frame is not None and (np.any(frame.p) or not np.array_equal(frame.R, np.eye(3))):
            name = f"{body.name}_at_joint"
            while name in taken:
                name += "_"
        taken.add(name)
        names.append(name)
    first = 1 if model.floating_base else 0
    moving = [(names[i], names[p], model.bodies[i]) for i, p in model.edges if i > first]
    frames = [(names[frame.body], frame) for frame in model.frames
              if frame.body >= first and frame.name != names[frame.body]]
    return Flat(model.bodies[first], names[first], moving, frames)
