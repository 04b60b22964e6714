"""What may be asked of inverse kinematics, checked once."""
from collections.abc import Mapping
from difflib import get_close_matches
from math import hypot, isfinite
from operator import index
from typing import NamedTuple

import numpy as np

from ..boundary import choice
from ..errors import RdynError
from .targets import real_numbers

EVEN = -1.0                 # a weight that was not given: metres count 1, radians by the size of the arm
FINEST = 1e-12              # [m], [rad] the least tolerance
MOST_RESTARTS = 10**12
STARTS = 100                # before a pose is suspected to be impossible
METHODS = ("auto", "closed_form", "numeric")
INDICES = ("ks", "ke", "kw")
NUMBERS = frozenset((float, int))
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class IkOptions(NamedTuple):
    """Options of one request; hashable, so that solvers are made once per set of options."""

    position_only: bool = False
    axis: tuple | None = None           # of the frame; only its direction is asked for, turning about it is free
    weights: tuple | None = None        # (x y z rx ry rz) in base axes, 0 leaves free; or ((frame, weights), ...)
    posture: tuple | str | None = None  # (nq,) or "centre": where free motion should go
    tolerance: tuple = (1e-6, 1e-6)     # [m], [rad]
    max_restarts: int = 1000
    indices: tuple = ()                 # (("ks", 1), ...)
    method: str = "auto"                # from here on one solver serves all
    arm_angle: float | None = None      # [rad] of a seven-axis arm
    timeout: float = 0.05               # [s]

    @property
    def at_first(self):
        """The same for the starts before a pose is suspected to be impossible."""
        return self.even._replace(max_restarts=min(STARTS, self.max_restarts))

    @property
    def even(self):
        """The same with all weights above 0 as when none are given: what can be reached does not depend on them."""
        if self.weights is None:
            return self
        by_frame = self.per_frame
        if all(self.weights) if by_frame is None else all(map(all, by_frame.values())):
            return self._replace(weights=None)
        if by_frame is None:
            return self._replace(weights=_level(self.weights))
        return self._replace(weights=tuple([(frame, _level(weights)) for frame, weights in by_frame.items()]))

    @property
    def plain(self):
        """Whether nothing is asked beyond a pose or a position, as the closed forms answer."""
        return self.axis is None and self.weights is None and self.posture is None

    @property
    def branch_asked(self):
        """In words, which options ask for a branch of a closed form; "" when none does."""
        return " and ".join(["indices"] * bool(self.indices) + ["arm_angle"] * (self.arm_angle is not None))

    @property
    def per_frame(self):
        """{frame: weights}, or None when one set of weights holds for all."""
        return dict(self.weights) if self.weights and isinstance(self.weights[0], tuple) else None

    def given_weights(self, frame):
        """Weights (6,) of a frame as they were given, or those that hold when none were."""
        by_frame = self.per_frame
        return (self.weights if by_frame is None else by_frame.get(frame)) or (EVEN,) * 6

    def weights_of(self, frame):
        """Weights (6,) of a frame as they count; with an axis the last three: two directions across it, itself."""
        weights = self.given_weights(frame)
        if self.position_only:
            return weights[:3] + (0.0,) * 3
        return weights if self.axis is None else (*weights[:5], 0.0)

    def check_frames(self, frames):
        """RdynError when weights, axis and position_only do not go together for these frames."""
        if self.weights is None and self.axis is None:
            return
        by_frame = self.per_frame
        if by_frame and not by_frame.keys() <= {*frames}:
            without = [name for name in by_frame if name not in frames]
            raise RdynError(f"weights for {', '.join(without)}, which has no target; targets are for "
                            f"{', '.join(frames)}")
        if self.position_only and (nothing := [frame for frame in frames if not any(self.weights_of(frame))]):
            raise RdynError(f"position_only and weights that are 0 for x y z leave nothing to reach of {nothing[0]}; "
                            "give one of x y z a weight")
        if self.axis is None:
            return
        turns = {self.given_weights(frame)[3:] for frame in frames}
        if any(len(set(turn)) > 1 for turn in turns) or not any(map(any, turns)):
            raise RdynError(f"axis and the weights {' and '.join(map(str, turns))} for rx ry rz were given; an axis "
                            "has one weight above 0, give it to all three")


def _level(weights):
    """Weights (6,) above 0 as when none are given."""
    return tuple([EVEN if w else 0.0 for w in weights])


DEFAULT = IkOptions()
OF_SOLVERS = IkOptions._fields.index("method")          # so many, the first, make another solver


def options(model, given):
    """IkOptions of keyword arguments; RdynError names what is wrong."""
    if not _CHECKS.keys() >= given.keys():
        unknown = given.keys() - _CHECKS.keys()
        near = [name for each in unknown for name in get_close_matches(each, _CHECKS, 1)]
        raise RdynError(f"ik has no option {', '.join(sorted(unknown))}; {'near names: ' * bool(near)}{', '.join(near)}"
                        f"{'; ' * bool(near)}there are frame, "
                        "seed (of ik_batch its name is seeds, ik_prepare has none), "
                        f"{', '.join(IkOptions._fields)}")
    checked = IkOptions(**{name: _CHECKS[name](model, name, value) for name, value in given.items()
                           if value is not None})
    if checked.position_only and checked.axis is not None:
        raise RdynError("position_only and axis were given; choose one")
    return checked


