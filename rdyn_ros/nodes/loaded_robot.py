"""A robot with what it carries and how it is mounted; changes pass over smoothly. No ROS in here.

Torques are linear in the inertias: a payload that comes slowly is exactly the weighted sum of the robots
without and with it. Gravity is an argument of the kernel: no direction needs a new robot.
"""
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np

from ..errors import RdynError
from ..kernels import Kernel
from .terms import Terms, terms
from .tilted import Tilted

OVERLAPPING = 8  # transitions that may overlap


class Payload(NamedTuple):
    """Mass [kg], centre of mass (3,) [m] and inertia (3, 3) about it [kg m^2], in the axes of `frame`."""

    frame: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray


class Ramp(NamedTuple):
    """Passing over from 0 to 1 within `duration` [s] from steady time `start` [s] on."""

    start: float = 0.0
    duration: float = 0.0

    def at(self, now):
        """Share 0..1 at `now`, which may be earlier: another thread began it since then."""
        over = self.duration == 0.0 or now >= self.start + self.duration
        return 1.0 if over else max(0.0, (now - self.start) / self.duration)


class Load:
    """A robot with payloads, and the kernel of its terms(q, qd, gravity) with the poses of `tip` and those `further`.

    `functions` are compiled, too; those of a frame, such as fk, for all of these.
    """

    def __init__(self, bare, payloads, tip, functions=(), further=()):
        self.bare, self.payloads, self._compiled = bare, payloads, (tip, functions, further)
        self.robot = bare
        for p in payloads.values():
            self.robot = self.robot.with_payload(p.mass, p.com, p.inertia, p.frame)
        self.terms = Kernel(self.robot.model, terms, (bare.nq, bare.nv, 3), (tip, *further))
        self.code = self.terms.compile()  # None when the robot is too large for that
        for name, frame in product(functions, (tip, *further)):
            self.robot.compile(name, frame=frame)

    def carrying(self, payloads):
        """The same robot with other payloads {name: Payload}."""
        return Load(self.bare, payloads, *self._compiled)

    @cached_property
    def unlimited(self):
        """The same robot with joints that turn and slide without end."""
        bodies = tuple(body if body.joint is None else replace(
            body, joint=replace(body.joint, lower=-inf, upper=inf)) for body in self.robot.model.bodies)
        return type(self.robot)(self.robot.model.replace(bodies=bodies))


