"""Answers by closed form: the branches inside the limits, of seven axes at some arm angle, or why there are none."""
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import numpy as np

from . import explain
from .constants import APART, EXACT, TURN
from .numeric import search
from .reach import outside
from .result import FORMULA_RESULTS, SOLVER_RESULTS
from .turns import next_to

FAMILY = 16         # arm angles among which all solutions are sought
SCAN = 72           # arm angles tried when that of the seed leaves the limits
HALVINGS = 10       # of the step between them, towards the one that leaves the limits least


class Branches(NamedTuple):
    """What a solver tells of a target: the branches inside the limits or, when none is, all, best first."""

    excess: float       # [rad, m] by how much the first leaves the limits; infinite: there is none
    q: np.ndarray       # (k, nq)
    indices: tuple
    singular: tuple
    sharp: bool         # whether the first is on the target, not only within the tolerance
    position: float     # [m] residual of the first or, when there is none, of the nearest miss
    rotation: float     # [rad]


def branches(request, target, seed, clock=None):
    """IkResult of all branches at one arm angle: the one asked for, else the seed's, else one that keeps the limits."""
    if clock is None and request.geometry.arm is None:          # at once, when some are inside the limits
        result = request.solver.all_inside(target, seed)
        if result is not None:
            return result
    clock, psi = clock or explain.Clock(perf_counter(), request.options.timeout), request.arm_angle(seed)
    found = _ask(request, target, seed, psi, request.any_arm_angle)
    if found.excess:                                # none is inside the limits
        if request.round_the_arm:
            found, psi = _least_outside(lambda psi: _ask(request, target, seed, psi), found, psi, clock)
        if any(found.singular) and found.excess:
            found = _along_family(request, target, seed, found, psi, clock)
        if found.excess:
            return _outside(request, target, seed, found, clock)
    return _branched(found, _arm_angles(request, found.q, psi), clock)


def family(request, target, seed, clock=None):
    """All branches of a seven-axis arm at FAMILY arm angles, that of the seed among them."""
    clock, inside = clock or explain.Clock(perf_counter(), request.options.timeout), []
    for k, psi in enumerate(around(request.arm_angle(seed), FAMILY)):
        found = _ask(request, target, seed, psi, k == 0)
        if not found.excess and found.sharp:
            inside.append(found)
        if clock.over:
            break
    if not inside:
        return branches(request, target, seed, clock)
    _, q, indices, singular, *_ = zip(*inside, strict=True)
    every = Branches(0.0, np.concatenate(q), tuple(chain(*indices)), tuple(chain(*singular)), True, 0.0, 0.0)
    found = by_distance(request, target, seed, every)
    return _branched(found, _arm_angles(request, found.q), clock)


def _ask(request, target, seed, psi, beside=False):
    """Branches of a target at one arm angle; beside: and the solution next to the seed, whose own may be another."""
    return Branches._make(request.solver.branches(target, seed, psi, beside))


def _outside(request, target, seed, found, clock):
    """No branch inside the limits: others of a family may be, or it is told why there is none."""
    geometry, chosen = request.geometry, request.options
    _, q, _, singular, _, *residual = found
    free = not chosen.indices and chosen.arm_angle is None          # to take any solution
    if len(q):
        others, over = geometry.arm is not None or any(singular) or not geometry.exact_form, clock.over
        if others and free and not over and (result := _sought(request, target, seed, clock.sooner)).success:
            return result
        failure = explain.timeout(chosen) if others and free and over else explain.limits(geometry, q[0], chosen)
    else:
        surely = outside(geometry.reach, geometry.base(seed), target)[0] > chosen.tolerance[0]
        failure = explain.out_of_reach(geometry, target, seed, chosen, clock, surely)
        if failure is None and free:                # in a family whose representative the formulas miss
            return _sought(request, target, seed, clock)
        failure = failure or explain.Failure("out_of_reach", 0.0, {}, "the branch with these indices does not "
                                             "exist for this target, others do; ask without indices")
        if surely:                                  # the solver in C tells that of the seed without a search
            result = request.solver.solve(target, seed, 0, clock())
            q, residual = [result.q], result.residual
        else:
            q, residual = [seed.copy()], explain.residuals(geometry, target, seed, chosen)
    return explain.failed(failure, q[0], *residual, clock, "closed_form")


