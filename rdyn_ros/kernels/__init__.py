"""The algorithms as machine code: traced on symbols, compiled by LLVM, kept on disk, called without copy."""
from .functions import FUNCTIONS, Function
from .kernel import Kernel
from .kernels import Kernels
from .rows import over_batch

__all__ = ["FUNCTIONS", "Function", "Kernel", "Kernels", "over_batch"]
