"""Axes 5 and 6 that do not meet after three parallel ones: a conic in the first angle."""
import numpy as np

from .conic import angle_on_conic, combined, product, value
from .subproblems import TINY, angle_of, step
from .vectors import cross, dot, rows_dot, scale, sub, turn

STEPS = 8           # Newton steps that keep the digits of axes nearly aligned, where cosines have only half of them


def two_apart(first, h, five, six, tolerance):
    """apart(R, x, ks, kw) -> (q1, q5) of an arm whose joints 2, 3 and 4 turn about h, and 5 and 6 are askew; or None.

    Joints 2 to 4 move nothing along h. For the direction of axis 6 and its point p6, brought to R h6 and x:
    h · turn1⁻¹ R h6 = h · turn5 h6 and h · e1⁻¹ x = h · e5 p6; (cos q5, sin q5) is affine in (cos q1, sin q1).
    """
    def seen(k, g):
        """h · turn(k, θ, g) as an affine form in (cos θ, sin θ)."""
        along = dot(h, k) * dot(k, g)
        return dot(h, g) - along, dot(h, cross(k, g)), along
    back = scale(-1.0, first.h)
    (a, b, e), (c, d, f) = seen(five.h, six.h), seen(five.h, sub(six.p, five.p))
    f = f + dot(h, sub(five.p, first.p))
    det = a * d - b * c
    if abs(det) < tolerance:
        return None

    def apart(R, x, ks, kw):
        axis = rows_dot(R, six.h)
        turned, moved = seen(back, axis), seen(back, sub(x, first.p))
        cos = combined((d / det, turned), (-b / det, moved), (1.0, (0.0, 0.0, (b * f - d * e) / det)))
        sin = combined((a / det, moved), (-c / det, turned), (1.0, (0.0, 0.0, (c * e - a * f) / det)))
        one = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
        q1 = angle_on_conic(combined((1.0, product(cos, cos)), (1.0, product(sin, sin)), (-1.0, one)), ks, kw)
        C, S = np.cos(q1), np.sin(q1)
        q5 = angle_of(value(sin, C, S), value(cos, C, S))
        for _ in range(STEPS):
            q1, q5 = refined(axis, turned, moved, q1, q5)
        return q1, q5

    def refined(axis, turned, moved, q1, q5):
        """A Newton step; cos - cos = (sin² - sin²)/(cos + cos) where axis 6 is nearly along h."""
        (I1, dI1), (P1, dP1) = (_with_slope(form, q1) for form in (turned, moved))
        (I5, dI5), (P5, dP5) = (_with_slope(form, q5) for form in ((a, b, e), (c, d, f)))
        n1, n5 = cross(axis, turn(first.h, q1, h)), cross(turn(five.h, q5, six.h), h)
        near, both = step(I1 * I5 - 0.25), I1 + I5
        tilt = near * (dot(n5, n5) - dot(n1, n1)) * both / (both * both + TINY) + (1.0 - near) * (I1 - I5)
        gap, size = P1 - P5, dI5 * dP1 - dI1 * dP5
        share = size / (size * size + TINY)
        return q1 - share * (dI5 * gap - dP5 * tilt), q5 - share * (dI1 * gap - dP1 * tilt)
    return apart


def _with_slope(form, angle):
    """An affine form in (cos, sin) of an angle, and its derivative."""
    c, s = np.cos(angle), np.sin(angle)
    return value(form, c, s), form[1] * c - form[0] * s
