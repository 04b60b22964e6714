"""Why a target has no solution, found by asking again without limits and for the position alone."""
from math import atan2, dist, hypot

import numpy as np

from .clock import MAKING, RANKING
from .constants import EXACT
from .failure import outside_spheres, timeout, too_far, turned_away, violations
from .problem import NO_LIMITS, PATIENT, SLIDES
from .turns import next_to
from .workspace import brought_near, least_distance


def nearest(geometry, targets, seed, options, clock, limits=SLIDES):
    """IkResult of the nearest pose that keeps these limits: the best of the seed and a few starts, followed up."""
    result = geometry.solver(options._replace(max_restarts=geometry.few), limits).solve(targets, seed, 0, *clock.span)
    if result.reason == "exhausted" and not clock.leaves(MAKING):
        return result._replace(reason="timeout")
    if result.reason == "exhausted":
        last = geometry.solver(options._replace(max_restarts=0), limits, PATIENT)
        result = last.solve(targets, result.q, 0, *clock.span)
    return result


class TimeUpError(Exception):
    """Time is up before it is known why."""


def how_far(geometry, targets, seed, options, clock):
    """Failure of targets that are surely out of reach, with their distance as exactly as there is time for."""
    if not clock.leaves(RANKING):                               # rather less exact than late
        return outside_spheres(geometry, geometry.usual.unsearched(targets, seed)[0])
    clock = clock.sooner
    targets = np.array(targets)                                 # of several frames they are a tuple
    distance, q = _nearest_places(geometry, targets, seed, _places(geometry, options), clock, nearest)
    return too_far(geometry, targets, q, distance, options, clock.over)


def out_of_reach(geometry, targets, seed, options, clock):
    """Failure of a pose that no joint angles reach, or None when some do, limits aside."""
    if not clock.leaves(MAKING):
        return timeout(options)
    try:
        failure = (_place_missed(geometry, targets, seed, options, clock)
                   or _orientation_missed(geometry, targets, seed, options, clock))
        if failure is None or not any(geometry.unknowns.slides):
            return failure
        longer = geometry.solver(_free(geometry, options), NO_LIMITS).solve(targets, seed, 0, *clock.span)
        if longer.reason == "timeout":
            raise TimeUpError
    except TimeUpError:
        return timeout(options)
    return None if longer.success else failure          # slides that were longer would reach it


def _place_missed(geometry, targets, seed, options, clock):
    """Failure of places that no joint angles, with slides inside their limits, reach, or None."""
    places = _places(geometry, options)
    if places is None:
        return None
    distance, q = _nearest_places(geometry, targets, seed, places, clock, _nearest_in_time)
    return None if distance <= options.tolerance[0] else too_far(geometry, targets, q, distance, options, clock.over)


def _orientation_missed(geometry, targets, seed, options, clock):
    """Failure of orientations that no joint angles have at places that can be reached, or None."""
    if options.position_only:
        return None
    result = _nearest_in_time(geometry, targets, seed, _free(geometry, options), clock)
    return None if result.success else turned_away(geometry, targets, options, result)


def _free(geometry, options):
    """Options to find out whether a pose can be reached at all."""
    return options.even._replace(max_restarts=geometry.few, posture=None)


def _places(geometry, options):
    """The same for the places of the targets alone, as far as they count; None when they do not."""
    free = _free(geometry, options)
    counting = tuple((frame, (*free.weights_of(frame)[:3], 0.0, 0.0, 0.0)) for frame in geometry.frames)
    return free._replace(axis=None, weights=counting) if any(any(weights) for _, weights in counting) else None


def _nearest_places(geometry, targets, seed, options, clock, ask):
    """(distance [m], q) of the nearest places, by `ask` as long as there is time; (0, q) when all are reached."""
    whole = all(all(weights[:3]) for _, weights in options.weights) and not clock.over
    result = ask(geometry, brought_near(geometry, targets, seed) if whole else targets, seed, options, clock)
    if result.success:
        return 0.0, result.q
    return least_distance(geometry, targets, result.q, options, clock) if whole else (
        result.residual_position, result.q)


def _nearest_in_time(geometry, targets, seed, options, clock):
    """IkResult of the nearest pose; TimeUpError when it was not found in time."""
    if not clock.leaves(MAKING):
        raise TimeUpError
    result = nearest(geometry, targets, seed, options, clock)
    if result.reason == "timeout":
        raise TimeUpError
    return result


def residuals(geometry, target, q, options):
    """Position [m] and rotation [rad] by which q misses the pose (4, 4) of a single frame, as far as it counts."""
    X, T = geometry.kinematics(q)[0][0], np.reshape(target, (4, 4))
    (a, b, c), (d, e, f), (g, h, i) = (T[:3, :3] @ X[:, :3].T).tolist()
    turn = 0.0 if options.position_only else atan2(hypot(h - f, c - g, d - b), a + e + i - 1.0)
    return dist(X[:, 3], T[:3, 3]), turn


def nearest_outside(geometry, targets, inside, options, clock):
    """The solution q, limits aside, that leaves them least, of a few starts; None when time ends before one.

    inside: what a search inside the limits ended with, from where steps lead outside by little.
    """
    best, least = None, np.inf
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    options = options.even._replace(posture=None)
    for start in range(geometry.few):                   # the first goes on until it ends in a solution
        starts = options._replace(max_restarts=0 if start else geometry.few)
        result = geometry.solver(starts, NO_LIMITS).solve(targets, inside, start, *clock.span)
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
    sharp = geometry.solver(exact, NO_LIMITS).solve(targets, best, 0, *clock.span)      # tells joints on limits apart
    return sharp.q if sharp.success else best
