"""Solvers for frames of a robot, made once per set of options."""
from functools import cached_property
from math import pi

import numpy as np

from ..kernels import background
from .geometry import Geometry
from .kept import Kept
from .options import DEFAULT, EVEN, OF_SOLVERS
from .result import FORMULA_RESULTS, SOLVER_RESULTS, Branches
from .turns import next_to

try:
    from ._solve import CONSTANTS, Solver
except ImportError:             # no C extension was built: SciPy answers, a thousand times slower
    Solver = None

ALL_LIMITS, SLIDES, NO_LIMITS = range(3)    # which limits a solver keeps: all, those of slides, none
CODES = "kinematics", "block", "formula", "arm_angle"
IMPATIENT, LASTING, PATIENT = (4, 60), (12, 100), (300, 300)    # slow iterations in a row, and all, of a start


class Problem(Geometry):
    """A geometry with the solvers that were made for it."""

    def __init__(self, model, frames):
        super().__init__(model, frames)
        self._solvers, self._ranks, self._factors, self._known = Kept(), Kept(), Kept(), {}
        self.usual, self.prepared = None, False

    @property
    def ready(self):
        """Whether all machine code is there, and a solver that tells what needs no search."""
        return self.usual is not None

    def solver(self, options, limits=ALL_LIMITS, patience=IMPATIENT):
        """Solver of these frames under IkOptions; on request with fewer limits, or more patience."""
        key = options[:OF_SOLVERS], limits, patience
        return self._solvers.used(key) or self._solvers.keep(key, self._make(options, limits, patience))

    def make_usual(self):
        """Makes the solver of requests without options, and so the machine code, once."""
        if self.usual is None:
            self.usual = self.solver(DEFAULT.at_first)

    def solver_if_made(self, options):
        """Solver under IkOptions that was made before, or None."""
        return self._solvers.used((options[:OF_SOLVERS], ALL_LIMITS, IMPATIENT))

    def make_solver_soon(self, options):
        """Makes the solver under IkOptions in the background, once however often it is asked for."""
        background.submit(lambda: self.solver(options), (self, options[:OF_SOLVERS]))

    def _make(self, options, limits, patience):
        (lower, upper), (posture, pull) = self._boxes[limits], self._posture(options)
        weight, asked = self._weights(options), dict(options.indices).items()
        task, bounded = (options.axis, *weight), limits == ALL_LIMITS and options.weights is None
        solver = self._kind(
            **self._common, weight=np.array(weight), axis=np.array((options.axis or (0.0,) * 3) * len(self.frames)),
            labels=self.indices if not asked else tuple(
                [named if asked <= named.items() else None for named in self.indices]),
            lower=lower, upper=upper, reach=self.reach if bounded else self._endless, tolerance=options.tolerance,
            posture=posture, pull=pull, most_restarts=options.max_restarts, patience=patience,
            known=self._known.get(limits), factors=self._factors.used((limits, *weight)), rank=self._ranks.used(task))
        self._known[limits] = solver.known          # 256 poses, the same under all options
        self._factors.keep((limits, *weight), solver.factors)
        self._ranks.keep(task, solver.rank)
        return solver

    @cached_property
    def _boxes(self):
        """(lower, upper) of the unknowns under ALL_LIMITS, SLIDES and NO_LIMITS."""
        return [(np.where(held, self.lower, -np.inf), np.where(held, self.upper, np.inf))
                for held in (True, np.array(self.unknowns.slides, dtype=bool), False)]

    @cached_property
    def _common(self):
        """Arguments of solvers that are the same under all options, the machine code among them."""
        form, of = self.closed_form, self.unknowns
        codes = {"kinematics": self.kinematics.compile()}
        if form is not None:
            codes |= {"block": self.kinematics.compile("block"), "formula": self.formula.compile("batch")}
        if self.arm is not None:
            codes["arm_angle"] = self.arm_angle.compile()
        same = {"nq": self.model.nq, "unknown": of.positions, "turns": of.turns, "slides": of.slides,
                "spans": np.array(of.spans), "rest": self.rest, "names": tuple([name for name, *_ in self.joints]),
                "floating": self.model.floating_base, "exact_form": form is not None and self.exact_form,
                "signs": np.array([] if form is None else form.signs, dtype=float)}
        if Solver is None or None in codes.values() or not self._fits:
            return {"kinematics": self.kinematics, "formula": form and self.formula,
                    "arm_angle": self.arm and self.arm_angle, **same}
        return {"owner": codes, "results": SOLVER_RESULTS, "by_formula": FORMULA_RESULTS, "told": Branches, **same,
                **{name: codes[name].address if name in codes else 0 for name in CODES}}

    @cached_property
    def block_address(self):
        """Where the machine code lies that gives kinematics of LANES states, lane by lane; 0 when there is none."""
        code = self.kinematics.compile("block")
        return code.address if code else 0

    @property
    def _kind(self):
        """The solver in C or, without its arguments, that of SciPy."""
        if "owner" in self._common:
            return Solver
        from .scipy_solver import Solver as ScipySolver  # SciPy takes a third of a second to import
        return ScipySolver

    @cached_property
    def _endless(self):
        """Spheres (k, 4) that contain everything."""
        return np.tile([0.0, 0.0, 0.0, np.inf], (len(self.frames), 1))

    @property
    def _fits(self):
        """Whether the solver in C has room for it."""
        return (self.model.nq <= CONSTANTS["MOST_COORDINATES"] and len(self.lower) <= CONSTANTS["MOST_UNKNOWNS"]
                and len(self.frames) <= CONSTANTS["MOST_TIPS"])

    def _weights(self, options):
        """Weights (6 k,) of all frames, one after the other, the largest 1."""
        even = (1.0,) * 3 + (self.radian,) * 3
        weights = [one if w == EVEN else w
                   for frame in self.frames for w, one in zip(options.weights_of(frame), even, strict=True)]
        largest = max(weights)
        return [w / largest for w in weights]

    def _posture(self, options):
        """(posture (nq,), pull (n,)): every joint equally towards a posture, or by its range towards the middle.

        A posture that is outside the limits by whole turns is one inside.
        """
        if options.posture is None:
            return None, None
        if options.posture == "centre":
            return self.rest, self._to_centre
        posture = np.array(options.posture)
        if not self._settled(options.posture):
            at = list(self.unknowns.positions)
            posture[at] = next_to(posture[at], self.rest[at], self.lower, self.upper, self.unknowns.turns)
        return posture, np.full(len(self.lower), 0.5)

    def _settled(self, posture):
        """Whether it is inside the limits, and no other turn is nearer to the middle: as most are, seen at once."""
        rest = self.rest.tolist()
        return all(low <= posture[k] <= high and abs(posture[k] - rest[k]) < pi for _, _, k, low, high in self.joints)

    @cached_property
    def _to_centre(self):
        """Pull (n,) towards the middle of the limits, by the range of each joint."""
        span = self.upper - self.lower
        finite = np.isfinite(span) & (span > 0.0)
        shortest = span[finite].min(initial=np.inf)
        return 0.5 * (np.divide(shortest, span, where=finite, out=np.zeros_like(span))) ** 2
