"""What a numeric solver asks of a robot: poses and Jacobians of its tips, over the joints that move them."""
from typing import NamedTuple

import numpy as np

from ..algorithms.jacobian import jacobian
from ..algorithms.kinematics import body_poses, frame_transform


class Unknowns(NamedTuple):
    """The coordinates to find: their places in q and in v, whether a whole turn of each changes nothing, and slides."""

    positions: tuple
    columns: tuple
    turns: tuple
    slides: tuple


def unknowns(model, frames):
    """Unknowns that move at least one of the frames; a free base is held. No turns where another joint follows."""
    bodies = [model.frame(name).body for name in frames]
    turns, slides = {}, {}
    for i in range(1, model.n + 1):
        joint = model.bodies[i].joint
        if joint.kind != "floating" and any(model.path[body, i] for body in bodies):
            place = model.q_slice[i].start, model.v_slice[i].start
            slides[place] = slides.get(place, False) or joint.kind == "prismatic"
            turns[place] = turns.get(place, True) and joint.kind != "prismatic" and joint.mimic is None
    places = sorted(turns)
    return Unknowns(tuple(q for q, _ in places), tuple(v for _, v in places),
                    tuple(turns[p] for p in places), tuple(slides[p] for p in places))


def tip_kinematics(model, q, frames, columns):
    """Poses (k, 3, 4) and Jacobians (k, 6, len(columns)) of k frames, in base axes."""
    pose = body_poses(model, q)
    placed = [frame_transform(model, pose, model.frame(name)) for name in frames]
    return (np.array([np.column_stack([X.R, X.p]) for X in placed]),
            np.array([jacobian(model, q, name)[:, list(columns)] for name in frames]))