@dataclass(frozen=True, eq=False)
class LoadedRobot:
    """`load` takes over from `before` ((weight, Load), ...) along `ramp`, `gravity` from `gravity_before`.

    gravity_set: somebody set it, so that it holds for other robots, too; else it is the robot's own.
    """

    load: Load
    gravity: np.ndarray
    gravity_before: np.ndarray
    before: tuple = ()
    ramp: Ramp = Ramp()
    gravity_ramp: Ramp = Ramp()
    gravity_set: bool = False

    @property
    def bare(self):
        """The robot without payloads, under the gravity it was read with."""
        return self.load.bare

    @property
    def robot(self):
        """The robot with its payloads when no change is under way, under the gravity of the bare one."""
        return self.load.robot

    @property
    def payloads(self):
        """{name: Payload} when no change is under way."""
        return self.load.payloads

    @cached_property
    def mounted_as_known(self):
        """Whether gravity is that of the bare robot when no change is under way."""
        return np.array_equal(self.gravity, self.bare.gravity)

    @cached_property
    def aimed(self):
        """The robot with its payloads under its gravity when no change is under way."""
        return self.robot if self.mounted_as_known else Tilted(self.load, self.gravity)

    @property
    def shared(self):
        """All that `terms` needs, for the way in C; None where the robot is too large for machine code.

        ((weight, address, owner of the code), ...) of all that has a share, the last takes over; its ramp; gravity,
        the one before, and their ramp.
        """
        codes = [(weight, load.code) for weight, load in (*self.before, (1.0, self.load))]
        if any(code is None for _, code in codes):
            return None
        return (tuple((weight, code.address, code) for weight, code in codes), self.ramp, tuple(self.gravity.tolist()),
                tuple(self.gravity_before.tolist()), self.gravity_ramp)

    def loads(self, now):
        """((weight, Load), ...) whose weighted torques are in force at steady time `now` [s]."""
        s = self.ramp.at(now)
        if s == 1.0:
            return ((1.0, self.load),)
        return (*(((1.0 - s) * weight, load) for weight, load in self.before), (s, self.load))

    def steady(self, now):
        """Whether no change is under way at `now`."""
        return self.ramp.at(now) == 1.0 and self.gravity_ramp.at(now) == 1.0

    def gravity_at(self, now):
        """Gravity (3,) in force at `now`."""
        s = self.gravity_ramp.at(now)
        return self.gravity if s == 1.0 else (1.0 - s) * self.gravity_before + s * self.gravity

    def payload_share(self, name, now):
        """Part of a payload that is in effect at `now`: 0..1; another of that name has no part in it."""
        wanted = self.payloads[name]
        return sum(weight for weight, load in self.loads(now) if _same(load.payloads.get(name), wanted))

    def report(self, now):
        """Gravity and payloads in effect at `now`, in words."""
        return {"gravity": "{:.4f}, {:.4f}, {:.4f}".format(*self.gravity_at(now)),
                "payloads": ", ".join(f"{name} {self.payload_share(name, now):.0%}" for name in self.payloads)}

    def terms(self, q, qd, now):
        """Terms at a state."""
        gravity, loads = self.gravity_at(now), self.loads(now)
        last = Terms._make(loads[-1][1].terms(q, qd, gravity))
        if len(loads) == 1:
            return last
        parts = [(weight, *load.terms(q, qd, gravity)[:2]) for weight, load in loads]
        return last._replace(gravity=sum(weight * g for weight, g, _ in parts),
                             coriolis=sum(weight * c for weight, _, c in parts))

    def remade(self, robot, make, now):
        """(load, before) of another robot in this one's place; make(payloads) gives its Load.

        Payloads on frames that it has, too, are carried on, also those that pass over at `now`.
        """
        def again(load):
            return make({name: p for name, p in load.payloads.items() if p.frame in robot.frame_names})
        before = () if self.ramp.at(now) == 1.0 else self.before
        return again(self.load), tuple((weight, again(load)) for weight, load in before)

    def replaced_by(self, load, before):
        """Another robot in this one's place, of what `remade` gave; what is under way goes on.

        Gravity that was set stays, else it is the robot's own.
        """
        after = replace(self, load=load, before=before)
        return after if self.gravity_set else replace(after, gravity=np.array(load.bare.gravity), gravity_ramp=Ramp())

    def with_gravity(self, gravity, now, duration=0.0):
        """Passes over to another gravity (3,) [m/s^2], base axes, within `duration` [s]; None: the robot's own."""
        wanted = self.bare.gravity if gravity is None else gravity
        return replace(self, gravity=np.array(wanted, dtype=float), gravity_before=self.gravity_at(now),
                       gravity_ramp=Ramp(now, duration), gravity_set=gravity is not None)

    def with_load(self, load, now, duration=0.0):
        """Passes over to another Load of the same robot within `duration` [s]."""
        before = self.loads(now) if duration > 0.0 else ()
        if len(before) > OVERLAPPING:
            raise RdynError(f"more than {OVERLAPPING} changes are in transition; wait until some are over")
        return replace(self, load=load, before=before, ramp=Ramp(now, duration))


def loaded(load, gravity=None):
    """LoadedRobot of a Load, at once; gravity (3,) [m/s^2] where it was set, None: the robot's own."""
    own = np.array(load.bare.gravity)
    return LoadedRobot(load, own, own).with_gravity(gravity, 0.0)


def _same(payload, other):
    return payload is not None and all(map(np.array_equal, payload, other))
