"""Which closed form fits a chain of joints."""
import itertools
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..screws import Chain, chain_pose, chain_to
from ..turns import apart
from .arm_angle import arm_angle_form
from .arms import THREE_AXES, arm_form
from .three_parallel import scara_form, three_parallel_form
from .vectors import columns_dot, rows_dot, scale, triple

TOLERANCE = 1e-5        # [m, rad] a URDF that writes pi/2 as 1.5708 still counts; results are refined on the true model
TRIED, BACK = 3, 1e-2   # configurations that a form is tried on, and by how much one that it gives back may be off
GOLDEN = 0.5 * (1.0 + 5.0**0.5)     # multiples of it are spread evenly between whole numbers


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """All solutions of a chain in straight-line formulas.

    kind: words for people; names: indices that tell the branches apart, each ±1; arm: ArmAngle of a seven-axis arm.
    """

    chain: Chain
    kind: str
    names: tuple
    solve: object
    arm: object = None

    @property
    def signs(self):
        """Every combination of indices, (branches, len(names))."""
        return tuple(itertools.product((1, -1), repeat=len(self.names)))

    @property
    def places_only(self):
        """Whether the arm has three axes that bring its tip to a point, whatever its orientation then is."""
        return self.kind.startswith(THREE_AXES)

    def branches(self, T, psi=0.0, near=None):
        """Angles (..., branches, n) for targets T (..., 4, 4); NaN where a branch does not reach.

        psi: arm angle of a seven-axis arm; near (n,): the seed's angles, which free joints keep, 0 when not given.
        """
        T = np.asarray(T, dtype=float)
        numbers = np.moveaxis(T[..., :3, :].reshape(*T.shape[:-2], 12), -1, 0)
        near = np.zeros(len(self.chain.screws)) if near is None else near
        parts = [angle for signs in self.signs for angle in self.angles(numbers, psi, near, signs)]
        return np.stack(np.broadcast_arrays(*parts), -1).reshape(*T.shape[:-2], len(self.signs), -1)

    def angles(self, numbers, psi, near, signs):
        """Angles (n) of one branch: 12 numbers of a target's upper rows, arm angle, seed's angles (n), its indices."""
        rows = [numbers[i:i + 4] for i in (0, 4, 8)]
        R, t = _motion([row[:3] for row in rows], [row[3] for row in rows], self.chain.home)
        extra = {} if self.arm is None else {"psi": psi}
        return self.solve(R, t, near, **dict(zip(self.names, signs, strict=True)), **extra)


def _motion(R, t, home):
    """T · home⁻¹ as rows and a vector."""
    turned = [rows_dot([triple(row) for row in home[:3, :3]], row) for row in R]
    moved = rows_dot(turned, triple(home[:3, 3]))
    return turned, tuple(a - b for a, b in zip(t, moved, strict=True))


def recognise(model, frame=None, tolerance=TOLERANCE):
    """ClosedForm of the chain to a frame, or None when its geometry has none here."""
    chain = chain_to(model, frame)
    return None if chain is None else recognise_chain(chain, tolerance)


def recognise_chain(chain, tolerance=TOLERANCE):
    """ClosedForm of a Chain, or None when none fits, or none that gives a configuration back."""
    return next(filter(_gives_back, _fitting(chain, tolerance)), None)


def _fitting(chain, tolerance):
    """The ClosedForms that fit; an arm whose spherical or parallel part is at the base is read backwards."""
    tip = triple(chain.home[:3, 3])
    if not 3 <= len(chain.screws) <= 7:
        return
    arm = arm_angle_form(chain.screws, tolerance)
    if arm is not None:
        yield ClosedForm(chain, "spherical shoulder and wrist", ("ks", "ke", "kw"), arm.solve, arm)
    for form in (scara_form, three_parallel_form, arm_form):
        found = form(chain.screws, tip, tolerance)
        if found is not None:
            yield ClosedForm(chain, *found)
    if len(chain.screws) == 6:
        for form in (three_parallel_form, arm_form):
            found = form(chain.screws[::-1], tip, tolerance)
            if found is not None:
                kind, names, solve = found
                yield ClosedForm(chain, f"{kind}, read from the tip", names, _backwards(solve))


def _gives_back(form):
    """Whether some configuration is among the solutions for its own pose."""
    turns = [screw.turns for screw in form.chain.screws]
    anywhere = 4.0 * (np.arange(1, TRIED * len(turns) + 1) * GOLDEN % 1.0) - 2.0    # numpy.random takes 25 ms to import
    for q in anywhere.reshape(TRIED, -1):
        psi = 0.0 if form.arm is None else form.arm.angle(q)
        with np.errstate(all="ignore"), suppress(ZeroDivisionError):
            if any(apart(q, found, turns) < BACK for found in form.branches(chain_pose(form.chain, q), psi, q)):
                return True
    return False


def _backwards(solve):
    """e1 … en = G read from the tip: en⁻¹ … e1⁻¹ = G⁻¹."""
    def solved(R, t, near, **signs):
        inverse = list(zip(*R, strict=True))
        near = [-q for q in near][::-1]
        return tuple(-q for q in solve(inverse, scale(-1.0, columns_dot(R, t)), near, **signs))[::-1]
    return solved