def _sought(request, target, seed, clock):
    """A solution of a family whose representative by formula is outside the limits, searched for and then as exact."""
    result, chosen = search(request, target, seed, clock), request.options
    if not result.success:
        return result
    exact = chosen._replace(max_restarts=0, tolerance=tuple(min(each, EXACT) for each in chosen.tolerance))
    closer = request.geometry.solver(exact).solve(target, result.q, 0, clock())
    return closer._replace(iterations=result.iterations + closer.iterations, restarts=result.restarts,
                           time=clock.used) if closer.success else result


def around(psi, number):
    """So many arm angles all round, psi first, then alternating ever further from it."""
    return [psi + (-1) ** k * ((k + 1) // 2) * TURN / number for k in range(number)]


STAGES = (around(0.0, SCAN)[1:], *((-h, h) for h in (TURN / SCAN * 0.5 ** np.arange(1, HALVINGS + 1)).tolist()))


def _least_outside(ask, found, angle, clock):
    """(branches, angle) inside the limits, or least outside: ask(angle) all round, then in ever smaller steps."""
    best = found, angle
    for offsets in STAGES:
        centre = best[1]
        for offset in offsets:
            begin = clock.used
            there = ask(centre + offset), centre + offset
            best = min(best, there, key=lambda each: each[0].excess)
            if not best[0].excess or not clock.leaves(clock.used - begin):      # the next would take as long
                return best
    return best


def _along_family(request, target, seed, found, psi, clock):
    """Branches inside the limits, or least outside, along a family whose representative next to the seed is outside."""
    geometry, q = request.geometry, found.q[found.singular.index(True)]
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    J, along = geometry.kinematics(q)[1][0], np.zeros(len(q))
    along[at] = np.linalg.svd(J[:3] if request.options.position_only else J)[2][-1]
    along /= abs(along).max()
    found, _ = _least_outside(lambda angle: _ask(request, target, q + angle * along, psi), found, 0.0, clock)
    found.q[:, at] = next_to(found.q[:, at], seed[at], geometry.lower, geometry.upper, turns)
    return found if found.excess else by_distance(request, target, seed, found)


def by_distance(request, target, seed, found):
    """Branches sorted by the distance to the seed; where the first only came near it stays if it is the first again.

    With too few axes for any pose all may only come near, and stay.
    """
    order = np.argsort(((found.q - seed) ** 2).sum(axis=1), kind="stable").tolist()
    enough = len(request.geometry.unknowns.positions) >= (3 if request.options.position_only else 6)
    others = enough and order[0] > 0                # are first now, and sharp
    if others and not found.sharp:
        order.remove(0)
    indices, singular = (tuple([told[k] for k in order]) for told in (found.indices, found.singular))
    residual = explain.residuals(request.geometry, target, found.q[order[0]], request.options)
    return Branches(0.0, found.q[order], indices, singular, found.sharp or others, *residual)


def _branched(found, angles, clock):
    """IkResult of branches inside the limits and their arm angles; numeric where the first is only near."""
    like = FORMULA_RESULTS if found.sharp else SOLVER_RESULTS
    return like[found.singular[0]]._replace(
        q=found.q[0], residual_position=found.position, residual_rotation=found.rotation, solutions=found.q,
        indices=found.indices, singular=found.singular, time=clock.used, arm_angles=angles)


def _arm_angles(request, q, psi=None):
    """Arm angles [rad] of solutions q (k, nq) of a seven-axis arm; psi, the one asked for, where it is theirs."""
    if request.geometry.arm is None:
        return ()
    own = request.geometry.arm_angle.run(q)[:, 0]
    if psi is not None:
        own = np.where(abs(_turned(own - psi)) < APART, _turned(psi), own)
    return tuple(own.tolist())


def _turned(psi):
    """The angle in [-pi, pi)."""
    return (psi + np.pi) % TURN - np.pi
