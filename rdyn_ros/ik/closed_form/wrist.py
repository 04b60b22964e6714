"""One to three turning joints whose axes meet in a point: the orientation that is left after the arm."""
from .subproblems import aligned, angle_between, kept, two_angles
from .vectors import across, rows_dot, turn


def wrist_angles(wrist, arm, q, R, kw, near):
    """Angles of the wrist: turn4 turn5 turn6 = (arm rotation)ᵀ R; kw = sgn[Z4 · (Z6 × Z3)] (source 001, ch. 4).

    wrist, arm: screws; q: the arm's angles; R: rows of the rotation of the tip from its pose at zero; near: the wrist's
    angles in the seed.
    """
    def seen(a):
        a = rows_dot(R, a)
        for screw, angle in zip(arm, q, strict=True):
            if screw.turns:
                a = turn(screw.h, -angle, a)
        return a
    return solve_rotation([s.h for s in wrist], seen, kw, near)


def solve_rotation(axes, seen, sign, near):
    """Angles about one, two or three axes whose product takes each vector a to seen(a).

    Where the third axis is along the first, which leaves one of their angles free, the first is as in `near`.
    """
    last, angles = axes[-1], []
    if len(axes) == 2:
        angles = [angle_between(axes[0], last, seen(last))]
    if len(axes) == 3:
        there = seen(last)
        back, second = two_angles(axes[0], there, axes[1], last, sign)
        angles = [kept(aligned(axes[0], there), -back, near[0]), second]
    a = across(last)
    b = seen(a)
    for axis, angle in zip(axes, angles, strict=False):
        b = turn(axis, -angle, b)
    return *angles, angle_between(last, a, b)
