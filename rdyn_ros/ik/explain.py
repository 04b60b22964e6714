"""Why a target has no solution, found by asking again without limits and for the position alone."""
from typing import NamedTuple

import numpy as np

from .options import IkOptions

FEW = 30            # starts that decide whether a pose can be reached at all


class Failure(NamedTuple):
    """The reason, the distance to the workspace [m], joints outside their limits, and all of it in words."""

    reason: str
    distance: float
    violations: dict
    message: str


def out_of_reach(geometry, targets, seed, options):
    """Failure of a pose that no joint angles reach, or None when some do, limits aside."""
    free = options._replace(max_restarts=FEW, posture=None)
    at_position = free._replace(position_only=True, axis=None, weights=None)
    _, _, distance, *_ = geometry.solver(at_position, limited=False).solve(targets, seed)
    if distance > options.tolerance[0]:
        where = " and ".join(geometry.frames)
        return Failure("out_of_reach", distance, {},
                       f"{where}: the target lies {distance:.4g} m outside the workspace; move it or the robot nearer")
    if options.position_only:
        return None
    status, _, position, rotation, *_ = geometry.solver(free, limited=False).solve(targets, seed)
    if not status:
        return None
    return Failure("out_of_reach", position, {},
                   "the position can be reached, but not with this orientation: the nearest pose found misses by "
                   f"{position:.4g} m and {rotation:.4g} rad; ask with position_only or axis, or turn the target")


def violations(geometry, q):
    """{joint: by how much [rad or m] q leaves its limits}."""
    x = q[list(geometry.unknowns.positions)]
    excess = np.maximum(geometry.lower - x, x - geometry.upper)
    first = 6 if geometry.model.floating_base else 0
    names = [geometry.model.joint_names[v - first] for v in geometry.unknowns.columns]
    return {name: float(e) for name, e in zip(names, excess, strict=True) if e > 0.0}


def limits(geometry, q):
    """Failure of a pose that only q, outside the limits, reaches."""
    found = violations(geometry, q)
    joints = ", ".join(f"{name} by {excess:.4g}" for name, excess in found.items())
    return Failure("limits", 0.0, found, f"only possible outside the joint limits: {joints} [rad or m]")


def nearest_outside(geometry, targets, seed, options):
    """The solution q outside the limits that leaves them least, of a few starts."""
    solver = geometry.solver(IkOptions(**{**options._asdict(), "max_restarts": 0, "posture": None}), limited=False)
    best, least = seed, np.inf
    for start in range(FEW):
        status, q, *_ = solver.solve(targets, seed, start)
        worst = max(violations(geometry, q).values(), default=0.0)
        if not status and worst < least:
            best, least = q, worst
    return best
