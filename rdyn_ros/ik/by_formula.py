"""Answers by closed form: the branches inside the limits, of seven axes at some arm angle, or why there are none."""
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from . import explain
from .clock import RANKING, Clock
from .constants import APART, TURN
from .failure import Failure, blamed, failed, limits, no_such_branch, violations
from .numeric import many, search
from .ranking import around, by_distance, together
from .result import IkResult, branched, cut_short
from .turns import apart, nearest_first, next_to, wrapped

ROUND = 16          # arm angles among which all solutions are sought
SCAN = 72           # arm angles tried when that of the seed leaves the limits
FIRST = 2e-4        # [s] without which no family is begun; most take 0.1 to 0.4 ms
BIT = 1e-4          # [rad, m] by which a branch is moved to see whether its arm angle stays, and the least that counts
HALVINGS = 10       # of the step between them, towards the one that leaves the limits least


def branches(request, target, seed, begin, every=False):
    """IkResult of all branches at one arm angle: the one asked for, else the seed's, else one that keeps the limits.

    every: families whose representative leaves the limits are sought for others also beside branches inside.
    """
    result = request.solver.inside(target, seed, request.options.arm_angle, request.any_arm_angle, every, begin)
    if type(result) is IkResult:
        return result
    return _beyond_these(request, target, seed, result, Clock(begin, request.options.timeout), every)


def _beyond_these(request, target, seed, found, clock, every=False):
    """The same when Branches at the first arm angle are outside the limits or, of every one, some of them."""
    over = False
    if found.excess and request.round_the_arm and not found.beyond:
        found, _, over = _least_outside(lambda psi: request.solver.branches(target, seed, psi, False), found,
                                        found.arm_angle, clock)
    if (found.excess or (every and found.sharp)) and (len(found.lost) or not request.any_arm_angle):
        found, cut = _with_families(request, target, seed, found, clock)
        over = over or cut
    if found.excess:
        return _refused(request, target, seed, found, clock, over)
    result = branched(found, clock.used)
    return cut_short(result, "the branches, before all families were sought") if over and every else result


every_branch = partial(branches, every=True)


def round_the_arm(request, target, seed, begin):
    """All branches of a seven-axis arm at ROUND arm angles, that of the seed among them; else at any one."""
    result, done = request.solver.inside_round(target, seed, ROUND, begin, request.seconds)
    if type(result) is not IkResult:
        return _beyond_these(request, target, seed, result, Clock(begin, request.options.timeout))
    return cut_short(result, f"{done} of {ROUND} arm angles") if done < ROUND else result


def _refused(request, target, seed, found, clock, over):
    """No branch is inside the limits, of those that were sought until time was over: why."""
    if len(found.q) and not found.beyond:
        return _outside_limits(request, target, seed, found, clock, over)
    return _out_of_reach(request, target, seed, found, clock)


def _outside_limits(request, target, seed, found, clock, over):
    """All branches leave the limits; those at other arm angles or of their families may not: a search is for them."""
    geometry, chosen = request.geometry, request.options
    others = request.round_the_arm or any(found.singular) or not geometry.exact_form
    over = over or (others and clock.over)
    if others and not over:
        result, over = _by_search(request, target, seed, found, clock)
        if result is not None:
            return result
    if over:
        return _timed_out(request, found, clock)
    if clock.over:                                      # rather fewer words than late
        failure = Failure("limits", 0.0, found.violations, request.outside)
    else:
        failure = limits(geometry, found.violations, chosen)
    return _without(failure, found, clock)


def _by_search(request, target, seed, found, clock):
    """(IkResult of a search, by formula where that meets the limits from where a search ended, or None; whether time
    was over before).
    """
    if request.any_solution:
        result = search(request, target, seed, clock.begin, RANKING)
    else:
        result = many(request, target, found.first, clock.begin)
    if not result.success:
        return None, result.reason == "timeout" and clock.sooner.over       # or it ran out of starts
    over = result.message != result.reason                                  # others were to come
    for k in nearest_first(result.solutions, seed):
        if clock.over:
            over = True
            break
        there = request.solver.branches(target, result.solutions[k], request.options.arm_angle, False)
        if not there.excess and there.sharp:
            _turn(request.geometry, there.q, seed)
            return branched(by_distance(there, seed, partial(_residuals, request, target)), clock.used), False
    return (result if request.any_solution else None), over


def _residuals(request, target, q):
    return explain.residuals(request.geometry, target, q, request.options)


def _timed_out(request, found, clock):
    """Time is up before all others of Branches outside the limits were sought."""
    return _without(Failure("timeout", 0.0, found.violations, request.late.message), found, clock)


def _out_of_reach(request, target, seed, found, clock):
    """There is no branch, as a bound may tell surely; else it may be in a family whose representative formulas miss."""
    why = explain.how_far if found.beyond else explain.out_of_reach
    failure = why(request.geometry, target, seed, request.options, clock)
    if failure is None and request.any_solution:
        return search(request, target, seed, clock.begin)
    return _without(failure or no_such_branch(request.options), found, clock)


def _without(failure, found, clock):
    """IkResult of a Failure, with what comes nearest of Branches outside the limits."""
    return failed(failure, found.first, found.position, found.rotation, clock.begin, "closed_form")


