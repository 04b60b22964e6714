"""Answers by closed form: the branches inside the limits, of seven axes at some arm angle, or why there are none."""
from itertools import chain
from time import perf_counter

import numpy as np

from . import explain
from .constants import APART, EXACT, TURN
from .numeric import search
from .reach import outside
from .result import FORMULA_RESULTS, SOLVER_RESULTS, Branches
from .turns import apart, next_to

FAMILY = 16         # arm angles among which all solutions are sought
SCAN = 72           # arm angles tried when that of the seed leaves the limits
FIRST = 2e-4        # [s] that the first family needs; the next as much as those before
BIT = 1e-4          # [rad, m] by which a branch is moved to see whether its arm angle stays
HALVINGS = 10       # of the step between them, towards the one that leaves the limits least


def every_branch(request, target, seed, clock=None):
    """The same as branches, and those of families whose representative leaves the limits, beside others inside."""
    return branches(request, target, seed, clock, every=True)


def branches(request, target, seed, clock=None, every=False):
    """IkResult of all branches at one arm angle: the one asked for, else the seed's, else one that keeps the limits."""
    if clock is None and request.geometry.arm is None:          # at once, when some are inside the limits
        result = request.solver.all_inside(target, seed, every)
        if result is not None:
            return result
    clock, psi = clock or explain.Clock(perf_counter(), request.options.timeout), request.arm_angle(seed)
    found = _ask(request.solver, target, seed, psi, request.any_arm_angle)
    if found.excess and request.round_the_arm:      # none is inside the limits
        found, psi = _least_outside(lambda psi: _ask(request.solver, target, seed, psi), found, psi, clock)
    if found.excess or (every and found.sharp):
        found = _with_families(request, target, seed, found, psi, clock)
    if found.excess:
        return _outside(request, target, seed, found, clock)
    return _branched(found, _arm_angles(request, found.q, psi), clock)


def round_the_arm(request, target, seed, clock=None):
    """All branches of a seven-axis arm at FAMILY arm angles, that of the seed among them."""
    clock, inside = clock or explain.Clock(perf_counter(), request.options.timeout), []
    for k, psi in enumerate(around(request.arm_angle(seed), FAMILY)):
        found = _ask(request.solver, target, seed, psi, k == 0)
        if not found.excess and found.sharp:
            inside.append(found)
        if clock.over:
            break
    if not inside:
        return branches(request, target, seed, clock)
    found = by_distance(request, target, seed, _together(inside))
    return _branched(found, _arm_angles(request, found.q), clock)


def _ask(solver, target, seed, psi, beside=False):
    """Branches of a target at one arm angle; beside: and the solution next to the seed, whose own may be another."""
    return Branches._make(solver.branches(target, seed, psi, beside))


def _together(parts):
    """Branches inside the limits, all sharp, as one."""
    _, q, indices, singular, *_ = zip(*parts, strict=True)
    return parts[0]._replace(q=np.concatenate(q), indices=tuple(chain(*indices)), singular=tuple(chain(*singular)))


def _outside(request, target, seed, found, clock):
    """No branch inside the limits: others of a family may be, or it is told why there is none."""
    geometry, chosen = request.geometry, request.options
    q, singular, residual = found.q, found.singular, (found.position, found.rotation)
    free = not chosen.indices and chosen.arm_angle is None          # to take any solution
    surely = outside(geometry.reach, geometry.base(seed), target)[0] > chosen.tolerance[0]
    if len(q) and not surely:
        others, over = geometry.arm is not None or any(singular) or not geometry.exact_form, clock.over
        if others and free and not over and (result := _sought(request, target, seed, clock.sooner)).success:
            return result
        failure = explain.timeout(chosen) if others and free and over else explain.limits(geometry, q[0], chosen)
    else:
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


def _with_families(request, target, seed, found, psi, clock):
    """Branches and the members inside the limits, or least outside, of families whose representative is outside."""
    geometry, parts, least, clock, begin = request.geometry, [found], found, clock.sooner, clock.used
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    for done, (q, named, along) in enumerate(_families(request, found, psi)):
        if not clock.leaves((clock.used - begin) / done if done else FIRST):        # as long as those before took
            break
        one = geometry.solver(request.options.at_first._replace(indices=tuple(sorted(named.items()))))
        member, _ = _least_outside(lambda angle, one=one, q=q, along=along: _ask(one, target, q + angle * along, psi),
                                   _ask(one, target, q, psi), 0.0, clock)
        member.q[:, at] = next_to(member.q[:, at], seed[at], geometry.lower, geometry.upper, turns)
        least = min(least, member, key=lambda each: each.excess)
        if not member.excess and member.sharp and not any(
                (apart(member.q[0, at], other.q[:, at], turns) <= APART).any() for other in parts):
            parts.append(member)
    parts = [part for part in parts if not part.excess]
    return by_distance(request, target, seed, _together(parts)) if len(parts) > (not found.excess) else least


def _families(request, found, psi):
    """(q, indices, direction (nq,)) of branches outside the limits that can move along while the tip stays."""
    geometry, fixed = request.geometry, not request.any_arm_angle and found.excess
    at, lost = list(geometry.unknowns.positions), (found.lost, found.lost_indices, (True,) * len(found.lost))
    for q, named, singular in zip(*((found.q, found.indices, found.singular) if fixed else lost), strict=True):
        J, along = geometry.kinematics(q)[1][0], np.zeros(len(q))
        along[at] = np.linalg.svd(J[:3] if request.options.position_only else J)[2][-1]
        along /= abs(along).max()
        if singular or abs(_turned(float(geometry.arm_angle(q + BIT * along)[0]) - psi)) < BIT ** 2:
            yield q, named, along


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
    position, rotation = explain.residuals(request.geometry, target, found.q[order[0]], request.options)
    return found._replace(excess=0.0, q=found.q[order], indices=indices, singular=singular,
                          sharp=found.sharp or others, position=position, rotation=rotation)


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
