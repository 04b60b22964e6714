"""The tree of bodies: parent λ, children μ, subtree ν, path η, and how coordinates drive it."""
import dataclasses
import difflib
import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import RdynError
from ..spatial import Inertia
from .parts import INF, Body, Frame, Limits, frozen

GRAVITY = (0.0, 0.0, -9.81)     # [m/s²], in the axes of the base


@dataclass(frozen=True, eq=False)
class Model:
    """An immutable robot. Bodies are numbered so that parent < child; body 0 is the base.

    A robot with a floating base has the world as body 0 and its root link as body 1, moved by a joint of six
    velocities (linear, then angular, in root axes) and seven positions (x y z qx qy qz qw).
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    gravity: np.ndarray = GRAVITY
    tips: tuple[str, ...] = ()          # names of frames; the first is the default of every call
    where: str = "robot"                # file it came from, for messages

    def __post_init__(self):
        object.__setattr__(self, "gravity", frozen(self.gravity))
        if any(not body.parent < i for i, body in enumerate(self.bodies)):
            raise RdynError(f"{self.where}: every parent must be numbered before its children")

    # the tree (sources 000 and 003)

    @property
    def n(self):
        """Number of moving bodies."""
        return len(self.bodies) - 1

    @cached_property
    def parent(self):
        """λ: parent of each body; -1 for the base."""
        return tuple(body.parent for body in self.bodies)

    @cached_property
    def edges(self):
        """Pairs (i, λ(i)) for i = 1..n: parents before children."""
        return tuple((i, self.parent[i]) for i in range(1, self.n + 1))

    @cached_property
    def children(self):
        """μ: the children of each body."""
        below = [[] for _ in self.bodies]
        for i, p in self.edges:
            below[p].append(i)
        return tuple(map(tuple, below))

    @cached_property
    def subtree(self):
        """ν: each body with everything it carries."""
        return tuple(frozenset(np.flatnonzero(column).tolist()) for column in self.path.T)

    @cached_property
    def path(self):
        """η (n+1, n+1) bool: path[i, j] is true when joint j lies between the base and body i."""
        eta = np.zeros((self.n + 1, self.n + 1), dtype=bool)
        eta[0, 0] = True
        for i, p in self.edges:
            eta[i] = eta[p]
            eta[i, i] = True
        eta.flags.writeable = False
        return eta

    # coordinates

    @cached_property
    def _columns(self):
        """Per body: slice of q, slice of v, ratio, offset."""
        by_name, columns, nq, nv = {}, [(slice(0, 0), slice(0, 0), 1.0, 0.0)], 0, 0
        for body in self.bodies[1:]:
            joint = body.joint
            if joint.mimic is None:
                width = joint.width
                wide = 7 if width == 6 else 1
                by_name[joint.name] = slice(nq, nq + wide), slice(nv, nv + width)
                nq, nv = nq + wide, nv + width
        for body in self.bodies[1:]:
            mimic = body.joint.mimic
            if mimic is None:
                columns.append((*by_name[body.joint.name], 1.0, 0.0))
            elif mimic.leader in by_name:
                columns.append((*by_name[mimic.leader], mimic.ratio, mimic.offset))
            else:
                given = f"joint '{body.joint.name}' mimics '{mimic.leader}'"
                raise RdynError(f"{self.where}: {given}, which is no moving joint of its own; "
                                f"allowed are {', '.join(by_name)}")
        return tuple(columns), nq, nv

    @property
    def nq(self):
        """Number of position coordinates."""
        return self._columns[1]

    @property
    def nv(self):
        """Number of velocity coordinates."""
        return self._columns[2]

    @cached_property
    def q_slice(self):
        """Per body, the positions that drive it; a mimic joint has those of its leader."""
        return tuple(column[0] for column in self._columns[0])

    @cached_property
    def v_slice(self):
        """Per body, the velocities that drive it; a mimic joint has those of its leader."""
        return tuple(column[1] for column in self._columns[0])

    @cached_property
    def ratio(self):
        """Per body, joint velocity / coordinate velocity: 1 but for mimic joints."""
        return tuple(column[2] for column in self._columns[0])

    @cached_property
    def offset(self):
        """Per body, joint position at coordinate 0: 0 but for mimic joints."""
        return tuple(column[3] for column in self._columns[0])

    @property
    def floating_base(self):
        """Whether body 1 is a root link that moves freely in the world."""
        return self.n > 0 and self.bodies[1].joint.kind == "floating"

    @cached_property
    def has_mimic(self):
        """Whether some joint follows another."""
        return any(body.joint.mimic for body in self.bodies[1:])

    # names

    @cached_property
    def joints(self):
        """The joints with a coordinate of their own, in that order, without the floating base."""
        return tuple(b.joint for b in self.bodies[1:] if b.joint.mimic is None and b.joint.kind != "floating")

    @cached_property
    def joint_names(self):
        """Names of the independent joints of one degree of freedom, in the order of their coordinates."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def link_names(self):
        """Names of the moving bodies 1..n: the blocks of the regressor."""
        return tuple(body.name for body in self.bodies[1:])

    @cached_property
    def frame_names(self):
        """Names of all frames: every link, also merged ones, then tools."""
        return tuple(frame.name for frame in self.frames)

    @cached_property
    def _frame_by_name(self):
        return {frame.name: frame for frame in self.frames}

    def frame(self, name=None):
        """The frame of that name; the first tip when no name is given."""
        name = self.tips[0] if name is None else name
        try:
            return self._frame_by_name[name]
        except (KeyError, TypeError):
            raise RdynError(f"{self.name} has no frame '{name}'; {self._near(name)}") from None

    def _near(self, name):
        """In words, which frames may have been meant."""
        if not isinstance(name, str):
            return f"a frame is given by its name, such as '{self.tips[0]}'"
        near = [each for each in self.frame_names if name and name.lower() in each.lower()] or (
            difflib.get_close_matches(name, self.frame_names, 5))
        if near:
            return f"near names: {', '.join(near[:5])}"
        return f"its frames are {', '.join(self.frame_names[:10])}" + (
            f" and {len(self.frame_names) - 10} more (frame_names)" if len(self.frame_names) > 10 else "")

    # constants of the recursions

    @cached_property
    def S(self):
        """Per body the motion subspace (6, k) of its joint in body axes, times the mimic ratio."""
        pairs = zip(self.bodies, self.ratio, strict=True)
        return tuple(_subspace(body.joint, ratio) for body, ratio in pairs)

    @cached_property
    def I(self):  # noqa: E743 the book's symbol
        """Per body its spatial Inertia at the body's origin."""
        return tuple(Inertia.about_com(body.mass, body.com, body.inertia) for body in self.bodies)

    def _collect(self, of_joint):
        total = np.zeros(self.nv)
        for i in range(1, self.n + 1):
            if self.bodies[i].joint.kind != "floating":
                total[self.v_slice[i]] += of_joint(self.bodies[i].joint, self.ratio[i])
        return frozen(total)

    @cached_property
    def armature(self):
        """Rotor inertia as the joint feels it (nv,): gear² · rotor [kg m²]; followers add ratio² times."""
        return self._collect(lambda joint, r: r**2 * joint.gear_ratio**2 * joint.rotor_inertia)

    @cached_property
    def viscous(self):
        """Viscous friction (nv,) [N m s/rad or N s/m]."""
        return self._collect(lambda joint, r: r**2 * joint.viscous)

    @cached_property
    def coulomb(self):
        """Largest Coulomb friction (nv,) [N m or N], as the coordinates feel it."""
        return self._collect(lambda joint, r: abs(r) * joint.coulomb)

    @cached_property
    def dry_joints(self):
        """G (k, nv), velocities of the k joints with Coulomb friction over qd, and that friction (k,) [N m or N]."""
        dry = [i for i in range(1, self.n + 1) if self.bodies[i].joint.coulomb]
        G = np.zeros((len(dry), self.nv))
        for row, i in zip(G, dry, strict=True):
            row[self.v_slice[i]] = self.ratio[i]
        return frozen(G), frozen([self.bodies[i].joint.coulomb for i in dry])

    @cached_property
    def limits(self):
        """Limits of the coordinates, (nv,) each; ±inf for a floating base.

        Positions and velocities are those at which the joint and all that follow it are within their own limits
        (its own alone where that leaves no room); efforts are those of the joint, which drives its followers.
        """
        lower, upper, velocity, effort = (np.full(self.nv, x) for x in (-INF, INF, INF, INF))
        joints = [(self.v_slice[i].start, body.joint, self.ratio[i], self.offset[i])
                  for i, body in enumerate(self.bodies) if i and body.joint.kind != "floating"]
        for k, joint, ratio, offset in sorted(joints, key=lambda entry: entry[1].mimic is not None):
            if joint.mimic is None:
                lower[k], upper[k], velocity[k], effort[k] = joint.lower, joint.upper, joint.velocity, joint.effort
            elif ratio:
                low, high = sorted(((joint.lower - offset) / ratio, (joint.upper - offset) / ratio))
                velocity[k] = min(velocity[k], joint.velocity / abs(ratio) or INF)
                if max(lower[k], low) < min(upper[k], high):
                    lower[k], upper[k] = max(lower[k], low), min(upper[k], high)
        return Limits(*map(frozen, (lower, upper, velocity, effort)))

    # other robots from this one

    def replace(self, **changes):
        """A new model with some fields changed; this one stays as it is."""
        return dataclasses.replace(self, **changes)

    @cached_property
    def key(self):
        """Hash (sha256, hex) of everything the mathematics depends on; names and limits included."""
        digest = hashlib.sha256()
        for part in (*self.bodies, *(body.joint for body in self.bodies[1:]), *self.frames, self):
            for field in dataclasses.fields(part):
                value = getattr(part, field.name)
                if field.name in ("bodies", "frames", "joint", "where"):
                    continue
                digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
        return digest.hexdigest()


def _subspace(joint, ratio):
    if joint is None:
        return np.zeros((6, 0))
    if joint.kind == "floating":
        return np.eye(6)
    zero = np.zeros(3)
    column = [joint.axis, zero] if joint.kind == "prismatic" else [zero, joint.axis]
    return ratio * np.concatenate(column)[:, None]
