"""The solver where the one in C was not built or has no room: SciPy's least squares, the same kind of starts."""
from contextlib import suppress
from functools import cached_property
from itertools import count, islice
from time import perf_counter
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares, minimize

from ..boundary import UNIT
from .constants import APART, BESIDE, EXACT, LEAST, POLISH, ROUNDING, SHARP, SINGULAR, SLIDING, SPACING, STATUSES
from .failure import blamed
from .ranking import around, by_distance, together
from .reach import beyond, spheres
from .result import SOLVER_RESULTS, Branches, branched
from .rotation_error import pointing_vector, rotation_vector
from .targets import rigid
from .turns import apart, next_to, wrapped


class Point(NamedTuple):
    """A configuration with its errors e (m,) and Jacobian J (m, n), weighted, and the largest residuals [m], [rad]."""

    q: np.ndarray
    e: np.ndarray
    J: np.ndarray
    residual: tuple


class Candidate(NamedTuple):
    """A branch: what it leaves of the limits and of the target, and how far it is from the seed."""

    q: np.ndarray
    label: dict
    excess: float
    distance: float
    residual: tuple
    sharp: bool
    singular: bool


class EndedError(Exception):
    """A search that may end before least squares thinks so: on the target, or out of time."""


class Solver:
    """Same arguments and answers as the solver in C; kinematics and formula are callables instead of addresses."""

    known = factors = None      # of starts: nothing

    def __init__(self, kinematics, formula, arm_angle, **request):
        self.kinematics, self.formula, self.arm_angle = kinematics, formula, arm_angle
        self.p = SimpleNamespace(**request)
        self.at, self.turns = list(self.p.unknown), np.array(self.p.turns, dtype=bool)
        self.weight, self.axis = self.p.weight.reshape(-1, 6), self.p.axis.reshape(-1, 3)
        self.phi = max(np.roots([1.0, *[0.0] * (len(self.at) - 1), -1.0, -1.0]).real)

    def unsearched(self, targets, seed):
        """(by how much each target lies outside the sphere of its tip [m], the seed inside the limits), as in C."""
        targets, q = self._read(targets, seed), seed.copy()
        q[self.at] = np.clip(seed[self.at], self.p.lower, self.p.upper)
        return beyond(spheres(self.p.reach, seed[:7] if self.p.floating else ()), targets), q

    def solve(self, targets, seed, first, begin, timeout, late="timeout"):
        """IkResult of the first start that ends on the target, or of the best miss; time counts from `begin` on.

        late: its message when time is up.
        """
        far, q = self.unsearched(targets, seed)
        targets, deadline = self._read(targets, seed), max(begin + timeout, perf_counter() + LEAST)
        if max(far) > self.p.tolerance[0]:
            return self._result("beyond", self._point(targets, seed, q[self.at]), seed, begin)
        best, iterations = None, 0
        for restarts, start in enumerate(islice(self._starts(seed, first), self.p.most_restarts + 1)):
            slid = start if first == restarts == 0 else self._slid(targets, seed, start)
            end, used = self._descend(targets, seed, slid, deadline)
            best, iterations = min(best or end, end, key=cost), iterations + used
            if self._good(end):
                best = self._towards_posture(targets, end, deadline)
                reason = "singular" if self._singular(best) else "converged"
                return self._result(reason, best, seed, begin, iterations, restarts)
            if perf_counter() > deadline:
                return self._result("timeout", best, seed, begin, iterations, restarts)._replace(message=late)
        return self._result("exhausted", best, seed, begin, iterations, self.p.most_restarts)

    def _result(self, reason, point, seed, begin, iterations=0, restarts=0):
        q, like = self._settled(point.q, seed), SOLVER_RESULTS[STATUSES.index(reason)]
        return like._replace(q=q, residual_position=point.residual[0], residual_rotation=point.residual[1],
                             solutions=q[None][:like.success].copy(), iterations=iterations, restarts=restarts,
                             time=perf_counter() - begin)

    def search_many(self, targets, seeds, first, timeout, _):
        """(status, iterations, restarts, 0, 0 (N, 5); q (N, nq); position, rotation, time (N, 3)), as in C."""
        found = [self.solve(T, seed, first, perf_counter(), timeout) for T, seed in zip(targets, seeds, strict=True)]
        return self._table([((STATUSES.index(result.reason), result.iterations, result.restarts, 0, 0), result.q,
                             (*result.residual, result.time)) for result in found])

    def best_of_many(self, targets, seeds, arm_angle, _):
        """The same of the best branches, with their numbers and whether they are sharp instead of 0.

        Nothing is sought next to the seeds.
        """
        return self._table([self._best(T, seed, arm_angle) for T, seed in zip(targets, seeds, strict=True)])

    def _table(self, found):
        counts, q, figures = zip(*found, strict=True) if found else ((), (), ())
        return (np.reshape(counts, (len(found), 5)).astype(int), np.reshape(q, (len(found), self.p.nq)),
                np.reshape(figures, (len(found), 3)))

    def branches(self, target, seed, arm_angle, beside):
        """Branches, as in C."""
        return self._ranked(self._read(target, seed), seed, arm_angle)

    def inside(self, target, seed, arm_angle, beside, every, begin):
        """IkResult of all branches inside the limits, as in C; Branches: there are none, or a family is outside."""
        found = self.branches(target, seed, arm_angle, beside)
        return found if found.excess or (every and len(found.lost)) else branched(found, perf_counter() - begin)

    def inside_round(self, target, seed, angles, begin, timeout):
        """(IkResult of all branches inside the limits all round, as in C; Branches: there are none; at how many)."""
        first = self.branches(target, seed, None, True)
        inside, done = [] if first.excess else [first], 1
        for psi in around(first.arm_angle, angles)[1:]:
            if first.beyond or perf_counter() > begin + timeout:
                break
            found, done = self.branches(target, seed, psi, False), done + 1
            inside += [found] * (not found.excess and found.sharp)
        if not inside:
            return first, done
        T = self._read(target, seed)
        found = by_distance(together(inside), seed, lambda q: self._point(T, q, q[self.at]).residual)
        return branched(found, perf_counter() - begin), done

    def _best(self, target, seed, arm_angle):
        """(status, 0, 0, branch, sharp), q and (position, rotation, time) of the best branch."""
        begin, found = perf_counter(), self._ranked(target, seed, arm_angle)
        status, q = (STATUSES.index("exhausted"), seed) if found.excess else (int(found.singular[0]), found.q[0])
        branch = self.p.labels.index(found.indices[0]) if found.indices else 0
        return (status, 0, 0, branch, found.sharp), q, (found.position, found.rotation, perf_counter() - begin)

    def _ranked(self, targets, seed, arm_angle):
        far, inside = self.unsearched(targets, seed)
        psi = self._arm_angles(seed[None])[0] if arm_angle is None and self.arm_angle else arm_angle or 0.0
        found, angles = [], self._angles(targets[0, :3].ravel(), seed, psi)
        for branch in np.flatnonzero(np.isfinite(angles).all(axis=1)).tolist():
            if self.p.labels[branch] is None:
                continue
            point = self._polish(targets, self._point(targets, seed, angles[branch]))
            if self._good(point) and all(
                    apart(point.q[self.at], other.q[self.at], self.turns) > APART for other in found):
                found.append(self._candidate(targets, seed, point, self.p.labels[branch]))
        found.sort(key=lambda each: (each.excess, each.distance))
        few = len(self.at) < np.count_nonzero(self.weight)              # axes, to reach any pose exactly
        vague = few and found and not found[0].sharp                    # then all may be
        found = found[:1] + [each for each in found[1:] if each.sharp or vague]
        first = found[0] if found else Candidate(
            inside, None, np.inf, 0.0, self._point(targets, seed, inside[self.at]).residual, False, False)
        best = [each for each in found if first.excess or not each.excess]
        lost = [each for each in found if each.singular and each.excess]
        q = self._rows(best)
        return Branches(first.excess, q, tuple(each.label for each in best), tuple(each.singular for each in best),
                        tuple([wrapped(psi) if abs(wrapped(own - psi)) < APART else own
                               for own in self._arm_angles(q)]),
                        first.q.copy(), *first.residual, first.sharp, psi, max(far) > self.p.tolerance[0],
                        blamed(self._violations(first.q), self.p),
                        self._rows(lost), tuple(each.label for each in lost))

    def _arm_angles(self, q):
        """Arm angles [rad] of q (k, nq); none where an arm has none."""
        return [float(self.arm_angle(each)[0]) for each in q] if self.arm_angle else []

    def _candidate(self, targets, seed, point, label):
        point = self._within_walls(targets, point._replace(q=self._settled(point.q, seed)))
        away = ((point.q - seed)[self.at] ** 2).sum()
        return Candidate(point.q, label, self._excess(point.q), away, point.residual, on_target(point, targets[0]),
                         self._singular(point))

    def _rows(self, candidates):
        """Their q (k, nq)."""
        return np.reshape([each.q for each in candidates], (len(candidates), self.p.nq))

    def _angles(self, target, seed, arm_angle):
        """Angles (branches, n) for the upper rows (12,) of a target, a seed and an arm angle."""
        near = np.clip(seed[self.at], self.p.lower, self.p.upper)
        rows = [np.tile(part, (len(self.p.labels), 1)) for part in (target, arm_angle, near)]
        return self.formula.run(*rows, self.p.signs)

    def _point(self, targets, seed, x):
        q, errors, rows, residuals = seed.copy(), [], [], []
        q[self.at] = x
        for T, X, J, w, axis in zip(targets, *self.kinematics(q), self.weight, self.axis, strict=True):
            turn = rotation_vector(T[:3, :3] @ X[:, :3].T)
            if axis.any():
                along = X[:, :3] @ axis
                frame = np.linalg.svd(along[None])[2][[1, 2, 0]]        # two directions across the axis, and itself
                turn = frame @ pointing_vector(along, T[:3, :3] @ axis)
                J = np.vstack([J[:3], frame @ J[3:]])
            e = np.concatenate([T[:3, 3] - X[:, 3], turn])
            residuals.append(np.linalg.norm((e * (w > 0.0)).reshape(2, 3), axis=1))
            errors.append((w * e)[w > 0.0])
            rows.append((w[:, None] * J)[w > 0.0])
        return Point(q, np.concatenate(errors), np.vstack(rows), tuple(map(float, np.max(residuals, axis=0))))

    def _descend(self, targets, seed, start, deadline):
        """(Point, evaluations) where least squares inside the limits ends, by its own reasons or on the target."""
        seen = [self._point(targets, seed, start)]

        def errors(x):
            seen.append(self._point(targets, seed, x))
            if self._good(seen[-1]) or perf_counter() > deadline:
                raise EndedError
            return seen[-1].e
        box = self.p.lower - ROUNDING, self.p.upper + ROUNDING
        if self._good(seen[0]) or not self.at:
            return seen[0], 0
        with suppress(EndedError):
            least_squares(errors, start, lambda x: -self._point(targets, seed, x).J, box, x_scale=1.0, ftol=1e-6,
                          xtol=1e-12, gtol=1e-15, max_nfev=self.p.patience[1])
        return min(seen, key=cost), len(seen) - 1

    def _towards_posture(self, targets, point, deadline):
        """The solution nearest to the posture that can be reached from a solution along the others, in time."""
        if self.p.posture is None:
            return point
        point, posture = point._replace(q=self._settled(point.q, self.p.posture)), self.p.posture[self.at]

        def at(x):
            if perf_counter() > deadline:
                raise EndedError
            return self._point(targets, point.q, x)
        with suppress(EndedError):
            there = minimize(lambda x: self.p.pull @ (x - posture) ** 2, point.q[self.at],
                             jac=lambda x: 2.0 * self.p.pull * (x - posture), method="SLSQP",
                             bounds=list(zip(self.p.lower, self.p.upper, strict=True)), options={"ftol": 1e-12},
                             constraints={"type": "eq", "fun": lambda x: at(x).e, "jac": lambda x: -at(x).J})
            better = at(np.clip(there.x, self.p.lower, self.p.upper))
            return better if self._good(better) else point
        return point

    def _starts(self, seed, first):
        """The seed unless another first start is asked for, then Roberts' recurrence x_i = frac(1/2 + r / phi^i)."""
        if first == 0:
            yield np.clip(seed[self.at], self.p.lower, self.p.upper)
        half, at = self.p.spans, seed[self.at]
        low = np.where(np.isfinite(self.p.lower), self.p.lower,
                       np.where(np.isfinite(self.p.upper), self.p.upper - 2.0 * half, at - half))
        high = np.where(np.isfinite(self.p.upper), self.p.upper, low + 2.0 * half)
        for r in count(max(first, 0)):
            yield low + (0.5 + r / self.phi ** np.arange(1, len(low) + 1)) % 1.0 * (high - low)

    def _slid(self, targets, seed, start):
        """The start with its slides where they miss the targets least."""
        slides = np.array(self.p.slides, dtype=bool)
        for _ in range(SLIDING * slides.any()):
            point = self._point(targets, seed, start)
            start[slides] += np.linalg.lstsq(point.J[:, slides], point.e, rcond=None)[0]
            start = np.clip(start, self.p.lower, self.p.upper)
        return start

    def _polish(self, targets, point):
        """Newton steps on a branch that is nearly a solution, limits aside."""
        for _ in range(POLISH if max(point.residual) < 1e-3 else 0):
            if max(point.residual) <= min(EXACT, *self.p.tolerance):
                break
            step = np.linalg.lstsq(point.J, point.e, rcond=1e-14)[0]
            better = self._point(targets, point.q, point.q[self.at] + step)
            if not cost(better) < cost(point):
                break
            point = better
        return point

    def _within_walls(self, targets, point):
        """The point with joints that are a little outside their limits on them, the others making up for it."""
        if not 0.0 < self._excess(point.q) <= BESIDE * max(self.p.tolerance):
            return point
        wall = np.clip(point.q[self.at], self.p.lower, self.p.upper)
        held = len(self.at) > np.count_nonzero(self.weight)             # at an arm angle
        end = self._point(targets, point.q, wall) if held else self._descend(targets, point.q, wall, np.inf)[0]
        end.q[self.at] = np.clip(end.q[self.at], self.p.lower, self.p.upper)
        return end if self._good(end) else point

    def _settled(self, q, seed):
        """q on the turns next to the seed that keep the limits, if any do, and not outside them by rounding."""
        q = q.copy()
        q[self.at] = next_to(q[self.at], seed[self.at], self.p.lower, self.p.upper, self.turns,
                             min(self.p.tolerance) / SPACING)
        return q

    def _singular(self, point):
        """Whether the task has lost a direction that it usually has."""
        return directions(point) < self.rank

    @cached_property
    def rank(self):
        """How many directions the task usually has: the most in a few places about rest, as in C."""
        targets, x = np.tile(np.eye(4), (len(self.weight), 1, 1)), self.p.rest[self.at]
        near = np.clip(0.0, self.p.lower, self.p.upper)
        return max(directions(self._point(targets, self.p.rest, np.where(
            self.p.slides, near, x + np.cos(k * np.arange(1, len(x) + 1))))) for k in range(1, 5))

    def _good(self, point):
        return point.residual[0] <= self.p.tolerance[0] and point.residual[1] <= self.p.tolerance[1]

    def _excess(self, q):
        """By how much [rad or m] the worst joint leaves its limits."""
        return max(self._violations(q).values(), default=0.0)

    def _violations(self, q):
        """{joint: by how much [rad or m] q leaves its limits}."""
        out = np.maximum(self.p.lower - q[self.at], q[self.at] - self.p.upper).tolist()
        return {name: by for name, by in zip(self.p.names, out, strict=True) if by > 0.0}

    def _read(self, targets, seed):
        """Targets (tips, 4, 4); TypeError for other arrays, ValueError for what is no pose or no seed."""
        if isinstance(targets, tuple):
            targets = np.array(targets)
        for array in (targets, seed):
            if not isinstance(array, np.ndarray) or array.dtype != float:
                raise TypeError("expected float64 arrays")
        if seed.shape != (self.p.nq,) or targets.shape[-2:] != (4, 4):
            raise TypeError("a pose is a 4 by 4 matrix, a seed has one axis")
        targets = targets.reshape(-1, 4, 4)
        unit = not self.p.floating or abs(np.linalg.norm(seed[3:7]) - 1.0) <= UNIT
        if not rigid(targets).all() or not np.isfinite(seed).all() or not unit:
            raise ValueError("a target is no rigid pose, or the seed is not finite or its quaternion not of length 1")
        return targets


def cost(point):
    """|w e|²."""
    return point.e @ point.e


def directions(point):
    """How many singular values of the Jacobian of a Point are more than nothing beside the largest."""
    s = np.linalg.svd(point.J, compute_uv=False)
    return int(np.count_nonzero(s > SINGULAR * s.max(initial=0.0)))


def on_target(point, T):
    """Whether a Point is sharp on the target (4, 4), as far as rounding lets it."""
    return point.residual[0] <= SHARP + SPACING * abs(T[:3, 3]).sum() and point.residual[1] <= SHARP
