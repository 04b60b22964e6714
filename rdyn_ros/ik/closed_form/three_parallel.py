"""Arms with three parallel axes in a row: the UR family, and its smaller relatives with four and five axes, SCARA."""
import numpy as np

from ..screws import meeting_point, parallel
from .subproblems import (
    ALIGNED,
    TINY,
    aligned,
    angle_between,
    angle_of,
    angle_to_plane,
    angle_to_sphere,
    kept,
    larger,
    root,
    step,
    two_angles,
)
from .two_apart import two_apart
from .vectors import across, add, columns_dot, cross, dot, rows_dot, scale, sub, triple, turn, turn_about

NEARLY = 1e-8       # [rad] in place of ALIGNED where two roots of a quartic meet, which leaves half of the digits
TOUCHING = 1e-9     # [m] a point nearer to an axis is not moved by it


def three_parallel_form(screws, tip, tolerance):
    """(kind, indices, solve) of one turning joint, three parallel ones and up to two more, or None."""
    if len(screws) not in (4, 5, 6) or not all(s.turns for s in screws):
        return None
    first, plane, tail = screws[0], screws[1:4], screws[4:]
    h = plane[0].h
    if not all(parallel(plane[0], s, tolerance) for s in plane[1:]) or parallel(first, plane[0], tolerance):
        return None
    if tail and parallel(plane[0], tail[0], tolerance):
        return None
    w = meeting_point(tail, tip, tolerance)
    apart = two_apart(first, h, *tail, tolerance) if w is None else None
    if w is None and apart is None:
        return None
    w = triple(tail[1].p if apart else w)
    within = NEARLY if apart else ALIGNED
    fixed = not apart and np.linalg.norm(cross(h, sub(w, plane[2].p))) < TOUCHING

    def solve(R, t, near, ks=1, ke=1, kw=1):
        x = add(rows_dot(R, w), t)
        if apart:
            q1, q5 = apart(R, x, ks, kw)
        else:
            q1 = angle_to_plane(sub(x, first.p), first.h, h, dot(h, sub(w, first.p)), ks)
        seen = columns_dot(R, turn(first.h, q1, h))         # h as the tip sees it
        y = turn_about(first.h, first.p, -q1, x)
        last = (angle_between(tail[0].h, seen, h),) if len(tail) == 1 else ()
        if len(tail) == 2:
            if apart:
                q6 = angle_between(tail[1].h, seen, turn(tail[0].h, -q5, h))
            else:
                back, q6 = two_angles(tail[0].h, h, tail[1].h, seen, kw)
                q5 = -back
            free = aligned(tail[1].h, seen, within)
            last = q5, kept(free, q6, near[-1])
        a = across(h)
        for s, q in zip(tail, last, strict=True):
            a = turn(s.h, -q, a)
        total = angle_between(h, across(h), turn(first.h, -q1, rows_dot(R, a)))
        held = turn_about(tail[0].h, tail[0].p, q5, w) if apart else w       # by the fourth joint
        if len(tail) == 2 and not fixed:
            more = free * _into_reach(plane, total, held, y)
            total, last = total + more, (last[0], last[1] - dot(tail[1].h, seen) * more)
        return q1, *_plane_angles(plane, total, held, y, ke), *last
    kind = "three parallel axes" if len(tail) == 2 else f"three parallel axes, {len(screws)} joints"
    return kind, ("ks", "ke") + ("kw",) * (len(tail) == 2), solve


def _into_reach(plane, total, w, y):
    """Least change of the free angle total that lets the first two of the joints reach the axis of the third.

    That is |c - a| = distance from the first axis, c and a the ways to y and from the third axis to w, across h.
    """
    one, two, three = plane
    h = one.h
    c, a = cross(h, sub(y, one.p)), cross(h, turn(h, total, sub(w, three.p)))
    upper, fore = (np.sqrt(dot(x, x)) for x in (cross(h, sub(two.p, one.p)), cross(h, sub(three.p, two.p))))
    both, most = dot(c, c) + dot(a, a), np.sqrt(dot(c, c) * dot(a, a))
    low = larger(-most, 0.5 * (both - (upper + fore) ** 2))
    high = -larger(-most, -0.5 * (both - (upper - fore) ** 2))
    cos, sin = dot(c, a), dot(h, cross(c, a))
    inside = -larger(-larger(cos, low), -high)
    side = 2.0 * step(sin + TINY) - 1.0
    return angle_of(side * root(most * most - inside * inside, most * most + TINY), inside) - angle_of(sin, cos)


def _plane_angles(plane, total, w, y, ke):
    """Angles of three parallel joints that bring w to y and turn by total; ke = sgn[(l2 × l3) · h]."""
    one, two, three = plane
    sign2, sign3 = (1.0 if dot(one.h, s.h) > 0.0 else -1.0 for s in (two, three))
    z = sub(y, turn(one.h, total, sub(w, three.p)))         # where the third axis must pass
    reach = sub(z, one.p)
    q2 = angle_to_sphere(two.h, sub(three.p, two.p), sub(one.p, two.p), dot(reach, reach), -sign2 * ke)
    q1 = angle_between(one.h, sub(turn_about(two.h, two.p, q2, three.p), one.p), reach)
    return q1, q2, sign3 * (total - q1 - sign2 * q2)


def scara_form(screws, tip, tolerance):
    """(kind, indices, solve) of three parallel turning joints and one slide along them in any order, or None."""
    turns = [i for i, s in enumerate(screws) if s.turns]
    slides = [i for i, s in enumerate(screws) if not s.turns]
    if len(turns) != 3 or len(slides) > 1 or not all(parallel(screws[0], s, tolerance) for s in screws[1:]):
        return None
    plane = [screws[i] for i in turns]
    h = plane[0].h

    def solve(R, t, near, ke=1):
        x = add(rows_dot(R, tip), t)
        total = angle_between(h, across(h), rows_dot(R, across(h)))
        angles = dict(zip(turns, _plane_angles(plane, total, tip, _level(x), ke), strict=True))
        for i in slides:
            angles[i] = dot(screws[i].h, sub(x, tip))
        return tuple(angles[i] for i in range(len(screws)))

    def _level(x):
        return sub(x, scale(dot(h, sub(x, tip)), h))
    return ("SCARA" if slides else "planar arm"), ("ke",), solve
