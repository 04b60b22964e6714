"""Inverse kinematics of a robot: closed form where its geometry has one, numeric for all else, one result."""
from collections.abc import Mapping
from time import perf_counter
from types import MappingProxyType

import numpy as np

from . import explain
from .batch import solve_batch
from .python_solver import BEYOND, CONVERGED, TIMEOUT
from .request import STARTS, Requests
from .result import IkResult
from .targets import read_seed, read_targets

SOLUTIONS = 64      # starts of ik_all where there is no closed form
NOTHING = MappingProxyType({})
NO_INDICES = (NOTHING,)
WORDS = {False: "converged", True: "singular"}
new = tuple.__new__     # a NamedTuple from all its fields, without the 0.3 µs that naming them costs


class InverseKinematics(Requests):
    """Inverse kinematics of one model."""

    def solve_batch(self, targets, frame, seeds, given):
        """IkBatch of targets (N, 4, 4) of one frame."""
        return solve_batch(self, targets, frame, seeds, given)

    def solve(self, target, frame, seed, given, every=False):
        """IkResult under options {name: value}: the solution next to the seed, or every solution that is found.

        Every one is all branches of a closed form within limits, or the distinct ends of many starts.
        """
        several = type(target) is not np.ndarray and isinstance(target, Mapping)
        if several and not (target and frame is None):
            read_targets(self.model, target, frame)         # says what is wrong
        request = self.request(tuple(target) if several else frame, given)
        begin = perf_counter()
        method = self._closed if request.by_formula else self._many if every else self._numeric
        try:                                            # arrays that need no conversion go straight to the solver
            return method(request, target, request.geometry.rest if seed is None else seed, begin)
        except (TypeError, ValueError):
            _, targets = read_targets(self.model, target, frame)
            return method(request, targets, read_seed(self.model, seed, request.geometry.rest), begin)

    # closed form

    def _closed(self, request, target, seed, begin):
        found = request.solver.branches(target, seed, request.arm_angle(seed))
        if found[0] and not request.options.indices:
            return self._branched(found, begin)
        outside, family = None, request.geometry.arm is not None
        for psi in request.arm_angles(seed):
            found = self._chosen(request, request.solver.branches(target, seed, psi))
            if found[0]:
                return self._branched(found, begin)
            family |= any(found[3])
            for q in found[1]:
                worst = max(explain.violations(request.geometry, q).values())
                if outside is None or worst < outside[0]:
                    outside = worst, q, *found[4:]
        if outside is not None:
            if family and not request.options.indices and request.options.arm_angle is None:
                result = self._numeric(request, target, seed, begin)        # others of the family may keep the limits
                if result.success:
                    return result
            return self._failed(explain.limits(request.geometry, outside[1]), *outside[1:], begin, "closed_form")
        return self._without_branch(request, target, seed, begin)

    @staticmethod
    def _branched(found, begin):
        """IkResult of the branches inside the limits, which come first."""
        inside, q, indices, singular, position, rotation = found
        if inside < len(q):
            q, indices, singular = q[:inside], indices[:inside], singular[:inside]
        reason = WORDS[singular[0]]
        return new(IkResult, (True, reason, q[0], position, rotation, q, indices, singular, 0.0, NOTHING, 0, 0,
                              perf_counter() - begin, "closed_form", reason))

    @staticmethod
    def _chosen(request, found):
        """Of the branches, those with the indices asked for."""
        inside, q, indices, singular, *residuals = found
        wanted = dict(request.options.indices).items()
        keep = [i for i, named in enumerate(indices) if wanted <= named.items()]
        return (sum(i < inside for i in keep), q[keep], tuple(indices[i] for i in keep),
                tuple(singular[i] for i in keep), *residuals)

    def _without_branch(self, request, target, seed, begin):
        """No branch: out of reach, or in a family whose representative the formulas miss (doubly singular)."""
        geometry, chosen = request.geometry, request.options
        clock = explain.Clock(begin, chosen.timeout)
        failure = explain.out_of_reach(geometry, target, seed, chosen, clock)
        if failure is None and not chosen.indices:
            return self._numeric(request, target, seed, begin)
        if failure is None:
            failure = explain.Failure("out_of_reach", 0.0, {}, "the branch with these indices does not exist for this "
                                      "target, others do; ask without indices")
        return self._failed(failure, seed, *explain.residuals(geometry, target, seed), begin, "closed_form")

    # numeric

    def _numeric(self, request, target, seed, begin):
        status, q, position, rotation, iterations, restarts, _, singular = request.solver.solve(
            target, seed, -1 if seed is request.geometry.rest else 0)
        if status == CONVERGED:
            return new(IkResult, (True, WORDS[singular], q, position, rotation, q[None], NO_INDICES, (singular,), 0.0,
                                  NOTHING, iterations, restarts, perf_counter() - begin, "numeric", WORDS[singular]))
        return self._hard(request, target, seed, begin, (status, q, position, rotation, iterations, restarts))

    def _hard(self, request, target, seed, begin, answer):
        """After the first starts failed: impossible, or only hard?"""
        geometry, chosen, clock = request.geometry, request.options, explain.Clock(begin, request.options.timeout)
        status, q, position, rotation, iterations, restarts = answer
        failure = explain.timeout(chosen) if status == TIMEOUT else explain.out_of_reach(
            geometry, target, seed, chosen, clock, surely=status == BEYOND)
        if failure is None and chosen.max_restarts > STARTS:
            more = geometry.solver(chosen._replace(max_restarts=chosen.max_restarts - STARTS - 1))
            status, q, position, rotation, *counts, _, singular = more.solve(target, seed, STARTS + 1, clock())
            iterations, restarts = iterations + counts[0], restarts + counts[1] + 1
            if status == CONVERGED:
                return IkResult(True, WORDS[singular], q, position, rotation, q[None], NO_INDICES, (singular,),
                                iterations=iterations, restarts=restarts, time=perf_counter() - begin,
                                message=WORDS[singular])
            failure = explain.timeout(chosen) if status == TIMEOUT else None
        if failure is None:
            outside = explain.nearest_outside(geometry, target, seed, chosen, clock)
            failure = explain.timeout(chosen) if outside is None else explain.limits(geometry, outside)
        return self._failed(failure, q, position, rotation, begin, iterations=iterations, restarts=restarts)

    def _many(self, request, target, seed, begin):
        result, chosen = self._numeric(request, target, seed, begin), request.options
        if not result.success:
            return result
        found = {0: (result.q, result.singular[0])}
        one = request.geometry.solver(chosen._replace(max_restarts=0))
        for start in range(SOLUTIONS):
            status, q, *_, singular = one.solve(target, seed, start)
            if status == CONVERGED and all(abs(q - other).max() > 1e-4 for other, _ in found.values()):
                found[len(found)] = q, singular
            if perf_counter() - begin > chosen.timeout:
                break
        ranked = sorted(found.values(), key=lambda f: ((f[0] - seed) ** 2).sum())
        return result._replace(
            q=ranked[0][0], solutions=np.array([q for q, _ in ranked]), indices=NO_INDICES * len(ranked),
            singular=tuple(singular for _, singular in ranked), time=perf_counter() - begin)

    def _failed(self, failure, q, position, rotation, begin, method="numeric", **counts):
        return IkResult(False, failure.reason, q, float(position), float(rotation), np.zeros((0, self.model.nq)),
                        distance=float(failure.distance), violations=failure.violations, time=perf_counter() - begin,
                        method=method, message=failure.message, **counts)
