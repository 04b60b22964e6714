"""Inverse kinematics of a robot: closed form where its geometry has one, numeric for all else, one result."""
from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from time import perf_counter

import numpy as np

from ..boundary import position
from .batch import solve_batch
from .by_formula import branches, every_branch, round_the_arm
from .failure import failed, unprepared
from .geometry import near_zero
from .numeric import many, search, too_late
from .options import DEFAULT
from .request import Requests
from .targets import check_frames, read_targets

SCARCE, ENOUGH = {"timeout": 1e-6}, {"timeout": DEFAULT.timeout}     # [s]
CENTRED = {"posture": "centre"}     # of other solvers the one that needs most to be made


class InverseKinematics(Requests):
    """Inverse kinematics of one model."""

    def preparing(self, frames, given):
        """A function that makes all that requests for frames, by name, under options need; RdynError for bad ones."""
        self.read(frames, given)
        return partial(self.prepare, frames, deepcopy(given))

    def prepare(self, frames, given=None):
        """Makes all that requests for frames, by name, need, once: the machine code, then all else by requests."""
        geometry = self.geometry(frames)
        if not geometry.prepared:
            super().prepare(frames)
            self._rehearse(geometry)
            geometry.prepared = True
        if given:
            self.solve(dict(zip(frames, geometry.far, strict=True)), None, None, given | ENOUGH)

    def _rehearse(self, geometry):
        """Requests with time, then without, whose solver is there or not, in reach or not."""
        far, near = (dict(zip(geometry.frames, poses, strict=True)) for poses in (geometry.far, geometry.near))
        weighed = {"weights": dict.fromkeys(geometry.frames, (1.0,) * 6)}
        self.solve(far, None, None, ENOUGH)
        self.solve(near, None, None, ENOUGH, every=True)
        for given in (SCARCE, SCARCE | weighed, SCARCE | CENTRED):
            for target in (far, near):
                self.solve(target, None, None, given)
        self.solve(far, None, None, ENOUGH | CENTRED)

    def solve_batch(self, targets, frame, seeds, given):
        """IkBatch of targets (N, 4, 4) of a frame, or {frame: targets} for several."""
        return solve_batch(self, targets, frame, seeds, given)

    def solve(self, target, frame, seed, given, every=False):
        """IkResult under options {name: value}: one solution, or every one that is found.

        One is that of a closed form next to the seed, or the first that a search meets, from the seed on. Every one is
        all branches of a closed form within limits, of a seven-axis arm at several arm angles, or the distinct ends of
        many starts.
        """
        begin, asked = perf_counter(), frame
        several = type(target) is dict or (type(target) is not np.ndarray and isinstance(target, Mapping))
        if several:
            check_frames(target, frame, "pose")
            asked = tuple(target)
        request, key = self.known(asked, given, several)
        if request is None:
            timed = given.get("timeout") is not None
            request = self.made(asked, given, key, several, begin if timed else None)
            if request is None:
                return self._unprepared(target, frame, seed, given["timeout"], begin)
            begin = begin if timed else perf_counter()                          # who names no time waits
        method = self._method(request, every)
        if seed is None:
            seed = request.geometry.rest
        elif type(seed) is not np.ndarray:
            seed = position(self.model, "seed", seed)
        try:                                            # arrays that need no conversion go straight to the solver
            poses = tuple([target[name] for name in request.asked]) if several else (target,)
            return method(request, poses if len(poses) > 1 else poses[0], seed, begin)
        except (TypeError, ValueError, IndexError):
            _, targets = read_targets(self.model, target, frame)
            seed = seed if seed is request.geometry.rest else position(self.model, "seed", seed)
            return method(request, targets, seed, begin)

    @staticmethod
    def _method(request, every):
        """What answers a request, for one solution or every one."""
        if request.solver is None:
            return too_late
        if not request.by_formula:
            return many if every else search
        if not every:
            return branches
        return round_the_arm if request.round_the_arm else every_branch

    def _unprepared(self, target, frame, seed, budget, begin):
        """IkResult of a first request that may not wait until there is machine code."""
        frames, _ = read_targets(self.model, target, frame)
        q = near_zero(self.model) if seed is None else position(self.model, "seed", seed)
        return failed(unprepared(frames, budget), q, np.inf, np.inf, begin)
