"""The algorithms as machine code: traced on symbols, compiled by LLVM, cached on disk, called without copying."""
from .functions import FUNCTIONS, Function
from .kernel import Kernel
from .rows import over_batch

__all__ = ["FUNCTIONS", "Function", "Kernel", "over_batch"]
