"""Seven turning joints with a spherical shoulder and a spherical wrist: one arm angle, then everything is fixed.

The arm angle psi is the angle about the line shoulder-wrist from the plane that holds axis 1 to the plane of the arm
(Shimizu et al., IEEE T-RO 24 (2008) 1131), measured between the normals: axis 1 × line, and the elbow axis.
"""
import numpy as np

from ..screws import intersection
from .subproblems import TINY, aligned, angle_between, angle_to_sphere
from .vectors import across, add, columns_dot, cross, dot, rows_dot, scale, sub, triple, turn, turn_about
from .wrist import solve_rotation, wrist_angles

OVER = 1e-9         # [rad] nearer to axis 1 the line has no plane with it: rounding would turn it by more than 1e-6


class ArmAngle:
    """The seven-axis form: solve(R, t, near, ks, ke, kw, psi) and angle(q), the arm angle of a configuration."""

    def __init__(self, screws, shoulder, wrist):
        self.screws, self.shoulder, self.wrist = screws, triple(shoulder), triple(wrist)

    def solve(self, R, t, near, ks=1, ke=1, kw=1, psi=0.0):
        """Seven angles; ks, kw name the branch of shoulder and wrist as in a wrist, ke = ±1 the sense of the elbow."""
        elbow = self.screws[3]
        line = sub(add(rows_dot(R, self.wrist), t), self.shoulder)
        q4 = angle_to_sphere(elbow.h, sub(self.wrist, elbow.p), sub(self.shoulder, elbow.p), dot(line, line), ke)
        rest = sub(turn_about(elbow.h, elbow.p, q4, self.wrist), self.shoulder)
        here = _triad(rest, elbow.h)
        there = _triad(line, turn(_unit(line), psi, self._normal(_unit(line))))

        def seen(a):
            return columns_dot(there, rows_dot(here, a))
        shoulder = solve_rotation([s.h for s in self.screws[:3]], seen, ks, near[:3])
        return *shoulder, q4, *wrist_angles(self.screws[4:], self.screws[:4], (*shoulder, q4), R, kw, near[4:])

    def angle(self, q):
        """Arm angle psi [rad] of the seven angles q."""
        w, h = self.wrist, self.screws[3].h
        for screw, angle in list(zip(self.screws, q, strict=True))[3::-1]:
            w = turn_about(screw.h, screw.p, angle, w)
            h = turn(screw.h, angle, h)
        line = _unit(sub(w, self.shoulder))
        return angle_between(line, self._normal(line), h)

    def _normal(self, line):
        """Normal of the plane of axis 1 and the line, a unit vector; over axis 1 itself, any fixed direction."""
        axis = self.screws[0].h
        return _unit(_across(line, add(cross(axis, line), scale(aligned(axis, line, OVER), across(axis)))))


def arm_angle_form(screws, tolerance):
    """ArmAngle of seven turning joints with axes 1 2 3 meeting and 5 6 7 meeting, or None."""
    if len(screws) != 7 or not all(s.turns for s in screws):
        return None
    shoulder, wrist = intersection(screws[:3], tolerance), intersection(screws[4:], tolerance)
    return None if shoulder is None or wrist is None else ArmAngle(screws, shoulder, wrist)


def _unit(a):
    return scale(1.0 / np.sqrt(dot(a, a) + TINY), a)


def _across(line, a):
    line = _unit(line)
    return sub(a, scale(dot(line, a), line))


def _triad(x, z):
    """Rows: unit vector along x, z made square to it, and their product."""
    x = _unit(x)
    z = _unit(_across(x, z))
    return x, z, cross(x, z)
