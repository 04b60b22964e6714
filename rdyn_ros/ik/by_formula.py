"""Answers by closed form: the branches inside the limits, of seven axes at some arm angle, or why there are none."""
from collections.abc import Mapping
from functools import partial
from itertools import chain
from math import pi
from time import perf_counter
from typing import NamedTuple

import numpy as np

from . import explain
from .clock import Clock
from .constants import APART, TURN
from .failure import failed, limits, no_such_branch, timeout
from .numeric import search
from .reach import beyond
from .result import Branches, branched, cut_short
from .turns import apart, nearest_first, next_to

FAMILY = 16         # arm angles among which all solutions are sought
SCAN = 72           # arm angles tried when that of the seed leaves the limits
FIRST = 2e-4        # [s] without which no family is begun; most take 0.1 to 0.4 ms
BIT = 1e-4          # [rad, m] by which a branch is moved to see whether its arm angle stays
HALVINGS = 10       # of the step between them, towards the one that leaves the limits least


def branches(request, target, seed, clock=None, every=False):
    """IkResult of all branches at one arm angle: the one asked for, else the seed's, else one that keeps the limits.

    every: families whose representative leaves the limits are sought for others also beside branches inside.
    """
    if clock is None and request.geometry.arm is None:          # at once, when some are inside the limits
        result = request.solver.all_inside(target, seed, every)
        if result is not None:
            return result
    clock, psi = clock or Clock(perf_counter(), request.options.timeout), request.arm_angle(seed)
    found = _ask(request.solver, target, seed, psi, request.any_arm_angle)
    if found.excess and request.round_the_arm:      # none is inside the limits
        found, psi = _least_outside(lambda psi: _ask(request.solver, target, seed, psi), found, psi, clock)
    over = False
    if found.excess or (every and found.sharp):
        found, over = _with_families(request, target, seed, found, psi, clock)
    if found.excess:
        return _refused(request, target, seed, found, clock)
    result = branched(found, clock.used, _arm_angles(request, found.q, psi))
    return cut_short(result, "the branches, before all families were sought") if over and every else result


every_branch = partial(branches, every=True)


def round_the_arm(request, target, seed, clock=None):
    """All branches of a seven-axis arm at FAMILY arm angles, that of the seed among them."""
    clock, inside = clock or Clock(perf_counter(), request.options.timeout), []
    for k, psi in enumerate(around(request.arm_angle(seed), FAMILY)):
        found = _ask(request.solver, target, seed, psi, k == 0)
        if not found.excess and (found.sharp or k == 0):        # next to the seed, also what only comes near
            inside.append(found)
        if over := clock.over:
            break
    if not inside:
        return branches(request, target, seed, clock)
    found = inside[0] if len(inside) == 1 else by_distance(request, target, seed, _together(inside))
    result = branched(found, clock.used, _arm_angles(request, found.q))
    return cut_short(result, f"{k + 1} of {FAMILY} arm angles") if over and k + 1 < FAMILY else result


def _ask(solver, target, seed, psi, beside=False):
    """Branches of a target at one arm angle; beside: and the solution next to the seed, whose own may be another."""
    return Branches._make(solver.branches(target, seed, psi, beside))


def _together(parts):
    """Branches inside the limits, all sharp but for the very first, as one."""
    _, q, indices, singular, *_ = zip(*parts, strict=True)
    return parts[0]._replace(q=np.concatenate(q), indices=tuple(chain(*indices)), singular=tuple(chain(*singular)))


def _refused(request, target, seed, found, clock):
    """No branch is inside the limits: others of a family may be, or it is told why there is none."""
    surely = beyond(request.geometry.spheres(seed), target)[0] > request.options.tolerance[0]
    if len(found.q) and not surely:
        return _outside_limits(request, target, seed, found, clock)
    return _out_of_reach(request, target, seed, clock, surely)


def _outside_limits(request, target, seed, found, clock):
    """All branches leave the limits, others of their families may not."""
    geometry, chosen, over = request.geometry, request.options, clock.over
    others = request.any_solution and (geometry.arm is not None or any(found.singular) or not geometry.exact_form)
    if others and not over and (result := search(request, target, seed, clock.sooner)).success:
        return result
    failure = limits(geometry, found.q[0], chosen)
    if others and over:
        failure = timeout(chosen)._replace(violations=failure.violations)
    return failed(failure, found.q[0], found.position, found.rotation, clock, "closed_form")


