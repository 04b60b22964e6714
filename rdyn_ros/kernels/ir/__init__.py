"""Programs as LLVM IR text: `single` for one state, `batch` for many, `block` for LANES that lie in lanes.

    int64 single(const double **in, double **out)               returns 0 when none is too large: the inputs,
                                                                and the outputs of a program that divides
    int64 batch(const double **in, double **out, int64 n)       arrays of n rows each
    int64 block(const double **in, double **out)                arrays of vectors; returns 0

No fast-math but the fusing of a product with the sum that takes it, so that what is not a number stays so.
"""
from .batch import batch
from .block import LANES, block
from .single import single

__all__ = ["LANES", "batch", "block", "single"]
