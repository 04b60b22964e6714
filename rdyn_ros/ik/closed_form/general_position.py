"""Three turning joints in general position that bring a point x0 to x: Pieper's quartic, here as a conic."""
import numpy as np

from .conic import angle_on_conic, combined, product, value
from .subproblems import aligned, angle_between, kept
from .vectors import add, cross, dot, scale, sub, turn_about


def general_form(screws, tolerance):
    """(form, backwards) of three turning joints, the first two (or, backwards, the last two) askew; or (None, False).

    form(x0, x, ks, ke, near) -> (q1, q2, q3); the pair that is farther from meeting and from parallel decides.
    """
    one, two, three = screws
    forward, backward = abs(_askew(one, two)), abs(_askew(three, two))
    if not all(s.turns for s in screws) or max(forward, backward) < tolerance:
        return None, False
    return (_general(one, two, three), False) if forward >= backward else (_general(three, two, one), True)


def _askew(one, two):
    """Distance of two axes times the sine between them."""
    return dot(two.h, cross(sub(two.p, one.p), one.h))


def _general(one, two, three):
    """Turning about axis 1 keeps h1 · y and |y|² of y = e2 e3 x0 - p1.

    With u = e3 x0 - p2 and v = p2 - p1 both are linear in z, u turned by q2 and taken across k = h2: v · z = E1,
    h1 · z = E2. E1, E2, |u|² and k · u are affine in (cos q3, sin q3), so that z² = |u|² - (k · u)² is a conic in them.
    """
    k, v, h = two.h, sub(two.p, one.p), one.h
    det = _askew(one, two)
    z1, z2 = scale(1.0 / det, cross(h, k)), scale(1.0 / det, cross(k, v))

    def solve(x0, x, ks, ke, near):
        arm = sub(x0, three.p)
        along = scale(dot(three.h, arm), three.h)
        m, n, o = sub(arm, along), cross(three.h, arm), sub(add(three.p, along), two.p)      # u = c m + s n + o
        ku = dot(k, m), dot(k, n), dot(k, o)
        uu = 2.0 * dot(m, o), 2.0 * dot(n, o), dot(o, o) + dot(m, m)
        d = sub(x, one.p)
        E1 = combined((-0.5, uu), (-dot(v, k), ku), (0.5, (0.0, 0.0, dot(d, d) - dot(v, v))))
        E2 = combined((-dot(h, k), ku), (1.0, (0.0, 0.0, dot(h, d) - dot(h, v))))
        q3 = angle_on_conic(combined(
            (dot(z1, z1), product(E1, E1)), (2.0 * dot(z1, z2), product(E1, E2)), (dot(z2, z2), product(E2, E2)),
            (1.0, product(ku, ku)), (-1.0, (0.0, 0.0, 0.0, *uu))), ks, ke)
        c, s = np.cos(q3), np.sin(q3)
        z = add(scale(value(E1, c, s), z1), scale(value(E2, c, s), z2))
        u = add(add(scale(c, m), scale(s, n)), o)
        q2 = angle_between(k, u, z)
        y = turn_about(k, two.p, q2, add(two.p, u))
        return kept(aligned(h, d), angle_between(h, sub(y, one.p), d), near[0]), q2, q3
    return solve
