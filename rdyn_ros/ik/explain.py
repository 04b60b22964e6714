"""Why a target has no solution, found by asking again without limits and for the position alone."""
from math import atan2, dist, hypot
from typing import NamedTuple

import numpy as np

from .clock import MAKING, RANKING
from .constants import EXACT
from .problem import NO_LIMITS, PATIENT, SLIDES
from .reach import places_of
from .result import IkResult
from .turns import next_to
from .workspace import brought_near, least_distance


class Failure(NamedTuple):
    """The reason, the distance to the workspace [m], joints outside their limits, and all of it in words."""

    reason: str
    distance: float
    violations: dict
    message: str


def nearest(geometry, targets, seed, options, clock, limits=SLIDES):
    """IkResult of the nearest pose that keeps these limits: the best of the seed and a few starts, followed up."""
    result = geometry.solver(options._replace(max_restarts=geometry.few), limits).solve(targets, seed, 0, clock())
    if result.reason == "exhausted" and not clock.leaves(MAKING):
        return result._replace(reason="timeout")
    if result.reason == "exhausted":
        last = geometry.solver(options._replace(max_restarts=0), limits, PATIENT)
        result = last.solve(targets, result.q, 0, clock())
    return result


class TimeUpError(Exception):
    """Time is up before it is known why."""


def out_of_reach(geometry, targets, seed, options, clock, surely=False):
    """Failure of a pose that no joint angles reach, or None when some do, limits aside.

    surely: a bound has already told that it is; then only the distance is asked.
    """
    if surely and not clock.leaves(RANKING):                    # rather less exact than late
        return outside_spheres(geometry, geometry.usual.unsearched(targets, seed)[0])
    if surely:
        return _place_missed(geometry, targets, seed, options, clock.sooner, surely)
    try:
        failure = (_place_missed(geometry, targets, seed, options, clock)
                   or _orientation_missed(geometry, targets, seed, options, clock))
        if failure is None or not any(geometry.unknowns.slides):
            return failure
        longer = geometry.solver(_free(geometry, options), NO_LIMITS).solve(targets, seed, 0, clock())
        if longer.reason == "timeout":
            raise TimeUpError
    except TimeUpError:
        return timeout(options)
    return None if longer.success else failure          # slides that were longer would reach it


def _free(geometry, options):
    """Options to find out whether a pose can be reached at all."""
    return options.even._replace(max_restarts=geometry.few, posture=None)


def _place_missed(geometry, targets, seed, options, clock, surely=False):
    """Failure of places that no joint angles, with slides inside their limits, reach, or None."""
    free = _free(geometry, options)
    places = tuple((frame, (*free.weights_of(frame)[:3], 0.0, 0.0, 0.0)) for frame in geometry.frames)
    if not any(any(weights) for _, weights in places):
        return None
    placed, whole = free._replace(axis=None, weights=places), free.weights is None and not clock.over
    aims = brought_near(geometry, targets, seed) if whole else targets
    result = _nearest_in_time(geometry, aims, seed, placed, clock, or_not=surely)
    if result.success:
        return None
    distance, q = result.residual_position, result.q
    if whole:
        distance, q = least_distance(geometry, targets, q, placed, clock)
    if distance <= options.tolerance[0] and not surely:
        return None
    return Failure("out_of_reach", distance, {}, _too_far(geometry, targets, q, distance, options, clock.over))


def _orientation_missed(geometry, targets, seed, options, clock):
    """Failure of orientations that no joint angles have at places that can be reached, or None."""
    if options.position_only:
        return None
    result = _nearest_in_time(geometry, targets, seed, _free(geometry, options), clock)
    if result.success:
        return None
    return Failure("out_of_reach", result.residual_position, {}, _turned_away(geometry, targets, options, result))


def _nearest_in_time(geometry, targets, seed, options, clock, or_not=False):
    """IkResult of the nearest pose; TimeUpError when it was not found in time, or_not: what was found until then."""
    if not or_not and not clock.leaves(MAKING):
        raise TimeUpError
    result = nearest(geometry, targets, seed, options, clock)
    if not or_not and result.reason == "timeout":
        raise TimeUpError
    return result


def _too_far(geometry, targets, q, distance, options, hurried):
    """In words, that q, if not hurried, comes nearest to the targets, and one is missed by the distance [m]."""
    if len(geometry.frames) == 1 or not geometry.unknowns.positions:
        return _lies_outside(geometry, geometry.frames, f"{'at most ' * hurried}{distance:.4g}")
    where = "the nearest found in time misses" if hurried else "where they are missed least,"
    return f"the targets cannot be reached together; {where} {_misses(geometry, targets, q, options)}: move them nearer"


def _misses(geometry, targets, q, options):
    """In words, by how much q misses the place of each target, as far as it counts."""
    told, places = [], (places_of(geometry.kinematics(q)[0]), places_of(targets))
    for frame, here, there in zip(geometry.frames, *places, strict=True):
        by = [b - a for a, b, counts in zip(here, there, options.weights_of(frame), strict=False) if counts]    # x y z
        told.append(f"{frame} by {hypot(*by):.4g} m")
    return ", ".join(told)


