"""What stays the same from target to target: frames, options and the solver made for them."""
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..errors import RdynError
from ..kernels import background
from .clock import search_time
from .options import DEFAULT, IkOptions, options
from .problem import Problem

MOST_REQUESTS = 64  # kept ready; options that change all the time must not fill the memory
PLAIN = frozenset((bool, int, float, str, type(None)))


class Request(NamedTuple):
    """Everything that stays the same from target to target."""

    geometry: Problem
    options: IkOptions
    by_formula: bool
    solver: Any
    seconds: float      # for the search

    @property
    def any_arm_angle(self):
        """Whether none was asked for."""
        return self.options.arm_angle is None

    @property
    def any_solution(self):
        """Whether no branch was asked for."""
        return self.any_arm_angle and not self.options.indices

    @property
    def round_the_arm(self):
        """Whether the arm angle of a seven-axis arm may be chosen."""
        return self.any_arm_angle and self.geometry.arm is not None

    def arm_angle(self, seed):
        """The arm angle to try first: the one asked for, else that of the seed; None where there is none."""
        if self.geometry.arm is None or self.options.arm_angle is not None:
            return self.options.arm_angle
        return float(self.geometry.arm_angle(seed)[0])


class Requests:
    """Requests of one model, made once per frames and options."""

    def __init__(self, model):
        self.model = model
        self._geometries, self._requests, self._last = {}, {}, (..., None, None)

    def frames(self, given):
        """Names of frames given by name or None, each once."""
        names = tuple([self.model.frame(name).name for name in given])
        if len(names) > 1 and len(set(names)) < len(names):
            raise RdynError(f"{', '.join(map(str, given))} name a frame twice; None is {self.model.frame().name}")
        return names

    def geometry(self, frames):
        """Problem of frames, by name."""
        known = self._geometries.get(frames)
        if known is None:
            if len(self._geometries) >= MOST_REQUESTS:
                self._geometries.clear()
            known = self._geometries.setdefault(frames, Problem(self.model, frames))   # another thread's, if first
        return known

    def prepare(self, frames):
        """Makes the machine code for frames, by name, and the solver of requests without options."""
        self.geometry(frames).solver(DEFAULT.at_first)

    def request(self, frame, given, several=False):
        """Request for a frame, or a tuple of several, under options given by name."""
        return self.known(frame, given) or self.made(frame, given, several)

    def known(self, frame, given):
        """The request when it was made before, else None."""
        last = self._last                               # read once: other threads may replace it
        try:
            if frame is last[0] and given == last[1] and _alike(given, last[1]):    # twice as fast as to look it up
                return last[2]
            known = self._requests.get((frame, *given.items()) if given else frame)
        except (TypeError, ValueError):                 # options in lists, dicts or arrays
            try:
                known = self._requests.get(frozen((frame, given)))
            except TypeError:
                return None
        if known is None or not _alike(given, known[0]):
            return None
        self._last = frame, *known
        return known[1]

    def made(self, frame, given, several=False, begin=None):
        """A new request; None when its timeout, counted from `begin` [s], ends before its machine code is there."""
        frames = self.frames(frame if several else (frame,))
        chosen = options(self.model, given) if given else DEFAULT
        chosen.check_frames(frames)
        known = self._geometries.get(frames)
        if begin is not None and not (known and known.ready):
            left = begin + search_time(chosen.timeout) - perf_counter()
            if not background.within(left, lambda: self.prepare(frames)):
                return None
        geometry = self.geometry(frames)
        made = Request(geometry, chosen, self._by_formula(geometry, chosen), geometry.solver(chosen.at_first),
                       search_time(chosen.timeout))
        if len(self._requests) >= MOST_REQUESTS:
            self._requests.clear()
        with suppress(TypeError):                       # options of a kind of their own: made anew each time
            self._requests[_key(frame, given)] = {
                name: value if type(value) in PLAIN else deepcopy(value) for name, value in given.items()}, made
        return made

    def _by_formula(self, geometry, chosen):
        form = geometry.closed_form if chosen.method != "numeric" and chosen.plain else None
        if chosen.position_only and form is not None and not form.places_only:
            form = None
        asked = [name for name, given in (("method 'closed_form'", chosen.method == "closed_form"), (
            "indices", chosen.indices), ("arm_angle", chosen.arm_angle is not None)) if given]
        if form is None and asked:
            where, lacks = f"{self.model.name} to {' and '.join(geometry.frames)}", geometry.closed_form is None
            others = ["position_only"] * (chosen.position_only and not (lacks or geometry.closed_form.places_only))
            others += [name for name in ("axis", "weights", "posture") if getattr(chosen, name)]
            others += ["method 'numeric'"] * (chosen.method == "numeric")
            raise RdynError(f"{' and '.join(asked)} can be asked for only of a closed form, and {where} has "
                            + ("none" if lacks else f"one for a whole pose only: ask without {' and '.join(others)}"))
        if form is not None and form.arm is None and chosen.arm_angle is not None:
            raise RdynError(f"arm_angle {chosen.arm_angle:g} given; only seven-axis arms with spherical shoulder and "
                            f"wrist have one, {self.model.name} is of the kind '{form.kind}'")
        if form is not None and dict(chosen.indices).keys() - set(form.names):
            raise RdynError(f"indices {dict(chosen.indices)} given; {form.kind} has {', '.join(form.names) or 'none'}")
        return form is not None


def _alike(given, kept):
    """Whether options that are equal are also of the same types: True, 1 and 1.0 are not all allowed."""
    return not given or all(value is kept[name] or _of_one_type(value, kept[name]) for name, value in given.items())


def _of_one_type(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, Mapping):
        return _alike(a, b)
    return not isinstance(a, list | tuple) or all(map(_of_one_type, a, b))


def _key(frame, given):
    """Under what a request is kept: its frame and options as they are, or as they can be looked up."""
    key = (frame, *given.items()) if given else frame
    try:
        hash(key)
    except TypeError:
        return frozen((frame, given))
    return key


def frozen(value):
    """Options as something that can be looked up: dicts, lists and arrays by what they hold now."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, Mapping):
        return frozenset((key, frozen(of)) for key, of in value.items())
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value