def _out_of_reach(request, target, seed, clock, surely):
    """There is no branch, as a bound has told surely; else it may be in a family whose representative formulas miss."""
    geometry, chosen = request.geometry, request.options
    why = explain.how_far if surely else explain.out_of_reach
    failure = why(geometry, target, seed, chosen, clock)
    if failure is None and request.any_solution:
        return search(request, target, seed, clock)
    failure = failure or no_such_branch(chosen)
    if surely:                                      # the solver in C tells q and residuals without a search
        result = request.solver.solve(target, seed, 0, clock())
        return failed(failure, result.q, *result.residual, clock, "closed_form")
    residual = explain.residuals(geometry, target, seed, chosen)
    return failed(failure, seed.copy(), *residual, clock, "closed_form")


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


class Family(NamedTuple):
    """A branch outside the limits from which steps lead to others that reach the target, too."""

    q: np.ndarray       # (nq,)
    indices: Mapping
    along: np.ndarray   # (nq,) the direction to go, its largest element 1


def _with_families(request, target, seed, found, psi, clock):
    """(Branches and the members inside the limits, or least outside, of families whose representative is outside;
    whether time ended before all were sought).
    """
    inside, members, least, clock, begin = [found] * (not found.excess), [], found, clock.sooner, clock.used
    at, turns = list(request.geometry.unknowns.positions), request.geometry.unknowns.turns
    done, over = 0, False
    for branch in _outside(request, found):
        if over := not clock.leaves((clock.used - begin) / done if done else FIRST):    # as long as those before took
            break
        if (family := _family(request, *branch, psi)) is None:
            continue
        member, done = _member(request, target, seed, family, psi, clock), done + 1
        least = min(least, member, key=lambda each: each.excess)
        if not member.excess and member.sharp and all(
                (apart(member.q[0, at], other.q[:, at], turns) > APART).all() for other in inside + members):
            members.append(member)
    found = by_distance(request, target, seed, _together(inside + members)) if members else least
    return found, over


def _member(request, target, seed, family, psi, clock):
    """Branches of one member of a Family, inside the limits or least outside."""
    geometry = request.geometry
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    one = geometry.solver(request.options.at_first._replace(indices=tuple(sorted(family.indices.items()))))

    def ask(way):
        return _ask(one, target, family.q + way * family.along, psi)
    member, _ = _least_outside(ask, ask(0.0), 0.0, clock)
    member.q[:, at] = next_to(member.q[:, at], seed[at], geometry.lower, geometry.upper, turns)
    return member


def _outside(request, found):
    """(q, indices, singular) of the branches outside the limits that may be of families: singular ones or, at an arm
    angle asked for, all.
    """
    if found.excess and not request.any_arm_angle:
        return zip(found.q, found.indices, found.singular, strict=True)
    return zip(found.lost, found.lost_indices, (True,) * len(found.lost), strict=True)


def _family(request, q, indices, singular, psi):
    """The Family of a branch; None when it leads to other arm angles than psi."""
    geometry = request.geometry
    J, along = geometry.kinematics(q)[1][0], np.zeros(len(q))
    along[list(geometry.unknowns.positions)] = np.linalg.svd(J[:3] if request.options.position_only else J)[2][-1]
    along /= abs(along).max()
    stays = singular or abs(_turned(float(geometry.arm_angle(q + BIT * along)[0]) - psi)) < BIT ** 2
    return Family(q, indices, along) if stays else None


def by_distance(request, target, seed, found):
    """Branches sorted by the distance to the seed; where the first only came near it stays if it is the first again."""
    order = nearest_first(found.q, seed)
    others = order[0] > 0                           # are first now, and sharp
    if others and not found.sharp:
        order.remove(0)
    indices, singular = (tuple([told[k] for k in order]) for told in (found.indices, found.singular))
    position, rotation = explain.residuals(request.geometry, target, found.q[order[0]], request.options)
    return found._replace(excess=0.0, q=found.q[order], indices=indices, singular=singular,
                          sharp=found.sharp or others, position=position, rotation=rotation)


def _arm_angles(request, q, psi=None):
    """Arm angles [rad] of solutions q (k, nq) of a seven-axis arm; psi, the one asked for, where it is theirs."""
    if request.geometry.arm is None:
        return ()
    own = request.geometry.arm_angle(q)[:, 0].tolist()
    if psi is None:
        return tuple(own)
    given = _turned(psi)
    return tuple([given if abs(_turned(angle - psi)) < APART else angle for angle in own])


def _turned(psi):
    """The angle in [-pi, pi)."""
    return (psi + pi) % TURN - pi
