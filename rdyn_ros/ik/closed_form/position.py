"""Three joints that bring a point x0 to x: the arm of a robot, and the classic three-axis schemes.

Each form is a pair: the indices that name its branches, and a function (x0, x, ks, ke, near) -> (q1, q2, q3), ks and
ke = ±1, near the angles of the seed: a target on axis 1 leaves q1 free, which is then as there.
For the arm of source 001 (axis 2 parallel to 3) they are the book's, ks = sgn[(OC × Z0) · Z1] and
ke = sgn[(X2 × l42) · Z1]; with an elbow offset the book's Z3 in place of l42 would not tell the two elbows apart.
"""
import itertools

import numpy as np

from ..screws import intersection, parallel
from .general_position import general_form
from .subproblems import SLACK, TINY, aligned, angle_between, angle_to_plane, angle_to_sphere, kept, root, two_angles
from .vectors import add, cross, dot, scale, sub, triple, turn_about

BOTH = ("ks", "ke")


def position_form(screws, tolerance, general):
    """The form that fits three screws, also in another order of joints that commute or read backwards; or None.

    general: whether three turning joints in general position count.
    """
    for order in _orders(screws, tolerance):
        arranged = [screws[i] for i in order]
        for backwards in (False, True):
            form = _match(arranged[::-1] if backwards else arranged, tolerance)
            if form is not None:
                return form[0], _arranged(form[1], order, backwards)
    form, backwards = general_form(screws, tolerance) if general else (None, False)
    return None if form is None else (BOTH, _arranged(form, (0, 1, 2), backwards))


def _orders(screws, tolerance):
    """Orders of the joints that move alike: slides commute with each other and with turning about their direction."""
    def commute(i, j):
        a, b = screws[i], screws[j]
        return (not a.turns and not b.turns) or (a.turns != b.turns and parallel(a, b, tolerance))
    for order in itertools.permutations(range(3)):
        if all(commute(i, j) for i, j in itertools.combinations(order, 2) if i > j):
            yield order


def _arranged(form, order, backwards):
    """x = e1 e2 e3 x0 read backwards is x0 = e3⁻¹ e2⁻¹ e1⁻¹ x."""
    def solve(x0, x, ks, ke, near):
        near = [near[i] for i in order]
        found = ([-q for q in form(x, x0, ks, ke, [-q for q in near][::-1])][::-1] if backwards
                 else form(x0, x, ks, ke, near))
        return tuple(found[order.index(i)] for i in range(3))
    return solve


def _match(screws, tolerance):
    one, two, three = screws
    pattern = tuple(s.turns for s in screws)
    if pattern == (True, True, True):
        if parallel(two, three, tolerance) and not parallel(one, two, tolerance):
            return _elbow(one, two, three)
        if parallel(one, two, tolerance) and not parallel(two, three, tolerance):
            return _lifted(one, two, three)
        o = intersection((one, two), tolerance)
        return None if o is None else _pan_tilt_elbow(one, two, three, triple(o))
    if pattern == (True, True, False):
        if parallel(one, two, tolerance):
            return _scara(one, two, three) if abs(dot(one.h, three.h)) > tolerance else None
        o = intersection((one, two), tolerance)
        return None if o is None else _spherical(one, two, three, triple(o))
    if pattern == (True, False, False):
        return _cylindrical(one, two, three, tolerance)
    if pattern == (False, False, False):
        return _cartesian(screws, tolerance)
    return None


def _elbow(one, two, three):
    """R ⟂ or oblique, then two parallel R: the arm of nearly all industrial robots, with any offsets."""
    along = 1.0 if dot(two.h, three.h) > 0.0 else -1.0

    def solve(x0, x, ks, ke, near):
        d = sub(x, one.p)
        q1 = kept(aligned(one.h, d), angle_to_plane(d, one.h, two.h, dot(two.h, sub(x0, one.p)), ks), near[0])
        y = turn_about(one.h, one.p, -q1, x)
        q3 = _planar_elbow(two, three, x0, y, -along * ke)
        z = turn_about(three.h, three.p, q3, x0)
        return q1, angle_between(two.h, sub(z, two.p), sub(y, two.p)), q3
    return BOTH, solve