def _turned_away(geometry, targets, options, found):
    """In words, that places can be had but not orientations; found: IkResult of the nearest pose."""
    alike = "" if options.weights is None else ", all weights alike,"
    misses, turn = f"the nearest pose found{alike} misses", f"{found.residual_rotation:.4g} rad"
    if len(geometry.frames) > 1:
        return (f"joint limits aside, the positions can be reached, but not with these orientations: {misses} "
                f"{_misses(geometry, targets, found.q, options)} and an orientation by {turn}; turn the targets, or "
                "free some of it by position_only, axis or weights")
    return (f"joint limits aside, the position can be reached, but not with this orientation: {misses} by "
            f"{found.residual_position:.4g} m and {turn}; turn the target, or free some of it by position_only or axis")


def _lies_outside(geometry, frames, metres):
    advice = "; move it or the robot nearer" if geometry.unknowns.positions else (
        ", and no joint moves it; name another frame")
    return f"{' and '.join(frames)}: the target lies {metres} m outside the workspace{advice}"


def outside_spheres(geometry, far):
    """Failure of targets that lie so far [m] outside the spheres that frames cannot leave: the least it can be."""
    distance, frame = max(zip(far, geometry.frames, strict=True))
    bound = "at least " if geometry.unknowns.positions else ""
    return Failure("out_of_reach", distance, {}, _lies_outside(geometry, [frame], f"{bound}{distance:.4g}"))


def no_such_branch(options):
    """Failure of a pose that has solutions, but none with the indices or the arm angle asked for."""
    return Failure("out_of_reach", 0.0, {}, "joint limits aside, the target has solutions, but none with the "
                   f"{options.branch_asked} given; ask for others, or without {options.branch_asked}")


def timeout(options, clock=None):
    """Failure of a search that its time ended or, when a clock tells that some is left, its number of starts."""
    spent = clock is None or clock.over
    return Failure("timeout", 0.0, {}, (
        f"no solution within {options.timeout:g} s; give more time" if spent else
        f"no solution from {options.max_restarts + 1} starts; raise max_restarts") + ", or a seed nearer to the target")


def unprepared(frames, budget):
    """Failure of a first request whose time is up before the machine code for it is there."""
    return Failure("timeout", 0.0, {}, f"the first request for {' and '.join(frames)}: machine code is being made or "
                   f"loaded, and {budget:g} s may be too short for it; ask again soon, or call ik_prepare first")


def no_solver(budget):
    """Failure of a first request with its options whose time is up before there is a solver for them."""
    return Failure("timeout", 0.0, {}, "the first request with these options: a solver is being made for them, and "
                   f"{budget:g} s was too short for it; ask again with the same, give 0.5 ms or more, or name them in "
                   "ik_prepare first")


def residuals(geometry, target, q, options):
    """Position [m] and rotation [rad] by which q misses the pose (4, 4) of a single frame, as far as it counts."""
    X, T = geometry.kinematics(q)[0][0], np.reshape(target, (4, 4))
    (a, b, c), (d, e, f), (g, h, i) = (T[:3, :3] @ X[:, :3].T).tolist()
    turn = 0.0 if options.position_only else atan2(hypot(h - f, c - g, d - b), a + e + i - 1.0)
    return dist(X[:, 3], T[:3, 3]), turn


def violations(geometry, q):
    """{joint: by how much [rad or m] q leaves its limits}."""
    x = q[list(geometry.unknowns.positions)]
    excess = np.maximum(geometry.lower - x, x - geometry.upper)
    return {name: e for (name, _), e in zip(geometry.joints, excess.tolist(), strict=True) if e > 0.0}


def limits(geometry, q, options):
    """Failure of a pose that only q, outside the limits, reaches; what the tolerance explains is no reason."""
    excess = violations(geometry, q)
    found = {name: e for name, e in excess.items() if e > min(options.tolerance)} or excess
    joints = ", ".join(f"{name} by {found[name]:.4g} {unit}" for name, unit in geometry.joints if name in found)
    others = f", or ask without {options.branch_asked}" if options.branch_asked else ""
    return Failure("limits", 0.0, found, f"found only outside the joint limits: {joints}; move or turn the target"
                   + others)


def nearest_outside(geometry, targets, inside, options, clock):
    """The solution q, limits aside, that leaves them least, of a few starts; None when time ends before one.

    inside: what a search inside the limits ended with, from where steps lead outside by little.
    """
    best, least = None, np.inf
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    options = options.even._replace(posture=None)
    for start in range(geometry.few):                   # the first goes on until it ends in a solution
        starts = options._replace(max_restarts=0 if start else geometry.few)
        result = geometry.solver(starts, NO_LIMITS).solve(targets, inside, start, clock())
        q = result.q.copy()
        q[at] = next_to(q[at], q[at], geometry.lower, geometry.upper, turns)
        worst = max(violations(geometry, q).values(), default=0.0)
        if result.success and worst < least:
            best, least = q, worst
        if least == 0.0 or clock.over:
            break
    if least in (0.0, np.inf):
        return best
    exact = options._replace(max_restarts=0, tolerance=tuple(min(each, EXACT) for each in options.tolerance))
    sharp = geometry.solver(exact, NO_LIMITS).solve(targets, best, 0, clock())      # joints on limits are told apart
    return sharp.q if sharp.success else best


def failed(failure, q, position, rotation, clock, method="numeric", **counts):
    """IkResult of a Failure, with the q (nq,) that a search ended with and its residuals [m], [rad]."""
    return IkResult(False, failure.reason, q, float(position), float(rotation), np.zeros((0, len(q))),
                    distance=float(failure.distance), violations=failure.violations, time=clock.used,
                    method=method, message=failure.message, **counts)
