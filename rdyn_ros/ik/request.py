"""What stays the same from target to target: frames, options and the solver made for them."""
from typing import Any, NamedTuple

from ..errors import RdynError
from ..kernels import background
from .clock import Clock, search_time
from .failure import Failure, only_outside, timeout
from .kept import Kept, key_of
from .options import DEFAULT, IkOptions, options
from .problem import Problem
from .targets import in_order


class Request(NamedTuple):
    """Everything that stays the same from target to target."""

    geometry: Problem
    asked: tuple        # names of its frames as they were given
    options: IkOptions
    at_first: IkOptions     # for the starts before a pose is suspected to be impossible
    by_formula: bool
    solver: Any         # None when there was no time to make it
    seconds: float      # for the search
    any_arm_angle: bool     # whether none was asked for
    any_solution: bool      # whether no branch was asked for
    round_the_arm: bool     # whether the arm angle of a seven-axis arm may be chosen
    late: Failure | None    # what is told when time is up; without a solver something else
    outside: str            # and of joints outside their limits, when there is no time to name them


class Requests:
    """Requests of one model, made once per frames and options."""

    def __init__(self, model):
        self.model = model
        self._geometries, self._requests = Kept(), Kept()

    def frames(self, given):
        """Names of frames given by name or None, in order and each once."""
        names = tuple([self.model.frame(name).name for name in in_order(self.model, given)])
        if len(names) > 1 and len(set(names)) < len(names):
            raise RdynError(f"{', '.join(map(str, given))} name a frame twice; give each once (None is "
                            f"{self.model.frame().name})")
        return names

    def read(self, frames, given):
        """IkOptions for frames, by name, of options by name; RdynError when they do not go together."""
        chosen = options(self.model, given) if given else DEFAULT
        chosen.check_frames(frames)
        return chosen

    def geometry(self, frames):
        """Problem of frames, by name."""
        known = self._geometries.used(frames)
        if known is None:
            known = self._geometries.setdefault(frames, Problem(self.model, frames))   # another thread's, if first
            self._geometries.trim()
        return known

    def prepare(self, frames):
        """Makes the machine code for frames, by name, and the solver of requests without options."""
        self.geometry(frames).make_usual()

    def request(self, frame, given, several=False):
        """Request for a frame, or a tuple of several, under options given by name."""
        known, key = self.known(frame, given, several)
        return known or self.made(frame, given, key, several)

    def known(self, frame, given, several=False):
        """(the request if it was made before, else None; the key to keep it by, None if it cannot be kept)."""
        try:
            key = key_of(frame, given, several)
            return self._requests.used(key), key
        except (TypeError, ValueError):                 # frames or options of a kind of their own: made anew each time
            return None, None

    def made(self, frame, given, key, several=False, begin=None):
        """A new request; None when its timeout, counted from `begin` [s], ends before its machine code is there.

        When only its solver is not there in time, the request has none, and the next of its kind is begun with.
        """
        asked = in_order(self.model, frame) if several else (frame,)
        frames = asked if several and asked in self._geometries else self.frames(asked)
        chosen = self.read(frames, given)
        clock, geometry = None if begin is None else Clock(begin, chosen.timeout), self._geometries.used(frames)
        if geometry is None or not geometry.ready:
            if clock and not background.within(clock.left, lambda: self.prepare(frames)):
                return None
            geometry = self.geometry(frames)
            geometry.make_usual()                       # those that have no time for a solver need it
        by_formula = self._by_formula(geometry, chosen)
        at_first = chosen.at_first
        solver = geometry.solver_if_made(at_first)
        if solver is None and (clock is None or clock.young):
            solver = geometry.solver(at_first)
        free = chosen.arm_angle is None
        made = Request(geometry, asked, chosen, at_first, by_formula, solver, search_time(chosen.timeout), free,
                       free and not chosen.indices, free and geometry.arm is not None, solver and timeout(chosen),
                       only_outside(", as violations tells", chosen))
        if solver is not None and key is not None:
            self._requests.keep(key, made)
        return made

    @staticmethod
    def _by_formula(geometry, chosen):
        """Whether a closed form answers; RdynError when it cannot, and is asked for."""
        form = geometry.closed_form if chosen.method != "numeric" and chosen.plain else None
        if chosen.position_only and form is not None and not form.places_only:
            form = None
        if chosen.method == "closed_form" or chosen.indices or chosen.arm_angle is not None:
            _check_form(geometry, chosen, form)
        return form is not None


def _check_form(geometry, chosen, form):
    """RdynError when a ClosedForm, or none, cannot answer what only closed forms do."""
    robot = geometry.model.name
    if form is None:
        asked = " and ".join(["method 'closed_form'"] * (chosen.method == "closed_form")
                             + [chosen.branch_asked] * bool(chosen.branch_asked))
        if geometry.closed_form is None:
            raise RdynError(f"{asked} given; {robot} to {' and '.join(geometry.frames)} has no closed form: ask "
                            f"without {asked}")
        others = [name for name in ("axis", "weights", "posture") if getattr(chosen, name)]
        others += ["method 'numeric'"] * (chosen.method == "numeric")
        others += ["position_only"] * (chosen.position_only and not geometry.closed_form.places_only)
        raise RdynError(f"{asked} and {' and '.join(others)} given; closed forms do not answer that together: ask "
                        f"without {asked}, or without {' and '.join(others)}")
    if form.arm is None and chosen.arm_angle is not None:
        raise RdynError(f"arm_angle {chosen.arm_angle:g} given; only seven-axis arms with spherical shoulder and "
                        f"wrist have one, {robot} is of the kind '{form.kind}'")
    if dict(chosen.indices).keys() - set(form.names):
        raise RdynError(f"indices {dict(chosen.indices)} given; {form.kind} has {', '.join(form.names) or 'none'}")
