"""Inverse kinematics of a robot: closed form where its geometry has one, numeric for all else, one result."""
from collections.abc import Mapping
from time import perf_counter

import numpy as np

from . import explain
from .batch import solve_batch
from .request import FAMILY, KNOWN, STARTS, Requests
from .result import NOTHING, IkResult
from .targets import read_seed, read_targets

SOLUTIONS = 64      # starts of ik_all where there is no closed form
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
        request = self.request(tuple(target) if several else frame, given)
        if request.by_formula:
            family = every and request.geometry.arm is not None and request.options.arm_angle is None
            method = self._family if family else self._closed
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

    def _closed(self, request, target, seed):
        begin, psi = perf_counter(), request.arm_angle(seed)
        found = request.solver.branches(target, seed, psi)
        if found[0] and not request.options.indices:
            return self._branched(request, found, psi, begin)
        outside, family = None, request.geometry.arm is not None
        for psi in request.arm_angles(seed):
            found = self._chosen(request, request.solver.branches(target, seed, psi))
            if found[0]:
                return self._branched(request, found, psi, begin)
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

    def _family(self, request, target, seed):
        """All branches of a seven-axis arm at FAMILY arm angles, that of the seed among them."""
        begin, found = perf_counter(), []
        for psi in request.arm_angles(seed, FAMILY):
            inside, q, indices, singular, *_ = self._chosen(request, request.solver.branches(target, seed, psi))
            found += zip(q[:inside], indices, singular, [psi] * inside, strict=False)
        nearest = self._closed(request, target, seed)
        if nearest.method != "closed_form" or not found:
            return nearest
        q, indices, singular, angles = zip(*sorted(found, key=lambda f: ((f[0] - seed) ** 2).sum()), strict=True)
        return nearest._replace(reason=WORDS[singular[0]], message=WORDS[singular[0]], q=q[0], solutions=np.array(q),
                                indices=indices, singular=singular, arm_angles=tuple(map(_turned, angles)),
                                time=perf_counter() - begin)

    @staticmethod
    def _branched(request, found, psi, begin):
        """IkResult of the branches inside the limits, which come first."""
        inside, q, indices, singular, position, rotation = found
        if inside < len(q):
            q, indices, singular = q[:inside], indices[:inside], singular[:inside]
        reason = WORDS[singular[0]]
        angles = () if request.geometry.arm is None else (_turned(psi),) * inside
        return new(IkResult, (True, reason, q[0], position, rotation, q, indices, singular, 0.0, NOTHING, 0, 0,
                              perf_counter() - begin, "closed_form", reason, angles))

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

    def _numeric(self, request, target, seed, begin=None):
        result = request.solver.solve(target, seed, -1 if seed is request.geometry.rest else 0)
        if result.success:
            return result
        return self._hard(request, target, seed, begin or perf_counter() - result.time, result)

    def _hard(self, request, target, seed, begin, result):
        """After the first starts failed: impossible, or only hard?"""
        geometry, chosen, clock = request.geometry, request.options, explain.Clock(begin, request.options.timeout)
        failure = explain.timeout(chosen) if result.reason == "timeout" else explain.out_of_reach(
            geometry, target, seed, chosen, clock, surely=result.reason == "beyond")
        if failure is None and chosen.max_restarts > STARTS:
            more = geometry.solver(chosen._replace(max_restarts=chosen.max_restarts - STARTS - 1))
            more = more.solve(target, seed, KNOWN, clock())
            result = more._replace(iterations=result.iterations + more.iterations, time=perf_counter() - begin,
                                   restarts=result.restarts + more.restarts + 1)
            if result.success:
                return result
            failure = explain.timeout(chosen) if result.reason == "timeout" else None
        if failure is None:
            outside = explain.nearest_outside(geometry, target, seed, chosen, clock)
            failure = explain.timeout(chosen) if outside is None else explain.limits(geometry, outside)
        return self._failed(failure, result.q, *result.residual, begin, iterations=result.iterations,
                            restarts=result.restarts)

    def _many(self, request, target, seed):
        begin, found = perf_counter(), [self._numeric(request, target, seed)]
        if not found[0].success:
            return found[0]
        one = request.geometry.solver(request.options._replace(max_restarts=0))
        for start in range(SOLUTIONS):
            result = one.solve(target, seed, start)
            if result.success and all(abs(result.q - other.q).max(initial=0.0) > 1e-4 for other in found):
                found.append(result)
            if perf_counter() - begin > request.options.timeout:
                break
        ranked = sorted(found, key=lambda result: ((result.q - seed) ** 2).sum())
        return ranked[0]._replace(
            solutions=np.array([result.q for result in ranked]), indices=(NOTHING,) * len(ranked),
            singular=tuple(result.singular[0] for result in ranked), time=perf_counter() - begin)

    def _failed(self, failure, q, position, rotation, begin, method="numeric", **counts):
        return IkResult(False, failure.reason, q, float(position), float(rotation), np.zeros((0, self.model.nq)),
                        distance=float(failure.distance), violations=failure.violations, time=perf_counter() - begin,
                        method=method, message=failure.message, **counts)


def _turned(psi):
    """The angle in [-pi, pi)."""
    return float((psi + np.pi) % (2.0 * np.pi) - np.pi)
