"""Matrices from blocks: blocks on the same coordinates (mimic joints) add up, all else is exactly zero."""
import numpy as np


def assemble(shape, blocks):
    """Matrix of the given shape from (rows, columns, block) triples; numbers, complex numbers or symbols."""
    blocks = list(blocks)
    total = np.zeros(shape, dtype=np.result_type(float, *(block for _, _, block in blocks)))
    for rows, columns, block in blocks:
        total[rows, columns] = total[rows, columns] + block
    return total