def _planar_elbow(two, three, x0, y, sign):
    """q3 with |e3 x0 - p2| = |y - p2|."""
    reach = sub(y, two.p)
    return angle_to_sphere(three.h, sub(x0, three.p), sub(two.p, three.p), dot(reach, reach), sign)


def _lifted(one, two, three):
    """Two parallel R, then an oblique R: the height fixes q3."""
    def solve(x0, x, ks, ke, near):
        q3 = angle_to_plane(one.h, three.h, sub(x0, three.p), dot(one.h, sub(x, three.p)), ke)
        return *_two_parallel(one, two, turn_about(three.h, three.p, q3, x0), x, ks, near), q3
    return BOTH, solve


def _two_parallel(one, two, y, x, sign, near):
    """(q1, q2) of two parallel R that bring y to x in their plane; sign +1 when turning the second moves y outwards."""
    q2 = _planar_elbow(one, two, y, x, sign)
    z = turn_about(two.h, two.p, q2, y)
    d = sub(x, one.p)
    return kept(aligned(one.h, d), angle_between(one.h, sub(z, one.p), d), near[0]), q2


def _pan_tilt_elbow(one, two, three, o):
    """Axes 1 and 2 meet in o: the distance from o fixes q3."""
    def solve(x0, x, ks, ke, near):
        d = sub(x, o)
        q3 = angle_to_sphere(three.h, sub(x0, three.p), sub(o, three.p), dot(d, d), ke)
        return *_pan_tilt(one, two, sub(turn_about(three.h, three.p, q3, x0), o), d, ks, near), q3
    return BOTH, solve


def _pan_tilt(one, two, y, d, sign, near):
    """(q1, q2) with turn1 turn2 y = d."""
    back, q2 = two_angles(one.h, d, two.h, y, sign)
    return kept(aligned(one.h, d), -back, near[0]), q2


def _spherical(one, two, three, o):
    """Pan, tilt, slide; ke = ±1: the point slides outwards or inwards past the centre."""
    def solve(x0, x, ks, ke, near):
        a, d = sub(x0, o), sub(x, o)
        b, a2, d2 = dot(three.h, a), dot(a, a), dot(d, d)
        q3 = ke * root(b * b - a2 + d2, SLACK * (a2 + d2) + TINY) - b
        return *_pan_tilt(one, two, add(a, scale(q3, three.h)), d, ks, near), q3
    return BOTH, solve


def _scara(one, two, three):
    """Two parallel R and a slide along them; ke = ±1: turning the second moves the point outwards or inwards."""
    rise = dot(one.h, three.h)

    def solve(x0, x, ks, ke, near):
        q3 = dot(one.h, sub(x, x0)) / rise
        return *_two_parallel(one, two, add(x0, scale(q3, three.h)), x, ke, near), q3
    return ("ke",), solve


def _cylindrical(one, two, three, tolerance):
    """R and two slides: the plane of the slides must pass through the target."""
    n = cross(two.h, three.h)
    size = dot(n, n)
    if size < tolerance or np.linalg.norm(np.cross(n, one.h)) < tolerance:
        return None
    dual2, dual3 = scale(1.0 / size, cross(three.h, n)), scale(1.0 / size, cross(n, two.h))

    def solve(x0, x, ks, ke, near):
        d = sub(x, one.p)
        q1 = kept(aligned(one.h, d), angle_to_plane(d, one.h, n, dot(n, sub(x0, one.p)), ks), near[0])
        y = sub(turn_about(one.h, one.p, -q1, x), x0)
        return q1, dot(dual2, y), dot(dual3, y)
    return ("ks",), solve


def _cartesian(screws, tolerance):
    """Three slides."""
    H = np.array([s.h for s in screws]).T
    if abs(np.linalg.det(H)) < tolerance:
        return None
    dual = [triple(row) for row in np.linalg.inv(H)]
    return (), lambda x0, x, ks, ke, near: tuple(dot(row, sub(x, x0)) for row in dual)
