"""Arms put together: three joints for the point where the wrist axes meet, then the wrist (source 001, appendix 2)."""
from ..screws import meeting_point, parallel
from .position import position_form
from .vectors import add, rows_dot, triple
from .wrist import wrist_angles

THREE_AXES = "three-axis arm"
WRISTS = {0: THREE_AXES, 1: "arm with one wrist axis", 2: "arm with two wrist axes", 3: "spherical wrist"}


def arm_form(screws, tip, tolerance):
    """(kind, indices, solve) of three joints and a wrist of up to three axes that meet, or None.

    tip: origin of the frame at q = 0, the point that a bare three-axis arm brings to the target.
    solve(R, t, near, signs): R rows and t of the motion e1 … en of the frame from its pose at zero; near: the angles of
    the seed.
    """
    arm, wrist = screws[:3], screws[3:]
    if len(screws) not in (3, 4, 5, 6) or not all(s.turns for s in wrist):
        return None
    centre = meeting_point(wrist, tip, tolerance)
    form = position_form(arm, tolerance, general=len(wrist) == 3)
    if centre is None or form is None:
        return None
    centre, (names, position) = triple(centre), form

    def solve(R, t, near, ks=1, ke=1, kw=1):
        q = position(centre, add(rows_dot(R, centre), t), ks, ke, near[:3])
        return q if not wrist else (*q, *wrist_angles(wrist, arm, q, R, kw, near[3:]))
    kind = WRISTS[len(wrist)] if wrist else _three_axes(*arm, tolerance)
    return kind, names + ("kw",) * (len(wrist) == 3), solve


def _three_axes(one, two, three, tolerance):
    """THREE_AXES and, where it is one of the four classic schemes, its name."""
    pattern = tuple(s.turns for s in (one, two, three))
    fits = {"cartesian": pattern == (False, False, False),
            "cylindrical": pattern in ((True, False, False), (False, True, False)) and (
                parallel(one, two, tolerance) or parallel(one, three, tolerance)),
            "spherical": pattern == (True, True, False) and not parallel(one, two, tolerance),
            "anthropomorphic": pattern == (True, True, True) and parallel(two, three, tolerance)}
    return ", ".join([THREE_AXES, *(name for name, fit in fits.items() if fit)])
