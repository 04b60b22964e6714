"""How far two answers are apart."""
import numpy as np


def error(value, reference, floor=1e-6):
    """Largest difference relative to the largest entry of the reference, which counts as at least `floor`."""
    value, reference = np.asarray(value), np.asarray(reference)
    assert value.shape == reference.shape, f"shapes {value.shape} and {reference.shape}"
    if not reference.size:
        return 0.0
    return float(abs(value - reference).max() / max(abs(reference).max(), floor))
