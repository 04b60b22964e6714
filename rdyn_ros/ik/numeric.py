"""Numeric answers: a search from start to start, then the question why it failed."""
from math import inf

import numpy as np

from . import explain
from .clock import MAKING, RANKING, Clock
from .constants import KNOWN
from .failure import failed, limits, no_solver, on_held_base, outside_spheres, timeout, violations
from .options import STARTS
from .problem import ALL_LIMITS, LASTING, PATIENT
from .result import NOTHING, cut_short
from .turns import apart, nearest_first

SOLUTIONS = 64      # starts of ik_all
DISTINCT = 1e-4     # [rad, m] solutions nearer to each other are one,
AT_POSTURE = 1e-2   # where they slid to a posture: what is left of the way is not the same for all


def search(request, target, seed, begin, reserved=0.0):
    """IkResult of the first start that ends on the target, in time from `begin` [s] on, less what is reserved."""
    first = -1 if seed is request.geometry.rest else 0
    result = request.solver.solve(target, seed, first, begin, request.seconds - reserved, request.late.message)
    if result.success or result.reason == "timeout":
        return result
    geometry, chosen, clock = request.geometry, request.options, Clock(begin, request.options.timeout, reserved)
    if result.reason == "beyond":
        failure = explain.how_far(geometry, target, seed, chosen, clock)
    else:
        result, failure = _why(request, target, seed, result, clock)
    if chosen.weights is not None and not result.success and clock.leaves(MAKING):      # of a miss they decide
        result = _after(result, explain.nearest(geometry, target, result.q, chosen, clock, ALL_LIMITS))
    if result.success:
        return result
    if failure.reason != "timeout":
        failure = on_held_base(geometry, seed, failure)
    return failed(failure, result.q, *result.residual, begin, "numeric", result.iterations, result.restarts)


def _why(request, target, seed, result, clock):
    """(IkResult, Failure): of the starts so far and why they failed, or of a further one that did not.

    Further ones are tried where the pose is possible.
    """
    geometry, chosen, even = request.geometry, request.options, request.options.even
    target = np.array(target)                           # of several frames it is a tuple
    failure = explain.out_of_reach(geometry, target, seed, chosen, clock)
    if failure is not None:
        return result, failure
    if chosen.max_restarts > STARTS:
        more = geometry.solver(even._replace(max_restarts=chosen.max_restarts - STARTS - 1), ALL_LIMITS, LASTING)
        result = _after(result, more.solve(target, seed, KNOWN, *clock.span))
        if result.success or result.reason == "timeout":
            return result, request.late
    q = explain.nearest_outside(geometry, target, result.q, chosen, clock)
    if q is None:
        return result, timeout(chosen, clock)
    failure = limits(geometry, violations(geometry, q), chosen)
    if failure.violations:
        return result, failure
    one = geometry.solver(even._replace(max_restarts=0), ALL_LIMITS, PATIENT)      # one of those starts ended inside
    return _after(result, one.solve(target, q, 0, *clock.span)), timeout(chosen, clock)


def too_late(request, target, seed, begin):
    """IkResult when time is up before there is a solver: out of reach if that is sure; else one is made meanwhile."""
    geometry, chosen = request.geometry, request.options
    far, q = geometry.usual.unsearched(target, seed)        # refuses bad targets, too
    if chosen.weights is None and max(far) > chosen.tolerance[0]:
        failure = on_held_base(geometry, seed, outside_spheres(geometry, far))
    else:
        failure = no_solver(chosen.timeout)
        geometry.make_solver_soon(request.at_first)
    return failed(failure, q, inf, inf, begin, "closed_form" if request.by_formula else "numeric")


def many(request, target, seed, begin):
    """IkResult of all distinct ends of SOLUTIONS starts."""
    found = [search(request, target, seed, begin)]
    if not found[0].success:
        return found[0]
    clock = Clock(begin, request.options.timeout, RANKING)
    if not clock.leaves(MAKING):
        return cut_short(found[0], "the first")
    at, turns = list(request.geometry.unknowns.positions), request.geometry.unknowns.turns
    one, ends = request.geometry.solver(request.options.even._replace(max_restarts=0)), found[0].q[None, at]
    distinct = DISTINCT if request.options.posture is None else AT_POSTURE
    for start in range(SOLUTIONS):
        if over := clock.over:
            break
        result = one.solve(target, seed, start, *clock.span)
        if result.success and (apart(result.q[at], ends, turns) > distinct).all():
            found.append(result)
            ends = np.vstack([ends, result.q[at]])
    q = np.array([result.q for result in found])
    order = nearest_first(q, seed)
    ranked = found[order[0]]._replace(
        solutions=q[order], indices=(NOTHING,) * len(found),
        singular=tuple([found[k].singular[0] for k in order]), time=clock.used)
    return cut_short(ranked, f"{start} of {SOLUTIONS} starts") if over else ranked


def _after(first, then):
    """The second of two searches with what both took."""
    return then._replace(iterations=first.iterations + then.iterations, restarts=first.restarts + then.restarts + 1)
