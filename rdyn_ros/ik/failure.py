"""Why there is no solution: the reasons in words, and the result that tells them."""
from functools import cache
from math import hypot
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .reach import places_of
from .result import IkResult


class Failure(NamedTuple):
    """The reason, the distance to the workspace [m], joints outside their limits, and all of it in words."""

    reason: str
    distance: float
    violations: dict
    message: str


def timeout(options, clock=None):
    """Failure of a search that its time ended or, when a clock tells that some is left, its number of starts."""
    spent = clock is None or clock.over
    return Failure("timeout", 0.0, {}, (
        f"no solution within {options.timeout:g} s; give more time" if spent else
        f"no solution from {options.max_restarts + 1} starts; raise max_restarts") + ", or a seed nearer to the target")


def unprepared(frames, budget):
    """Failure of a first request whose time is up before the machine code for it is there."""
    return Failure("timeout", 0.0, {}, f"the first request for {' and '.join(frames)}: machine code is being made or "
                   f"loaded, and {budget:g} s may be too short for it; call ik_prepare first, or sleep and ask again")


def no_solver(budget):
    """Failure of a first request with its options whose time is up before there is a solver for them."""
    return Failure("timeout", 0.0, {}, "the first request with these options: a solver is being made for them, and "
                   f"{budget:g} s was too short for it; give more time, or name them in ik_prepare and keep them")


def no_such_branch(options):
    """Failure of a pose that has solutions, but none with the indices or the arm angle asked for."""
    return Failure("out_of_reach", 0.0, {}, "joint limits aside, the target has solutions, but none with the "
                   f"{options.branch_asked} given; ask for others, or without {options.branch_asked}")


def outside_spheres(geometry, far):
    """Failure of targets that lie so far [m] outside the spheres that frames cannot leave: the least it can be."""
    distance, frame = max(zip(far, geometry.frames, strict=True))
    bound = "at least " if geometry.unknowns.positions else ""
    return Failure("out_of_reach", distance, {}, _lies_outside(geometry, [frame], f"{bound}{distance:.4g}"))


def too_far(geometry, targets, q, distance, options, hurried):
    """Failure of places that q, if not hurried, comes nearest to, and misses one of by the distance [m]."""
    if len(geometry.frames) == 1 or not geometry.unknowns.positions:
        words = _lies_outside(geometry, geometry.frames, f"{'at most ' * hurried}{distance:.4g}")
    else:
        where = "the nearest found in time misses" if hurried else "where they are missed least,"
        words = (f"the targets cannot be reached together; {where} {_misses(geometry, targets, q, options)}: move them "
                 "nearer")
    return Failure("out_of_reach", distance, {}, words)


def turned_away(geometry, targets, options, found):
    """Failure of places that can be had, but not with these orientations; found: IkResult of the nearest pose."""
    alike = "" if options.weights is None else ", all weights alike,"
    misses, turn = f"the nearest pose found{alike} misses", f"{found.residual_rotation:.4g} rad"
    if len(geometry.frames) > 1:
        words = (f"joint limits aside, the positions can be reached, but not with these orientations: {misses} "
                 f"{_misses(geometry, targets, found.q, options)} and an orientation by {turn}; turn the targets, or "
                 "free some of it by position_only, axis or weights")
    else:
        words = (f"joint limits aside, the position can be reached, but not with this orientation: {misses} by "
                 f"{found.residual_position:.4g} m and {turn}; turn the target, or free some of it by position_only or "
                 "axis")
    return Failure("out_of_reach", found.residual_position, {}, words)


def limits(geometry, excess, options):
    """Failure of a pose that is reached only with these violations of limits."""
    found = blamed(excess, options)
    joints = ", ".join(f"{name} by {found[name]:.4g} {unit}" for name, unit, *_ in geometry.joints if name in found)
    return Failure("limits", 0.0, found, only_outside(f": {joints}", options))


def only_outside(joints, options):
    """In words, that a pose is reached only outside the limits of joints."""
    others = f", or ask without {options.branch_asked}" if options.branch_asked else ""
    return f"found only outside the joint limits{joints}; move or turn the target{others}"


def blamed(excess, options):
    """The violations that are a reason: not those that the tolerance explains, if there are others."""
    return {name: e for name, e in excess.items() if e > min(options.tolerance)} or excess


def violations(geometry, q):
    """{joint: by how much [rad or m] q leaves its limits}."""
    x = q.tolist()                      # plain numbers: faster for a few
    return {name: max(low - x[k], x[k] - high) for name, _, k, low, high in geometry.joints if not low <= x[k] <= high}


def on_held_base(geometry, seed, failure):
    """The Failure with a word on a floating base that no seed told where to be."""
    if not geometry.model.floating_base or seed is not geometry.rest:
        return failure
    return failure._replace(message=f"{failure.message}; the base is held where the seed has it, and none was given: "
                            "it is at the origin")


def failed(failure, q, position, rotation, begin, method="numeric", iterations=0, restarts=0):
    """IkResult of a Failure, with the q (nq,) that a search, begun at `begin` [s], ended with and its residuals."""
    return tuple.__new__(IkResult, (        # by position: half the time
        False, failure.reason, q, float(position), float(rotation), no_solutions(len(q)), (), (),
        float(failure.distance), failure.violations, iterations, restarts, perf_counter() - begin, method,
        failure.message, ()))


@cache
def no_solutions(nq):
    """(0, nq), one for all."""
    return np.zeros((0, nq))


def _lies_outside(geometry, frames, metres):
    advice = "; move it or the robot nearer (targets are in m)" if geometry.unknowns.positions else (
        ", and no joint moves it; name another frame")
    return f"{' and '.join(frames)}: the target lies {metres} m outside the workspace{advice}"


def _misses(geometry, targets, q, options):
    """In words, by how much q misses the place of each target, as far as it counts."""
    told, places = [], (places_of(geometry.kinematics(q)[0]), places_of(targets))
    for frame, here, there in zip(geometry.frames, *places, strict=True):
        by = [b - a for a, b, counts in zip(here, there, options.weights_of(frame), strict=False) if counts]    # x y z
        told.append(f"{frame} by {hypot(*by):.4g} m")
    return ", ".join(told)
