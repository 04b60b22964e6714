"""What inverse kinematics answers: always a result with a reason, never a bare vector."""
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..errors import RdynError
from .constants import STATUSES

NOTHING = MappingProxyType({})
REASONS = ("converged", "singular", "out_of_reach", "limits", "timeout", "bad_input")
SUCCESS = frozenset(REASONS[:2])


class IkResult(NamedTuple):
    """Answer to one target.

    reason: converged; singular (a valid representative of a family of solutions, success all the same); out_of_reach;
    limits (the pose is possible only outside the joint limits); timeout; bad_input (rows of a batch only).
    """

    success: bool
    reason: str
    q: np.ndarray                       # (nq,) the solution next to the seed, or the first a search met; see docs/ik.md
    residual_position: float            # [m]
    residual_rotation: float            # [rad]
    solutions: np.ndarray               # (k, nq) within the limits, nearest to the seed first
    indices: tuple = ()                 # of each solution: {"ks": ±1, "ke": ±1, "kw": ±1} as far as the arm has them
    singular: tuple = ()                # of each solution: whether it stands for a family
    distance: float = 0.0               # [m] to the workspace when out of reach
    violations: Mapping = NOTHING       # {joint: by how much [rad or m] it would leave its limits}
    iterations: int = 0
    restarts: int = 0
    time: float = 0.0                   # [s]
    method: str = "numeric"             # or "closed_form"
    message: str = ""                   # in words, what to do
    arm_angles: tuple = ()              # [rad] of each solution of a seven-axis arm by closed form

    def __bool__(self):
        return self.success

    def __str__(self):
        """One line for people; repr has every field."""
        count = len(self.solutions)
        told = f"{count} solution{'s' * (count != 1)}, the first" if self.success else f"{self.message}; ended with"
        q = np.array2string(self.q, max_line_width=10**6, precision=4, suppress_small=True)
        return f"{self.reason} ({self.method}, {1e6 * self.time:.0f} µs): {told} {q}"

    def __reduce__(self):                # read-only mappings cannot be pickled, dicts can
        plain = self._replace(indices=tuple(map(dict, self.indices)), violations=dict(self.violations))
        return type(self)._make, (tuple(plain),)

    @property
    def residual(self):
        """(position [m], rotation [rad]) that is left of the error."""
        return self.residual_position, self.residual_rotation


SOLVER_RESULTS = tuple(
    IkResult(reason in SUCCESS, reason, np.zeros(0), 0.0, 0.0, np.zeros((0, 0)), (NOTHING,) * (reason in SUCCESS),
             (reason == "singular",) * (reason in SUCCESS), message=reason) for reason in STATUSES)
FORMULA_RESULTS = tuple(like._replace(method="closed_form") for like in SOLVER_RESULTS if like.success)


class Branches(NamedTuple):
    """What a solver tells of a target: the branches inside the limits or, when none is, all, best first."""

    excess: float       # [rad, m] by how much the first leaves the limits; infinite: there is none
    q: np.ndarray       # (k, nq)
    indices: tuple
    singular: tuple
    arm_angles: tuple   # [rad] of a seven-axis arm
    first: np.ndarray   # (nq,) the first or, when there is none, the seed inside the limits,
    position: float     # [m] its residuals,
    rotation: float     # [rad]
    sharp: bool         # and whether it is on the target, not only within the tolerance
    arm_angle: float    # [rad] that was asked for, or the seed's
    beyond: bool        # whether the target is surely out of reach
    violations: dict    # {joint: by how much [rad or m] the first leaves its limits}, as far as they are a reason
    lost: np.ndarray    # (m, nq) of the singular ones outside the limits: others of their families may be inside
    lost_indices: tuple


def branched(found, seconds):
    """IkResult of Branches inside the limits; numeric where the first is only near."""
    like = FORMULA_RESULTS if found.sharp else SOLVER_RESULTS
    return like[found.singular[0]]._replace(
        q=found.first, residual_position=found.position, residual_rotation=found.rotation, solutions=found.q,
        indices=found.indices, singular=found.singular, time=seconds, arm_angles=found.arm_angles)


def cut_short(result, done):
    """IkResult of a search for all solutions that time ended; done: in words, after what."""
    return result._replace(message=f"time ended after {done}: there may be more solutions; give more time")


class IkBatch(NamedTuple):
    """Answers to N targets, what IkResult tells of q in arrays."""

    success: np.ndarray                 # (N,) bool
    reasons: np.ndarray                 # (N,) str
    q: np.ndarray                       # (N, nq)
    residual_position: np.ndarray       # (N,) [m]
    residual_rotation: np.ndarray       # (N,) [rad]
    indices: np.ndarray                 # (N,) mappings
    distance: np.ndarray                # (N,) [m]
    violations: np.ndarray              # (N,) mappings
    iterations: np.ndarray              # (N,)
    restarts: np.ndarray                # (N,)
    time: np.ndarray                    # (N,) [s]
    messages: np.ndarray                # (N,) str
    method: np.ndarray                  # (N,) str

    def __bool__(self):
        raise RdynError("a batch has an answer for each row; ask success.all() or success.any()")

    def __str__(self):
        """One line for people; repr has every field."""
        times = Counter(self.reasons.tolist())
        told = ", ".join(f"{reason} {count}" for reason, count in times.most_common())
        return f"{np.count_nonzero(self.success)} of {len(self.success)} solved{': ' * bool(told)}{told}"

    def __reduce__(self):
        plain = self._replace(indices=objects(map(dict, self.indices)), violations=objects(map(dict, self.violations)))
        return type(self)._make, (tuple(plain),)


def objects(some):
    """Array (N,) of any objects."""
    some = list(some)
    array = np.empty(len(some), dtype=object)
    array[:] = some
    return array
