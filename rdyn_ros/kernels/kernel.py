"""One algorithm on one robot, as machine code once that is made.

The first call starts the making in the background and is answered by the plain algorithm; so is every call
until the code is there. A batch of more than a few rows waits for the code, because that is the shorter wait.
What is too long to be compiled is left to a stand-in, the plain algorithm unless somebody knows better.
"""
import ctypes
import functools
import logging
import warnings
import weakref

import numpy as np

from . import background, cache
from .rows import over_batch

try:
    from ._call import Call
except ImportError:         # no C extension was built: ctypes calls the same code, a few µs slower
    Call = None

MOST_INPUTS = 8                 # that the C extension takes
FEW = 8                         # rows of a batch that need not wait for machine code
MOST_INSTRUCTIONS = 150_000     # some ten seconds and 150 MB of compiling
_PROTOTYPE = {"single": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p),
              "block": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p),
              "batch": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)}


@functools.cache
def warn_of_missing_extensions():
    """Says once what their lack costs, and what to do."""
    warnings.warn("rdyn_ros runs without its C extensions: a call takes tens of µs instead of 0.2 µs, and inverse "
                  "kinematics a thousand times as long, for which the usual timeout may be too short; install a C "
                  "compiler, then 'pip install .' again or, where rdyn_ros is imported from its sources, 'python "
                  "setup.py build_ext --inplace'", RuntimeWarning, stacklevel=2)


class Code:
    """Machine code of one kind in memory: its address, its function for ctypes, the shapes of its results."""

    def __init__(self, kind, shapes, object_file):
        from .machine import Loaded
        self._loaded = Loaded(object_file)
        self.address = self._loaded.address(kind)
        self.shapes = shapes
        self.function = _PROTOTYPE[kind](self.address)


class Kernel:
    """algorithm(model, *vectors, *options), called with float64 vectors (size,), or (N, size) for a batch."""

    def __init__(self, model, algorithm, sizes, options=()):
        self.model, self.algorithm, self.sizes, self.options = model, algorithm, tuple(sizes), tuple(options)
        self.stand_in = self.plain      # answers where there will be no code
        self.refused = ""               # why there is none
        self._code, self._asked, self._doors = {}, set(), []
        self._call = self.door(self.run)

    def __call__(self, *vectors):
        """Result of the algorithm: an array, or a tuple of arrays."""
        return self._call(*vectors)

    def door(self, otherwise):
        """A callable that runs the machine code on plain arrays, and otherwise(*arguments) on all else."""
        if Call is None:
            warn_of_missing_extensions()
        if Call is None or len(self.sizes) > MOST_INPUTS:
            return otherwise
        call = Call(self.sizes, otherwise, self.model.floating_base and self.sizes[0] == self.model.nq)
        self._doors.append(call)
        for kind, code in list(self._code.items()):
            self._open(call, kind, code)
        return call

    def run(self, *vectors):
        """The result by whatever is there, whether it is finite or not."""
        count = next((len(v) for v in vectors if v.ndim == 2), None)
        kind = "single" if count is None else "batch"
        if kind not in self._code:
            if count is None or count <= FEW:
                self.begin(kind)
                return self.plain(*vectors)
            self._attempt(kind)
        code = self._code[kind]
        return self.stand_in(*vectors) if code is None else _run(code, vectors, count)

    def plain(self, *vectors):
        """The result of the algorithm itself, row by row."""
        with np.errstate(all="ignore"):         # as the machine code: what is not finite is seen in the result
            return over_batch(lambda *row: self.algorithm(self.model, *row, *self.options), *vectors)

    def begin(self, kind):
        """Asks for machine code and does not wait for it."""
        if kind not in self._asked:
            self._asked.add(kind)
            attempt = weakref.WeakMethod(self._attempt)
            background.submit(lambda: (method := attempt()) and method(kind))       # not for a robot that is gone

    def _attempt(self, kind):
        log, name = logging.getLogger(__name__), self.algorithm.__name__
        try:
            if self.compile(kind) is None:
                log.warning("%s: no machine code for %s: %s", self.model.name, name, self.refused)
        except Exception:           # the plain algorithm goes on answering; say so once
            log.exception("no machine code for %s", name)
            self._code[kind] = None

    def compile(self, kind="single"):
        """Code for one state ("single"), many ("batch") or a block in lanes ("block"); None when it was refused.

        Made, or read from disk.
        """
        if kind not in self._code:              # else there is nothing to wait for
            with background.COMPILING:
                if kind not in self._code:
                    code = self._make(kind)
                    self._code[kind] = code     # first: a door that is made meanwhile is opened here or there
                    for call in list(self._doors):
                        self._open(call, kind, code)
        return self._code[kind]

    def trace(self):
        """Straight-line program of the algorithm."""
        from .regroup import TORQUES, regrouped
        from .trace import trace
        model = regrouped(self.model) if self.algorithm in TORQUES else self.model
        return trace(lambda *arguments: self.algorithm(*arguments, *self.options), model, self.sizes)

    def _make(self, kind):
        from . import machine
        algorithm = f"{self.algorithm.__module__}.{self.algorithm.__name__}"
        name = cache.key(self.model.key, algorithm, self.options, kind, machine.cpu())
        stored = cache.load(name)
        if stored is None:
            from . import ir
            from .symbol import TooLongError
            facts, code = {"shapes": (), "refused": ""}, b""
            try:
                program = self.trace()
                if len(program.order) > MOST_INSTRUCTIONS:
                    raise TooLongError
                facts["shapes"] = program.shapes
                code = machine.object_code(getattr(ir, kind)(program, machine.lanes()))
            except TooLongError:
                facts["refused"] = f"more than {MOST_INSTRUCTIONS:,} operations, it answers slowly"
            except ZeroDivisionError:           # called, the algorithm will say so itself
                facts["refused"] = "it divides by zero at every state"
            cache.save(name, facts, code)
        else:
            facts, code = stored
        self.refused = facts["refused"]
        return Code(kind, tuple(map(tuple, facts["shapes"])), code) if code else None

    @staticmethod
    def _open(call, kind, code):
        if code is not None and kind != "block":
            call.install(kind, code.address, code.shapes, code)


def _run(code, vectors, count):
    """Calls machine code by ctypes on arrays that are float64 and C-contiguous; count rows, None for one state."""
    lead = () if count is None else (count,)
    if lead:
        vectors = [np.ascontiguousarray(np.broadcast_to(v, (count, v.shape[-1]))) for v in vectors]
    results = [np.empty(lead + shape) for shape in code.shapes]
    pointers = [(ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
                for arrays in (vectors, results)]
    if count != 0:
        code.function(*pointers, *lead)
    if len(results) > 1:
        return tuple(results)
    return results[0] if results[0].ndim else float(results[0])
