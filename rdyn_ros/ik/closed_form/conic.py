"""Angles θ at which a conic in c = cos θ, s = sin θ vanishes: the quartic of arms whose axes are in general position.

In the pencil of the conic and the unit circle there is always a pair of real lines; each line cuts the circle in up to
two points. ks names the line, ke the point on it. No tangent of a half angle: no angle is at infinity.
"""
import numpy as np

from .subproblems import SLACK, TINY, angle_of, root, step

STEPS = 2           # of Newton: they give back the digits which the pencil takes
ASIDE = 2e-7        # they start so far outside two angles that meet, which keeps these apart
TOUCH = 1e-11       # a line that misses the circle by so little touches it
STEEP = 1e-4        # of lines nearly along an axis: the one half of their offset is 0/0, and follows from the other
BOUND = 100.0       # above all that a scaled conic gives: as slack it takes every negative number for zero
THIN, FLAT = 1e-20, 1e-17       # keep 0/0 out of what is not used, and of a double angle


def product(a, b):
    """(cc, cs, ss, c, s, 1) of the product of two affine forms (c, s, 1)."""
    return (a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1],
            a[0] * b[2] + a[2] * b[0], a[1] * b[2] + a[2] * b[1], a[2] * b[2])


def combined(*parts):
    """Sum of parts (number, coefficients)."""
    return tuple(sum(number * form[i] for number, form in parts) for i in range(len(parts[0][1])))


def value(form, c, s):
    """α c + β s + γ of an affine form."""
    return form[0] * c + form[1] * s + form[2]


def angle_on_conic(conic, ks, ke):
    """θ with conic · (c², cs, s², c, s, 1) = 0.

    After a turn by φ it is r (c² - s²) + a c + b s + d. With λ (1 - c² - s²) it falls into lines for a root of
    λ³ + d λ² + ((a² + b²)/4 - r²) λ + r (a² - b²)/4 - d r², one of which is in [-r, r] when there are angles at all:
    √(r-λ) c + u = ks (√(r+λ) s - v).
    """
    cc, cs, ss, a, b, d = conic
    d, x, y = d + 0.5 * (cc + ss), 0.5 * (cc - ss), 0.5 * cs
    scale = 1.0 / np.sqrt(a * a + b * b + d * d + x * x + y * y + TINY)
    a, b, d, x, y = (scale * part for part in (a, b, d, x, y))
    r, phase = np.sqrt(x * x + y * y + TINY), 0.5 * angle_of(y, x)
    c, s = np.cos(phase), np.sin(phase)
    a, b = c * a + s * b, c * b - s * a
    pencil = _lone_root(d, 0.25 * (a * a + b * b) - r * r, 0.25 * r * (a * a - b * b) - d * r * r)
    A, B = (root(part, SLACK) for part in (r - pencil, r + pencil))
    u, v = _halves(a, A, b, B, d + pencil, r)
    offset = -(u + ks * v)
    half = root(2.0 * r - offset * offset, TOUCH * (1.0 + offset * offset)) + ASIDE
    theta = angle_of(-ks * B, A) + ke * angle_of(half, offset)
    for _ in range(STEPS):
        c, s = np.cos(theta), np.sin(theta)
        f = r * (c * c - s * s) + a * c + b * s + d
        slope = b * c - a * s - 4.0 * r * c * s
        theta = theta - f * slope / (slope * slope + FLAT)
    return theta + phase


def _halves(a, A, b, B, rest, r):
    """u = a/2A and v = b/2B; the one whose line is nearly along an axis by u² - v² = rest instead."""
    u, v = 0.5 * a * A / (A * A + THIN), 0.5 * b * B / (B * B + THIN)
    thin, flat = (step(STEEP * r - side * side) for side in (A, B))
    u, v = (1.0 - thin) * u, (1.0 - flat) * v
    return (u + thin * _side(a) * root(rest + v * v, BOUND),
            v + flat * _side(b) * root(u * u - rest, BOUND))


def _side(x):
    return 2.0 * step(x + THIN) - 1.0


def _lone_root(b, c, d):
    """The real root of x³ + b x² + c x + d that is farthest from the others: it stays exact where they meet."""
    p, q = (3.0 * c - b * b) / 9.0, (2.0 * b * b * b - 9.0 * b * c) / 54.0 + 0.5 * d
    inside = q * q + p * p * p
    half = abs(q) + root(inside, BOUND)
    bent = root(-inside, BOUND)
    size = _cube_root(np.sqrt(half * half + bent * bent) + TINY)
    x = -_side(q) * np.cos(angle_of(bent, half) / 3.0) * (size - p / size) - b / 3.0
    for _ in range(STEPS):
        slope = (3.0 * x + 2.0 * b) * x + c
        x = x - (((x + b) * x + c) * x + d) * slope / (slope * slope + TINY)
    return x


def _cube_root(x):
    """∛x for 0 < x < 10: x^(1/4 + 1/16 + 1/64), then Halley's steps."""
    y, part = 1.0, x
    for _ in range(3):
        part = np.sqrt(np.sqrt(part))
        y = y * part
    for _ in range(4):
        cube = y * y * y
        y = y * (cube + 2.0 * x) / (2.0 * cube + x)
    return y
