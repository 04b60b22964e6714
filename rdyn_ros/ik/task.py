"""What a numeric solver asks of a robot: poses and Jacobians of its tips, over the joints that move them."""
from typing import NamedTuple

import numpy as np

from ..algorithms.jacobian import jacobian
from ..algorithms.kinematics import body_poses, frame_transform

MOST_TURNS = 16     # after which joints that follow each other may be as at first
ROUNDED = 1e-12     # [turns]
LONGEST = 1e6       # [rad] the most of a span


class Unknowns(NamedTuple):
    """The coordinates to find."""

    positions: tuple    # in q
    columns: tuple      # in v
    turns: tuple        # whether a whole turn changes nothing
    slides: tuple
    spans: tuple        # [rad, m] in which, to both sides, starts lie where there is no limit
    rates: tuple        # at which joints turn with it, the fastest of them [rad/rad, rad/m]


def unknowns(model, frames):
    """Unknowns that move at least one of the frames; a free base is held.

    A whole turn of a joint that others follow (mimic) changes nothing only where they make whole turns, too.
    """
    bodies = [model.frame(name).body for name in frames]
    slides, ratios = {}, {}
    for i in range(1, model.n + 1):
        joint = model.bodies[i].joint
        if joint.kind != "floating" and any(model.path[body, i] for body in bodies):
            place = model.q_slice[i].start, model.v_slice[i].start
            slides[place] = slides.get(place, False) or joint.kind == "prismatic"
            ratios.setdefault(place, []).extend([abs(model.ratio[i])] * (joint.kind != "prismatic"))
    places = sorted(ratios)
    return Unknowns(tuple(q for q, _ in places), tuple(v for _, v in places),
                    tuple(not slides[p] and _whole(1, ratios[p]) for p in places), tuple(slides[p] for p in places),
                    tuple(min(np.pi * _period(ratios[p]), LONGEST) or 1.0 for p in places),
                    tuple(max(ratios[p], default=0.0) for p in places))


def _period(ratios):
    """Turns of a coordinate after which joints that turn with it, by these ratios, are as at first; 0: there are none.

    Where these are more than MOST_TURNS, so many or as many as all make a turn in.
    """
    slowest = min(filter(None, ratios), default=0.0)
    whole = (k for k in range(1, MOST_TURNS + 1) if _whole(k, ratios))
    return next(whole, max(MOST_TURNS, 1.0 / slowest)) if slowest else 0.0


def _whole(turns, ratios):
    """Whether joints that turn by these ratios make whole turns."""
    return all(abs(turns * ratio - round(turns * ratio)) < ROUNDED for ratio in ratios)


def tip_kinematics(model, q, frames, columns):
    """Poses (k, 3, 4) and Jacobians (k, 6, len(columns)) of k frames, in base axes."""
    pose = body_poses(model, q)
    placed = [frame_transform(model, pose, model.frame(name)) for name in frames]
    return (np.array([np.column_stack([X.R, X.p]) for X in placed]),
            np.array([jacobian(model, q, name)[:, list(columns)] for name in frames]))