STAGES = (around(0.0, SCAN)[1:], *((-h, h) for h in (TURN / SCAN * 0.5 ** np.arange(1, HALVINGS + 1)).tolist()))


def _least_outside(ask, found, angle, clock, place=None):
    """(branches, angle) inside the limits, or least outside, and whether time was over before all were asked.

    ask(angle) all round, then in ever smaller steps. place: angles (k,) -> those to be asked for.
    """
    best, took = (found, angle), 0.0
    for offsets in STAGES:
        angles = best[1] + np.array(offsets)
        for angle in (place(angles) if place else angles).tolist():
            if not best[0].excess:
                return *best, False
            if not clock.leaves(took):              # the next would take as long
                return *best, True
            begin = clock.used
            best, took = min(best, (ask(angle), angle), key=_outsideness), clock.used - begin
    return *best, False


def _outsideness(branches_at):
    """By how much (branches, angle) leave the limits: the worst joint decides, among equals up to rounding all do."""
    found, _ = branches_at
    return round(found.excess, 9), sum(found.violations.values())


class Family(NamedTuple):
    """A branch outside the limits from which there are ways to others that reach the target, too."""

    q: np.ndarray       # (nq,)
    indices: Mapping
    kept: list          # positions in q of joints whose angles lead along it; empty: the direction does
    along: np.ndarray   # (nq,) direction of the motion, largest element 1


def _with_families(request, target, seed, found, clock):
    """(Branches and the members inside the limits, or least outside, of families whose representative is outside;
    whether time ended before all were sought).
    """
    geometry, clock = request.geometry, clock.sooner
    at, turns = list(geometry.unknowns.positions), geometry.unknowns.turns
    inside, least, took, over = [found] * (not found.excess), found, FIRST, False
    for branch in _outside(request, found):
        if over or not clock.leaves(took):
            over = True
            break
        if (family := _family(request, *branch, found.arm_angle)) is None:
            continue
        begin = clock.used
        member, over = _member(request, target, seed, family, found.arm_angle, clock)
        took = clock.used - begin                       # the next would take as long
        least = min(least, member, key=lambda each: each.excess)
        if not member.excess and member.sharp and all(
                (apart(member.q[0, at], other.q[:, at], turns) > APART).all() for other in inside):
            inside.append(member)
    if len(inside) > (not found.excess):
        least = by_distance(together(inside), seed, partial(_residuals, request, target))
    return least, over


def _member(request, target, seed, family, psi, clock):
    """(Branches of one member of a Family, inside the limits or least outside, whether time was over before)."""
    geometry, q, over = request.geometry, family.q, False
    one = geometry.solver(request.at_first._replace(indices=tuple(sorted(family.indices.items()))))
    member = one.branches(target, q, psi, False)
    for way, place in [_joint(geometry, seed, q, j) for j in family.kept] or [(family.along, None)]:
        member, far, cut = _least_outside(lambda far, q=q, way=way: one.branches(target, q + far * way, psi, False),
                                          member, 0.0, clock, place)
        q, over = q + far * way, over or cut
    _turn(geometry, member.q, seed)
    if len(member.q):
        first = member.q[0].copy()
        member = member._replace(first=first, violations=blamed(violations(geometry, first), request.options))
    return member, over


def _turn(geometry, q, seed):
    """Brings q (k, nq) by whole turns next to the seed, inside the limits; in place."""
    at = list(geometry.unknowns.positions)
    q[:, at] = next_to(q[:, at], seed[at], geometry.lower, geometry.upper, geometry.unknowns.turns)


def _joint(geometry, seed, q, j):
    """(Direction (nq,) of the joint at j; ways (k,) along it from q -> the same on the turn inside its limits that is
    next to the seed).
    """
    k = geometry.unknowns.positions.index(j)
    lower, upper, turns = geometry.lower[k], geometry.upper[k], geometry.unknowns.turns[k]
    return np.eye(len(q))[j], lambda ways: next_to(q[j] + ways, seed[j], lower, upper, turns) - q[j]


def _outside(request, found):
    """(q, indices, singular) of the branches outside the limits that may be of families: singular ones or, at an arm
    angle asked for, all where none is inside.
    """
    if found.excess and not request.any_arm_angle:
        return zip(found.q, found.indices, found.singular, strict=True)
    return zip(found.lost, found.lost_indices, (True,) * len(found.lost), strict=True)


def _family(request, q, indices, singular, psi):
    """The Family of a branch; None when it leads to other arm angles than psi.

    Formulas go along it with a joint that they keep from the seed: one that takes part in the motion which leaves the
    target where it is, or any where that does not tell. An arm that fits its class only nearly, and a branch that is
    not singular, follow that motion.
    """
    geometry = request.geometry
    J, along = geometry.kinematics(q)[1][0], np.zeros(len(q))
    along[list(geometry.unknowns.positions)] = np.linalg.svd(J[:3] if request.options.position_only else J)[2][-1]
    along /= abs(along).max()
    kept = list(geometry.kept) if singular and geometry.exact_form else []
    stays = singular or abs(wrapped(float(geometry.arm_angle(q + BIT * along)[0]) - psi)) < BIT ** 2
    return Family(q, indices, [j for j in kept if abs(along[j]) > BIT] or kept, along) if stays else None
