"""Batches without machine code: row by row."""
import numpy as np

from ..errors import RdynError


def over_batch(function, *arrays):
    """function of the vectors; with a batch axis in some of them, of each row, results stacked first."""
    sizes = [len(array) for array in arrays if array.ndim == 2]
    if not sizes:
        return function(*arrays)
    rows = [function(*(a[k] if a.ndim == 2 else a for a in arrays)) for k in range(sizes[0])]
    if not rows:
        raise RdynError("the batch is empty; give at least one row")
    if isinstance(rows[0], tuple):
        return tuple(np.stack(column) for column in zip(*rows, strict=True))
    return np.stack(rows)
