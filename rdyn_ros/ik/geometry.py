"""What frames of a robot can do: which coordinates move them, within which limits, with which compiled code."""
import dataclasses
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ..algorithms.configuration import neutral
from ..kernels import Kernel
from .closed_form import TOLERANCE, recognise
from .closed_form.kernel import arm_angle, closed_form_angles
from .constants import TURN
from .reach import ENDLESS, lever, radian, sphere, spheres
from .task import MOST_TURNS, tip_kinematics, unknowns

ROUNDED = 1e-13     # [m, rad] by which rounding may change a geometry
FEW = 30            # starts that decide whether a pose of most arms can be reached


class Geometry:
    """Frames of a robot with their compiled kinematics and, for a single frame, the closed form."""

    def __init__(self, model, frames):
        self.model, self.frames = model, frames
        self.unknowns = unknowns(model, frames)
        columns, endless = list(self.unknowns.columns), np.logical_or(self.unknowns.turns, self.unknowns.slides)
        lower, upper = model.limits.lower[columns], model.limits.upper[columns]
        self.lower = np.where(endless & (lower < -ENDLESS), -np.inf, lower)
        self.upper = np.where(endless & (upper > ENDLESS), np.inf, upper)

    @cached_property
    def _bare(self):
        """The model without masses, gravity and limits: payloads and other limits must not cost new machine code."""
        zero, free = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3))}, {"lower": -np.inf, "upper": np.inf}
        bodies = tuple(dataclasses.replace(body, joint=body.joint and dataclasses.replace(body.joint, **free), **zero)
                       for body in self.model.bodies)
        return self.model.replace(bodies=bodies, gravity=np.zeros(3))

    @cached_property
    def kinematics(self):
        """Kernel q -> poses (k, 3, 4), Jacobians (k, 6, n)."""
        return Kernel(self._bare, tip_kinematics, [self.model.nq], (self.frames, self.unknowns.columns))

    @cached_property
    def _forms(self):
        """ClosedForms of a single frame, or None: of its geometry up to the usual tolerance, and but for rounding."""
        return [recognise(self.model, self.frames[0], within) if len(self.frames) == 1 else None
                for within in (TOLERANCE, ROUNDED)]

    @property
    def closed_form(self):
        """ClosedForm of the frame, or None."""
        return self._forms[0]

    @property
    def exact_form(self):
        """Whether the geometry is that of the closed form but for rounding."""
        return self._forms[1] is not None and self._forms[1].kind == self.closed_form.kind

    @cached_property
    def arm(self):
        """ArmAngle of a seven-axis arm, or None."""
        return None if self.closed_form is None else self.closed_form.arm

    @cached_property
    def formula(self):
        """Kernel target (12,), arm angle (1,), the seed's angles (n,), indices -> angles (n,) of a branch."""
        form = self.closed_form
        return Kernel(self._bare, closed_form_angles, [12, 1, len(form.chain.screws), len(form.names)], self.frames)

    @cached_property
    def kept(self):
        """Positions in q of the joints whose angles the formulas keep from the seed where they are free.

        Without the seed's angle of such a joint they answer nothing; no other is asked for.
        """
        q, at, form = self.rest.copy(), list(self.unknowns.positions), self.closed_form
        q[at] += 0.3 * np.cos(np.arange(len(at)))
        T, psi = np.vstack([self.kinematics(q)[0][0], [0.0, 0.0, 0.0, 1.0]]), form.arm.angle(q[at]) if form.arm else 0.0
        with np.errstate(invalid="ignore"):
            ask = [form.branches(T, psi, np.where(np.arange(len(at)) == i, np.nan, q[at])) for i in range(len(at))]
        return tuple([at[i] for i, found in enumerate(ask) if not np.isfinite(found).all(axis=1).any()])

    @cached_property
    def rest(self):
        """The seed when none is given, (nq,): the middle of the limits; joints that move no frame are near 0."""
        q = near_zero(self.model)
        q[list(self.unknowns.positions)] = middle(self.lower, self.upper)
        q.flags.writeable = False
        return q

    @cached_property
    def joints(self):
        """(name, unit, position in q, lower, upper) of the joint of each unknown."""
        first, joints = 6 if self.model.floating_base else 0, self.model.joints
        units = {joint.name: joint.unit for joint in joints}
        names = [self.model.joint_names[v - first] for v in self.unknowns.columns]
        return [(name, units[name], *limits) for name, *limits in
                zip(names, self.unknowns.positions, self.lower.tolist(), self.upper.tolist(), strict=True)]

    @cached_property
    def reach(self):
        """Per frame (k, 4): a place in the base and the most its distance to the frame can be [m]."""
        return np.array([sphere(self.model, name) for name in self.frames])

    def spheres(self, q):
        """[(centre, radius)] that the frames cannot leave, on the base where q has it."""
        return spheres(self.reach, q[:7]) if self.model.floating_base else self._spheres

    @cached_property
    def _spheres(self):
        return spheres(self.reach, ())

    @cached_property
    def few(self):
        """Starts that decide whether a pose can be reached at all: more where each turn of a joint is another start."""
        widths, of = np.minimum(self.upper - self.lower, 2.0 * np.array(self.unknowns.spans)), self.unknowns
        turns = np.where(of.turns, 1.0, widths * of.rates / TURN)
        return FEW * int(np.clip(np.ceil(turns.max(initial=1.0)), 1, MOST_TURNS))

    @cached_property
    def lever(self):
        """Half the length of the chain to the first frame [m]."""
        return lever(self.model, self.frames[0])

    @property
    def near(self):
        """Poses (k, 4, 4) of the frames at rest."""
        targets = np.tile(np.eye(4), (len(self.frames), 1, 1))
        targets[:, :3] = self.kinematics(self.rest)[0]
        return targets

    @property
    def far(self):
        """Poses (k, 4, 4) of the frames that surely cannot be reached, if there are such."""
        targets = np.tile(np.eye(4), (len(self.frames), 1, 1))
        targets[:, 0, 3] = np.minimum(4.0 * self.lever + np.linalg.norm(self.reach[:, :3], axis=1), 1e9)
        return targets

    @cached_property
    def radian(self):
        """What a radian counts unless weights are given [m]."""
        return radian(self.model, self.frames)

    @cached_property
    def indices(self):
        """Per branch of the closed form its indices by name, read-only."""
        form = self.closed_form
        return () if form is None else tuple(
            MappingProxyType(dict(zip(form.names, signs, strict=True))) for signs in form.signs)

    @cached_property
    def arm_angle(self):
        """Kernel q (nq,) -> arm angle of a seven-axis arm."""
        return Kernel(self._bare, arm_angle, [self.model.nq], self.frames)


def near_zero(model):
    """q (nq,) with a free base at the origin and every joint as near to 0 as its limits let it."""
    q, (lower, upper, *_), base = neutral(model), model.limits, 6 if model.floating_base else 0
    joints = model.nv - base
    np.minimum(np.maximum(lower[base:], 0.0), upper[base:], out=q[model.nq - joints:])
    return q


def middle(lower, upper):
    """Middle of limits (n,); where one side is open the nearest to 0."""
    both = np.isfinite(lower) & np.isfinite(upper)
    return np.clip(0.5 * (np.where(both, lower, 0.0) + np.where(both, upper, 0.0)), lower, upper)
