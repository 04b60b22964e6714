"""The solver in plain NumPy: the twin of _solve.c, for machines without a C compiler and for very large robots."""
from itertools import count, islice
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .python_box import TURN, box_step, nearest_turns, onto_walls
from .python_point import Point

CONVERGED, EXHAUSTED, TIMEOUT, BEYOND = range(4)
DAMPING, PROGRESS = 0.1, 0.75                                       # as in _task.h
MOST_KNOWN = 64
SINGULAR, RIGID = 1e-5, 1e-6
EXACT, POLISH = 2e-11, 4                                            # as in _branches.h


class Branch(NamedTuple):
    """A solution of the closed form."""

    q: np.ndarray
    branch: int
    singular: bool
    residual: tuple


class Solver:
    """Same arguments and answers as the one in C; kinematics and formula are callables instead of addresses."""

    def __init__(self, kinematics, formula, labels, nq, unknown, turns, lower, upper, weight, axis, reach,
                 tolerance, timeout, most_restarts, patience, posture, pull, rest):
        self.kinematics, self.formula, self.labels, self.nq = kinematics, formula, labels, nq
        self.unknown, self.turns = np.array(unknown, dtype=int), np.array(turns, dtype=bool)
        self.lower, self.upper, self.tolerance = lower, upper, tolerance
        self.weight, self.axis, self.reach = weight.reshape(-1, 6), axis.reshape(-1, 3), reach
        self.timeout, self.most_restarts, self.posture, self.pull = timeout, most_restarts, posture, pull
        self.patience, self.most_iterations = patience
        self.rest, self.known = rest, None
        self.phi = 2.0
        for _ in range(40):
            self.phi = (1.0 + self.phi) ** (1.0 / (len(unknown) + 1.0))

    def solve(self, targets, seed, first=0, timeout=None):
        """(status, q, position, rotation, iterations, restarts, seconds, singular)."""
        targets, begin = self._read(targets, seed), perf_counter()
        deadline = begin + (self.timeout if timeout is None else timeout)
        status, best, iterations = EXHAUSTED, None, 0
        if (np.linalg.norm(targets[:, :3, 3] - self.reach[:, :3], axis=1) > self.reach[:, 3] + self.tolerance[0]).any():
            q = seed.copy()
            q[self.unknown] = np.clip(q[self.unknown], self.lower, self.upper)
            point = Point(self, targets, q)
            return BEYOND, q, point.position, point.rotation, 0, 0, 0.0, False
        restarts = -1
        for q in islice(self._starts(targets, seed, first), self.most_restarts + 1):
            restarts += 1
            q[self.unknown] = np.clip(q[self.unknown], self.lower, self.upper)
            end, used = self._descend(targets, Point(self, targets, q), deadline)
            iterations += used
            if self._good(end):
                best, status = self._towards_posture(targets, end, deadline), CONVERGED
                break
            best = end if best is None or end.E < best.E else best
            if perf_counter() > deadline:
                status = TIMEOUT
                break
        q = self._settled(best.q, None if self.posture is not None else seed)
        return (status, q, best.position, best.rotation, iterations, restarts, perf_counter() - begin,
                status == CONVERGED and self._singular(best))

    def _starts(self, targets, seed, first):
        """The seed, the known starts from the nearest on, the rest of the sequence; or the sequence from `first` on."""
        if first == 0:
            yield seed.copy()
        done = 0 if first else 1
        if first <= 0 and self.rest is not None:
            if self.known is None:
                self.known = [self._start(self.rest, k) for k in range(MOST_KNOWN)]
            far = [self._far(targets, q) for q in self.known]
            for k in np.argsort(far, kind="stable"):
                q = seed.copy()
                q[self.unknown] = self.known[k][self.unknown]
                yield q
            done += MOST_KNOWN
        for r in count(first if first > 0 else done):
            yield self._start(seed, r)

    def _far(self, targets, q):
        """|w (p - pt)|² + |w (R - Rt)|² / 2: near the cost that a start begins with."""
        gap = (targets[:, :3] - self.kinematics(q)[0]) ** 2
        place, turn = (self.weight[:, :3] ** 2).mean(axis=1), 0.5 * (self.weight[:, 3:] ** 2).mean(axis=1)
        return place @ gap[:, :, 3].sum(axis=1) + turn @ gap[:, :, :3].sum(axis=(1, 2))

    def branches(self, target, seed, arm_angle):
        """(number inside limits, q (k, nq), labels (k), singular (k), position, rotation) of the closed form."""
        targets = self._read(target, seed)
        angles = np.asarray(self.formula(targets[0][:3].ravel(), np.array([arm_angle]))).reshape(len(self.labels), -1)
        found, residual = [], (np.inf, np.inf)
        for branch in np.flatnonzero(np.isfinite(angles).all(axis=1)).tolist():
            q = seed.copy()
            q[self.unknown] = angles[branch]
            point = self._polish(targets, Point(self, targets, q))
            if not self._good(point):
                residual = min(residual, (point.position, point.rotation), key=sum)
                continue
            q = self._settled(point.q, seed)
            if not any(self._same(q, other.q) for other in found):
                found.append(Branch(q, branch, self._singular(point), (point.position, point.rotation)))
        found.sort(key=lambda f: (self._outside(f.q), ((f.q - seed)[self.unknown] ** 2).sum()))
        return (sum(not self._outside(f.q) for f in found), np.array([f.q for f in found]).reshape(-1, self.nq),
                tuple(self.labels[f.branch] for f in found), tuple(f.singular for f in found),
                *(found[0].residual if found else residual))

    def _outside(self, q):
        x = q[self.unknown]
        return bool(((x < self.lower) | (x > self.upper)).any())

    def _read(self, targets, seed):
        targets = targets.reshape(-1, 4, 4)
        for k, T in enumerate(targets):
            R = T[:3, :3]
            rigid = np.isfinite(T).all() and abs(R @ R.T - np.eye(3)).sum() + abs(T[3] - [0, 0, 0, 1]).sum() < RIGID
            if not rigid or np.linalg.det(R) <= 0.0:
                raise ValueError(f"target {k} is no rigid pose")
        if not np.isfinite(seed).all():
            raise ValueError(f"seed[{np.argmin(np.isfinite(seed))}] is not finite")
        return targets

    def _good(self, point):
        return point.position <= self.tolerance[0] and point.rotation <= self.tolerance[1]

    def _moved(self, targets, point, d):
        q = point.q.copy()
        q[self.unknown] = np.clip(q[self.unknown] + d, self.lower, self.upper)
        return Point(self, targets, q)

    def _descend(self, targets, a, deadline):
        mu, nu, slow = DAMPING, 2.0, 0
        for k in range(self.most_iterations):
            if self._good(a) or slow >= self.patience or perf_counter() > deadline:
                return a, k
            H, g = a.J.T @ a.J, a.J.T @ a.e
            d = box_step(a.q[self.unknown], self.lower, self.upper, H, g, mu * a.E + 1e-12)
            b = self._moved(targets, a, d)
            if not b.E < a.E:
                mu, nu, slow = mu * nu, 2.0 * nu, slow + 1
                continue
            gain = 2.0 * (a.E - b.E) / (d @ (g - 0.5 * H @ d)) - 1.0
            mu, nu = mu * max(1.0 / 3.0, 1.0 - gain**3), 2.0
            slow = slow + 1 if b.E > PROGRESS * a.E else 0
            a = b
        return a, self.most_iterations

    def _towards_posture(self, targets, a, deadline):
        stretch = 1.0 if self.posture is not None else 0.0
        while stretch > 1e-3 and perf_counter() < deadline:
            offset = self.posture - a.q[self.unknown]
            d = stretch * self.pull * offset
            A = a.J @ a.J.T + 1e-9 * np.eye(len(a.e))
            b = self._moved(targets, a, d + a.J.T @ np.linalg.solve(A, a.e - a.J @ d))
            for _ in range(3):                      # back onto the solutions
                if not self._good(b):
                    x, H, g = b.q[self.unknown], b.J.T @ b.J, b.J.T @ b.e
                    b = self._moved(targets, b, box_step(x, self.lower, self.upper, H, g, 1e-10))
            gain = self.pull @ (offset**2 - (self.posture - b.q[self.unknown]) ** 2)
            if not self._good(b) or gain <= 0.0:
                stretch *= 0.5
                continue
            a = b
            if gain < 1e-12:
                break
        return a

    def _start(self, seed, r):
        """Start r of Roberts' additive recurrence, x_i = frac(1/2 + r / phi^i), inside the limits."""
        x = (0.5 + r / self.phi ** np.arange(1, len(self.unknown) + 1)) % 1.0
        half = np.where(self.turns, 0.5 * TURN, 1.0)
        at = seed[self.unknown]
        open_low = np.where(np.isfinite(self.upper), self.upper - 2.0 * half, at - half)
        low = np.where(np.isfinite(self.lower), self.lower, open_low)
        high = np.where(np.isfinite(self.upper), self.upper, low + 2.0 * half)
        q = seed.copy()
        q[self.unknown] = low + x * (high - low)
        return q

    def _settled(self, q, seed):
        """q on the turns of the seed, if there is one, and not outside the limits by rounding."""
        x, q = q[self.unknown], q.copy()
        if seed is not None:
            x = nearest_turns(x, seed[self.unknown], self.turns, self.lower, self.upper)
        q[self.unknown] = onto_walls(x, self.lower, self.upper)
        return q

    def _singular(self, point):
        s = np.linalg.svd(point.J, compute_uv=False)
        return bool(s[-1] < SINGULAR * s[0])

    def _polish(self, targets, point):
        if point.position > 1e-3 or point.rotation > 1e-3:
            return point
        for _ in range(POLISH):
            if point.position <= EXACT and point.rotation <= EXACT:
                break
            q = point.q.copy()
            q[self.unknown] += np.linalg.lstsq(point.J, point.e, rcond=1e-14)[0]
            better = Point(self, targets, q)
            if not better.E < point.E:
                break
            point = better
        return point

    def _same(self, a, b):
        d = (a - b)[self.unknown]
        return (abs(np.where(self.turns, d - TURN * np.round(d / TURN), d)) < 1e-6).all()
