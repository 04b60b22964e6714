"""Numeric answers: a search from start to start, then the question why it failed."""
from math import inf
from time import perf_counter

import numpy as np

from . import explain
from .clock import MAKING, Clock
from .constants import KNOWN
from .failure import failed, limits, no_solver, on_held_base, outside_spheres, timeout
from .options import STARTS
from .problem import ALL_LIMITS, LASTING, PATIENT
from .result import NOTHING, cut_short
from .turns import apart, nearest_first

SOLUTIONS = 64      # starts of ik_all
DISTINCT = 1e-4     # [rad, m] solutions nearer to each other are one,
AT_POSTURE = 1e-2   # where they slid to a posture: what is left of the way is not the same for all


def search(request, target, seed, clock=None):
    """IkResult of the first start that ends on the target; clock: of a budget that was begun before."""
    first = -1 if seed is request.geometry.rest else 0
    if clock is None:
        result = request.solver.solve(target, seed, first, request.seconds)
        if result.success:
            return result
        clock = Clock(perf_counter() - result.time, request.options.timeout)
    else:
        result = request.solver.solve(target, seed, first, clock())
        if result.success:
            return result._replace(time=clock.used)
    return _hard(request, target, seed, result, clock)


def _hard(request, target, seed, result, clock):
    """After the first starts failed: further ones where the pose is possible, else the reason."""
    result, failure = _why(request, target, seed, result, clock)
    if request.options.weights is not None and not result.success and clock.leaves(MAKING):     # of a miss they decide
        result = _after(result, explain.nearest(request.geometry, target, result.q, request.options, clock, ALL_LIMITS),
                        clock)
    if result.success:
        return result
    if failure.reason != "timeout":
        failure = on_held_base(request.geometry, seed, failure)
    return failed(failure, result.q, *result.residual, clock, iterations=result.iterations, restarts=result.restarts)


def _why(request, target, seed, result, clock):
    """(IkResult, Failure): of the starts so far and why they failed, or of a further one that did not."""
    geometry, chosen, even = request.geometry, request.options, request.options.even
    if result.reason == "timeout":
        return result, timeout(chosen)
    why = explain.how_far if result.reason == "beyond" else explain.out_of_reach
    failure = why(geometry, target, seed, chosen, clock)
    if failure is not None:
        return result, failure
    if chosen.max_restarts > STARTS:
        more = geometry.solver(even._replace(max_restarts=chosen.max_restarts - STARTS - 1), ALL_LIMITS, LASTING)
        result = _after(result, more.solve(target, seed, KNOWN, clock()), clock)
        if result.success or result.reason == "timeout":
            return result, timeout(chosen)
    q = explain.nearest_outside(geometry, target, result.q, chosen, clock)
    if q is None:
        return result, timeout(chosen, clock)
    failure = limits(geometry, q, chosen)
    if failure.violations:
        return result, failure
    one = geometry.solver(even._replace(max_restarts=0), ALL_LIMITS, PATIENT)      # one of those starts ended inside
    return _after(result, one.solve(target, q, 0, clock()), clock), timeout(chosen, clock)


def too_late(request, target, seed, clock):
    """IkResult when time is up before there is a solver: out of reach if that is sure; else one is made meanwhile."""
    geometry, chosen = request.geometry, request.options
    far, q = geometry.usual.unsearched(target, seed)        # refuses bad targets, too
    if chosen.weights is None and max(far) > chosen.tolerance[0]:
        failure = on_held_base(geometry, seed, outside_spheres(geometry, far))
    else:
        failure = no_solver(chosen.timeout)
        geometry.make_solver_soon(chosen.at_first)
    return failed(failure, q, inf, inf, clock, "closed_form" if request.by_formula else "numeric")


def many(request, target, seed, clock=None):
    """IkResult of all distinct ends of SOLUTIONS starts."""
    clock = clock or Clock(perf_counter(), request.options.timeout)
    found, clock = [search(request, target, seed, clock)], clock.sooner         # to rank them takes time, too
    if not found[0].success:
        return found[0]
    if not clock.leaves(MAKING):
        return cut_short(found[0], "the first")
    at, turns = list(request.geometry.unknowns.positions), request.geometry.unknowns.turns
    one, ends = request.geometry.solver(request.options.even._replace(max_restarts=0)), found[0].q[None, at]
    distinct = DISTINCT if request.options.posture is None else AT_POSTURE
    for start in range(SOLUTIONS):
        if over := clock.over:
            break
        result = one.solve(target, seed, start, clock())
        if result.success and (apart(result.q[at], ends, turns) > distinct).all():
            found.append(result)
            ends = np.vstack([ends, result.q[at]])
    q = np.array([result.q for result in found])
    order = nearest_first(q, seed)
    ranked = found[order[0]]._replace(
        solutions=q[order], indices=(NOTHING,) * len(found),
        singular=tuple([found[k].singular[0] for k in order]), time=clock.used)
    return cut_short(ranked, f"{start} of {SOLUTIONS} starts") if over else ranked


def _after(first, then, clock):
    """The second of two searches with what both took."""
    return then._replace(iterations=first.iterations + then.iterations, time=clock.used,
                         restarts=first.restarts + then.restarts + 1)
