"""How long it takes to make machine code with an empty cache: tracing, LLVM, loading; seconds of one core."""
import os
import tempfile
from time import thread_time
from unittest.mock import patch

from rdyn_ros.kernels import Kernels

from .robots import ours
from .row import Row

TITLE = "Compilation"
SIMPLE = ("inverse_dynamics", "gravity_torque", "mass_matrix", "fk", "jacobian", "forward_dynamics")
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
TARGETS = {"Panda": 0.2, "Talos": 1.0}      # [s]
DERIVATIVES_TARGET = 5.0


def rows():
    """Each function once, on an arm of 7 and a humanoid of 32 joints."""
    for name, limit in TARGETS.items():
        for function in SIMPLE + DERIVATIVES:
            target = DERIVATIVES_TARGET if function in DERIVATIVES else limit
            taken = seconds(ours(name).model, function)
            yield Row(f"{function}, {name}", taken, "s", target=target)
    taken = seconds(ours("Panda").model, "inverse_dynamics", "batch")
    yield Row("inverse_dynamics, Panda, batch", taken, "s", target=TARGETS["Panda"])


def seconds(model, function, kind="single"):
    """Time of the compiling thread for one function."""
    kernel = Kernels(model).public[function]
    with tempfile.TemporaryDirectory() as empty, patch.dict(os.environ, XDG_CACHE_HOME=empty):
        start = thread_time()
        kernel.compile(kind)
        return thread_time() - start