def _numbers(name, value, size):
    numbers = _plain(value)
    if numbers is None or len(numbers) != size:
        shape = np.shape(value) if type(value) is np.ndarray else ()
        raise RdynError(f"{name} must be {size} finite numbers{', x y z rx ry rz' * (name == 'weights')}; got "
                        + (f"an array of shape {shape}: one for all" if len(shape) > 1 else f"{value!r}"))
    return numbers


def _plain(value):
    """Finite numbers (n,) as floats; None when it is something else."""
    if type(value) is np.ndarray and value.dtype.kind in "fiu":
        value = value.tolist()
    try:
        if not (type(value) in (list, tuple) and NUMBERS.issuperset(map(type, value))):     # ten times as fast
            array = real_numbers(value)
            value = array.tolist() if array.ndim == 1 else None
        numbers = tuple(map(float, value))
        return numbers if all(map(isfinite, numbers)) else None
    except (TypeError, ValueError, OverflowError):
        return None


def _number(model, name, value):
    if isinstance(value, float) and isfinite(value):
        return float(value)
    refused = RdynError(f"{name} must be a finite number; got {value!r}")
    if isinstance(value, bool | np.bool_):
        raise refused
    try:
        return _numbers(name, [value], 1)[0]
    except RdynError:
        raise refused from None


def _axis(model, name, value):
    if isinstance(value, str):
        if value not in AXES:
            raise RdynError(f"axis is {value!r}; allowed are 'x', 'y', 'z' or three numbers, such as (0, 0, -1)")
        return AXES[value]
    if isinstance(value, Mapping):
        raise RdynError(f"axis is {value!r}; one axis holds for all frames: give 'x', 'y', 'z' or three numbers, and "
                        "weights by frame to free single ones")
    try:
        a = _numbers(name, value, 3)
    except RdynError as error:
        raise RdynError(f"{error}; allowed are also 'x', 'y', 'z'") from None
    if not any(a):
        raise RdynError("axis is 0 0 0; give a direction in the frame's axes, or 'x', 'y', 'z'")
    largest = max(map(abs, a))
    a = [x / largest for x in a]        # whose length is a number
    length = hypot(*a)
    return tuple([x / length for x in a])


def _weights(model, name, value):
    if isinstance(value, Mapping):
        if not value:
            raise RdynError("weights is {}; give {frame: (x, y, z, rx, ry, rz)} for at least one frame")
        frames = {model.frame(frame).name: _six(name, of) for frame, of in value.items()}
        if len(frames) < len(value):
            raise RdynError(f"weights for {', '.join(map(str, value))} name a frame twice; None is "
                            f"{model.frame().name}")
        return tuple(sorted(frames.items()))
    return _six(name, value)


def _six(name, value):
    weights = _numbers(name, value, 6)
    if min(weights) < 0.0 or not any(weights):
        raise RdynError(f"weights must be x y z rx ry rz, none below 0 and not all 0; got {value!r}")
    return weights


def _posture(model, name, value):
    if isinstance(value, str) and value != "centre":
        raise RdynError(f"posture is {value!r}; allowed are 'centre' or positions ({model.nq},)")
    return value if isinstance(value, str) else _numbers(name, value, model.nq)


def _tolerance(model, name, value):
    try:
        pair = (value, value) if type(value) is float and isfinite(value) else _numbers(
            name, value if isinstance(value, list | tuple) or np.ndim(value) else [value, value], 2)
    except RdynError:
        raise RdynError(f"tolerance must be a finite number, for m and rad, or two; got {value!r}") from None
    if min(pair) < FINEST:
        raise RdynError(f"tolerance must be at least {FINEST:g}, in m and rad: rounding allows no less; got {value!r}")
    return pair


def _timeout(model, name, value):
    seconds = _number(model, name, value)
    if seconds <= 0.0:
        raise RdynError(f"timeout must be above 0 s; got {value!r}")
    return seconds


def _count(model, name, value):
    try:
        number = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= MOST_RESTARTS:
        raise RdynError(f"{name} must be a whole number from 0 to {MOST_RESTARTS:g}; got {value!r}")
    return number


def _flag(model, name, value):
    return choice(name, value, (True, False))


def _indices(model, name, value):
    try:
        named = dict(value).items()
    except (TypeError, ValueError):
        raise RdynError("indices must be a dict of 'ks', 'ke', 'kw' (shoulder, elbow, wrist) with 1 or -1 each, such "
                        f"as {{'ks': 1, 'ke': -1, 'kw': 1}}; got {value!r}") from None
    return tuple(sorted((choice("index", key, INDICES), 1 if choice(f"{key} of indices", sign, (1, -1)) == 1 else -1)
                        for key, sign in named))


_CHECKS = {
    "position_only": _flag, "axis": _axis, "weights": _weights, "posture": _posture, "tolerance": _tolerance,
    "timeout": _timeout, "max_restarts": _count, "indices": _indices,
    "method": lambda model, name, value: choice(name, value, METHODS),
    "arm_angle": _number,
}
