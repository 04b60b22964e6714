"""Inverse kinematics of a robot: closed form where its geometry has one, numeric for all else, one result."""
from time import perf_counter

import numpy as np

from ..errors import RdynError
from . import explain
from .options import DEFAULT, options
from .problem import Geometry
from .result import IkResult
from .targets import read_seed, read_targets

SCAN = 72           # arm angles tried when that of the seed leaves the limits
STARTS = 100        # starts before a pose is suspected to be impossible
SOLUTIONS = 64      # starts of ik_all where there is no closed form


class InverseKinematics:
    """Solvers of one model, made once per frames and options."""

    def __init__(self, model):
        self.model = model
        self._geometries, self._solvers = {}, {}

    def geometry(self, frames):
        """Geometry of frames, by name."""
        if frames not in self._geometries:
            self._geometries[frames] = Geometry(self.model, frames)
        return self._geometries[frames]

    def solver(self, frames, chosen):
        """Solver of frames under IkOptions."""
        key = frames, chosen
        if key not in self._solvers:
            self._solvers[key] = self.geometry(frames).solver(chosen)
        return self._solvers[key]

    def solve(self, target, frame=None, seed=None, **given):
        """IkResult with the solution next to the seed; see docs/ik.md for the options."""
        begin = perf_counter()
        frames, targets = read_targets(self.model, target, frame)
        geometry, chosen = self.geometry(frames), options(self.model, given) if given else DEFAULT
        seed = read_seed(self.model, seed, geometry.rest)
        if self._by_formula(geometry, chosen):
            return self._closed(geometry, targets, seed, chosen, begin)
        return self._numeric(geometry, targets, seed, chosen, begin)

    def solve_all(self, target, frame=None, seed=None, **given):
        """IkResult whose `solutions` are all of a closed form within limits, or the distinct ones of many starts."""
        begin = perf_counter()
        frames, targets = read_targets(self.model, target, frame)
        geometry, chosen = self.geometry(frames), options(self.model, given) if given else DEFAULT
        seed = read_seed(self.model, seed, geometry.rest)
        if self._by_formula(geometry, chosen):
            return self._closed(geometry, targets, seed, chosen, begin)
        return self._many(geometry, targets, seed, chosen, begin)

    def _by_formula(self, geometry, chosen):
        closed = geometry.closed_form if chosen.method != "numeric" and chosen.whole_pose else None
        if closed is None and (chosen.method == "closed_form" or chosen.indices or chosen.arm_angle is not None):
            raise RdynError(f"{self.model.name} has no closed form to {' and '.join(geometry.frames)}: method "
                            "'closed_form', indices and arm_angle need one, and a whole pose as target")
        return closed is not None and not (len(closed.chain.screws) == 3 and closed.kind == "three-axis arm"
                                           and chosen.method == "auto" and not chosen.indices)

    # closed form

    def _closed(self, geometry, targets, seed, chosen, begin):
        form, solver = geometry.closed_form, self.solver(geometry.frames, chosen)
        wanted = dict(chosen.indices)
        if set(wanted) - set(form.names):
            raise RdynError(f"indices {wanted} given; {form.kind} has {', '.join(form.names) or 'none'}")
        outside, miss = None, (np.inf, np.inf)
        for psi in self._arm_angles(form, seed, chosen):
            q, facts, *missed = solver.branches(targets, seed, psi)
            miss = min(miss, tuple(missed), key=sum)
            names = [dict(zip(form.names, form.signs[int(b)], strict=True)) for b in facts[:, 0]]
            keep = [i for i, name in enumerate(names) if wanted.items() <= name.items()]
            inside = [i for i in keep if facts[i, 1] == 0.0]
            if inside:
                return self._found(q, facts, names, inside, begin)
            if keep and (outside is None or facts[keep, 1].min() < outside[1]):
                worst = keep[int(facts[keep, 1].argmin())]
                outside = q[worst], facts[worst, 1], facts[worst, 3:]
        if outside is not None:
            return self._failed(explain.limits(geometry, outside[0]), outside[0], *outside[2], begin, "closed_form")
        return self._unformulated(geometry, targets, seed, chosen, begin, bool(wanted))

    @staticmethod
    def _arm_angles(form, seed, chosen):
        """The arm angle asked for; else that of the seed, then others around it, alternating."""
        if form.arm is None or chosen.arm_angle is not None:
            return [chosen.arm_angle or 0.0]
        psi = float(form.arm.angle(seed[list(form.chain.coordinates)]))
        return [psi + (-1) ** k * ((k + 1) // 2) * 2.0 * np.pi / SCAN for k in range(SCAN)]

    def _found(self, q, facts, names, inside, begin):
        solutions, singular = q[inside], tuple(bool(facts[i, 2]) for i in inside)
        reason = "singular" if singular[0] else "converged"
        return IkResult(True, reason, solutions[0], float(facts[inside[0], 3]), float(facts[inside[0], 4]), solutions,
                        tuple(names[i] for i in inside), singular, time=perf_counter() - begin, method="closed_form",
                        message=reason)

    def _unformulated(self, geometry, targets, seed, chosen, begin, by_index):
        """No branch exists: the pose is out of reach, or in a family that the formulas miss (doubly singular)."""
        failure = None if by_index else explain.out_of_reach(geometry, targets, seed, chosen)
        if failure is None and not by_index:
            return self._numeric(geometry, targets, seed, chosen._replace(method="numeric"), begin)
        if failure is None:
            failure = explain.out_of_reach(geometry, targets, seed, chosen) or explain.Failure(
                "out_of_reach", 0.0, {}, "the branch with these indices does not exist for this target; others do")
        return self._failed(failure, seed, failure.distance, 0.0, begin, "closed_form")

    # numeric

    def _numeric(self, geometry, targets, seed, chosen, begin):
        if explain.beyond_reach(geometry, targets) > chosen.tolerance[0]:
            failure = explain.out_of_reach(geometry, targets, seed, chosen)
            if failure is not None:
                return self._failed(failure, seed, failure.distance, 0.0, begin)
        few = self.solver(geometry.frames, chosen._replace(max_restarts=min(STARTS, chosen.max_restarts)))
        answer = few.solve(targets, seed)
        if answer[0] == 1 and chosen.max_restarts > STARTS:         # impossible, or only hard?
            failure = explain.out_of_reach(geometry, targets, seed, self._rest_of(chosen, begin))
            if failure is not None:
                return self._failed(failure, answer[1], *answer[2:4], begin, iterations=answer[4], restarts=answer[5])
            rest = self._rest_of(chosen._replace(max_restarts=chosen.max_restarts - STARTS - 1), begin)
            answer = geometry.solver(rest).solve(targets, seed, STARTS + 1)
        return self._answered(geometry, targets, seed, chosen, answer, begin)

    @staticmethod
    def _rest_of(chosen, begin):
        return chosen._replace(timeout=max(1e-5, chosen.timeout - (perf_counter() - begin)))

    def _answered(self, geometry, targets, seed, chosen, answer, begin):
        status, q, position, rotation, iterations, restarts, _, singular = answer
        if status == 0:
            reason = "singular" if singular else "converged"
            return IkResult(True, reason, q, position, rotation, q[None], ({},), (bool(singular),), iterations=iterations,
                            restarts=restarts, time=perf_counter() - begin, message=reason)
        counts = {"iterations": iterations, "restarts": restarts}
        if status == 2:
            failure = explain.Failure("timeout", 0.0, {}, f"no solution within {chosen.timeout:g} s; give more time, "
                                      "or a seed nearer to the target")
        else:
            rest = self._rest_of(chosen, begin)
            failure = explain.out_of_reach(geometry, targets, seed, rest) or explain.limits(
                geometry, explain.nearest_outside(geometry, targets, seed, rest))
        return self._failed(failure, q, position, rotation, begin, **counts)

    def _many(self, geometry, targets, seed, chosen, begin):
        result = self._numeric(geometry, targets, seed, chosen, begin)
        if not result.success:
            return result
        one, found, singular = self.solver(geometry.frames, chosen._replace(max_restarts=0)), [result.q], list(result.singular)
        for start in range(SOLUTIONS):
            status, q, *_, lost = one.solve(targets, seed, start)
            if status == 0 and all(abs(q - other).max() > 1e-4 for other in found):
                found.append(q)
                singular.append(bool(lost))
            if perf_counter() - begin > chosen.timeout:
                break
        order = np.argsort([((q - seed) ** 2).sum() for q in found], kind="stable")
        solutions = np.array(found)[order]
        return result._replace(q=solutions[0], solutions=solutions, indices=({},) * len(found),
                               singular=tuple(singular[i] for i in order), time=perf_counter() - begin)

    def _failed(self, failure, q, position, rotation, begin, method="numeric", **counts):
        return IkResult(False, failure.reason, q, float(position), float(rotation), np.zeros((0, self.model.nq)),
                        distance=float(failure.distance), violations=failure.violations, time=perf_counter() - begin,
                        method=method, message=failure.message, **counts)
