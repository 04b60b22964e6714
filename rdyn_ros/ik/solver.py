"""Inverse kinematics of a robot: closed form where its geometry has one, numeric for all else, one result."""
from collections.abc import Mapping
from time import perf_counter

import numpy as np

from . import explain
from .batch import solve_batch
from .constants import KNOWN, TURN
from .request import STARTS, Requests
from .result import NOTHING, IkResult
from .targets import read_seed, read_targets
from .turns import apart

FAMILY = 16         # arm angles among which all solutions are sought
SCAN = 72           # arm angles tried when that of the seed leaves the limits
HALVINGS = 10       # of the step between them, towards the one that leaves the limits least
SOLUTIONS = 64      # starts of ik_all where there is no closed form
DISTINCT = 1e-4     # [rad, m] numeric solutions nearer to each other are one
WORDS = {False: "converged", True: "singular"}
new = tuple.__new__     # a NamedTuple from all its fields, without the 0.3 µs that naming them costs


class InverseKinematics(Requests):
    """Inverse kinematics of one model."""

    def solve_batch(self, targets, frame, seeds, given):
        """IkBatch of targets (N, 4, 4) of one frame."""
        return solve_batch(self, targets, frame, seeds, given)

    def solve(self, target, frame, seed, given, every=False):
        """IkResult under options {name: value}: the solution next to the seed, or every solution that is found.

        Every one is all branches of a closed form within limits, of a seven-axis arm at FAMILY arm angles, or the
        distinct ends of many starts.
        """
        several = type(target) is not np.ndarray and isinstance(target, Mapping)
        if several and not (target and frame is None):
            read_targets(self.model, target, frame)         # says what is wrong
        request = self.request(tuple(target), given, True) if several else self.request(frame, given)
        if request.by_formula:
            method = self._family if every and request.round_the_arm else self._closed
        else:
            method = self._many if every else self._numeric
        if seed is None:
            seed = request.geometry.rest
        elif type(seed) is not np.ndarray:
            seed = read_seed(self.model, seed)
        try:                                            # arrays that need no conversion go straight to the solver
            return method(request, target, seed)
        except (TypeError, ValueError):
            _, targets = read_targets(self.model, target, frame)
            return method(request, targets, seed if seed is request.geometry.rest else read_seed(self.model, seed))

    # closed form

    def _closed(self, request, target, seed, begin=None):
        begin, psi = begin or perf_counter(), request.arm_angle(seed)
        found = request.solver.branches(target, seed, psi)
        if found[0]:                                    # none is inside the limits
            clock = explain.Clock(begin, request.options.timeout)
            if request.round_the_arm:
                found, psi = _least_outside(request, target, seed, found, psi, clock)
            if found[0]:
                return self._outside(request, target, seed, found, clock)
        return _branched(found, () if request.geometry.arm is None else (_turned(psi),) * len(found[1]), begin)

    def _family(self, request, target, seed):
        """All branches of a seven-axis arm at FAMILY arm angles, that of the seed among them."""
        begin, rows = perf_counter(), []
        clock = explain.Clock(begin, request.options.timeout)
        for psi in around(request.arm_angle(seed), FAMILY):
            excess, q, indices, singular, *residual = request.solver.branches(target, seed, psi)
            if not excess:
                rows += zip(q, indices, singular, [_turned(psi)] * len(q), [residual] * len(q), strict=True)
            if clock.over:
                break
        if not rows:
            return self._closed(request, target, seed, begin)
        rows.sort(key=lambda row: ((row[0] - seed) ** 2).sum())     # the first is first at its arm angle, too
        q, indices, singular, angles, residuals = zip(*rows, strict=True)
        return _branched((0.0, np.array(q), indices, singular, *residuals[0]), angles, begin)

    def _outside(self, request, target, seed, found, clock):
        """No branch inside the limits: others of a family may be, or it is told why there is none."""
        geometry, chosen = request.geometry, request.options
        _, q, _, singular, *residual = found
        free = not chosen.indices and chosen.arm_angle is None          # to take any solution
        if len(q):
            family, over = geometry.arm is not None or any(singular), clock.over
            if family and free and (result := self._numeric(request, target, seed, clock)).success:
                return result
            failure = explain.timeout(chosen) if over and request.round_the_arm else explain.limits(geometry, q[0])
        else:
            failure = explain.out_of_reach(geometry, target, seed, chosen, clock)
            if failure is None and free:                # in a family whose representative the formulas miss
                return self._numeric(request, target, seed, clock)
            failure = failure or explain.Failure("out_of_reach", 0.0, {}, "the branch with these indices does not "
                                                 "exist for this target, others do; ask without indices")
        if not len(q):
            q, residual = [seed.copy()], explain.residuals(geometry, target, seed, chosen)
        return _failed(failure, q[0], *residual, clock, "closed_form")

    # numeric

    def _numeric(self, request, target, seed, clock=None):
        first = -1 if seed is request.geometry.rest else 0
        if clock is None:
            result = request.solver.solve(target, seed, first)
            if result.success:
                return result
            clock = explain.Clock(perf_counter() - result.time, request.options.timeout)
        else:
            result = request.solver.solve(target, seed, first, clock())
            if result.success:
                return result._replace(time=clock.used)
        return self._hard(request, target, seed, result, clock)

    def _hard(self, request, target, seed, result, clock):
        """After the first starts failed: impossible, or only hard?"""
        geometry, chosen = request.geometry, request.options
        failure = explain.timeout(chosen) if result.reason == "timeout" else explain.out_of_reach(
            geometry, target, seed, chosen, clock, surely=result.reason == "beyond")
        if failure is None and chosen.max_restarts > STARTS:
            more = geometry.solver(chosen._replace(max_restarts=chosen.max_restarts - STARTS - 1))
            result = _after(result, more.solve(target, seed, KNOWN, clock()), clock)
            if result.success:
                return result
            failure = explain.timeout(chosen) if result.reason == "timeout" else None
        if failure is None:
            q = explain.nearest_outside(geometry, target, seed, chosen, clock)
            failure = explain.timeout(chosen) if q is None else explain.limits(geometry, q)
            if failure.reason == "limits" and not failure.violations:       # one of these starts ended inside
                one = geometry.solver(chosen._replace(max_restarts=0))
                result = _after(result, one.solve(target, q, 0, clock()), clock)
                if result.success:
                    return result
                failure = explain.timeout(chosen)
        return _failed(failure, result.q, *result.residual, clock, iterations=result.iterations,
                       restarts=result.restarts)

    def _many(self, request, target, seed):
        clock, found = explain.Clock(perf_counter(), request.options.timeout), [self._numeric(request, target, seed)]
        if not found[0].success:
            return found[0]
        at, turns = list(request.geometry.unknowns.positions), request.geometry.unknowns.turns
        one = request.geometry.solver(request.options._replace(max_restarts=0))
        for start in range(SOLUTIONS):
            result = one.solve(target, seed, start, clock())
            if result.success and all(apart(result.q[at], other.q[at], turns) > DISTINCT for other in found):
                found.append(result)
            if clock.over:
                break
        ranked = sorted(found, key=lambda result: ((result.q - seed) ** 2).sum())
        return ranked[0]._replace(
            solutions=np.array([result.q for result in ranked]), indices=(NOTHING,) * len(ranked),
            singular=tuple(result.singular[0] for result in ranked), time=clock.used)


def around(psi, number):
    """So many arm angles all round, psi first, then alternating ever further from it."""
    return [psi + (-1) ** k * ((k + 1) // 2) * TURN / number for k in range(number)]


STAGES = (around(0.0, SCAN)[1:], *((-h, h) for h in (TURN / SCAN * 0.5 ** np.arange(1, HALVINGS + 1)).tolist()))


def _least_outside(request, target, seed, found, psi, clock):
    """(branches, arm angle) inside the limits, or least outside: all round, then in ever smaller steps."""
    best = found, psi
    for offsets in STAGES:
        centre = best[1]
        for offset in offsets:
            there = request.solver.branches(target, seed, centre + offset), centre + offset
            best = min(best, there, key=lambda each: each[0][0])
            if not best[0][0] or clock.over:
                return best
    return best


def _branched(found, angles, begin):
    """IkResult of branches inside the limits and their arm angles."""
    _, q, indices, singular, position, rotation = found
    reason = WORDS[singular[0]]
    return new(IkResult, (True, reason, q[0], position, rotation, q, indices, singular, 0.0, NOTHING, 0, 0,
                          perf_counter() - begin, "closed_form", reason, angles))


def _after(first, then, clock):
    """The second of two searches with what both took."""
    return then._replace(iterations=first.iterations + then.iterations, time=clock.used,
                         restarts=first.restarts + then.restarts + 1)


def _failed(failure, q, position, rotation, clock, method="numeric", **counts):
    return IkResult(False, failure.reason, q, float(position), float(rotation), np.zeros((0, len(q))),
                    distance=float(failure.distance), violations=failure.violations, time=clock.used,
                    method=method, message=failure.message, **counts)


def _turned(psi):
    """The angle in [-pi, pi)."""
    return float((psi + np.pi) % TURN - np.pi)
