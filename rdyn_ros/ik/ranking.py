"""Branches at several arm angles, or of several families, as one."""
from itertools import chain

import numpy as np

from .constants import TURN
from .turns import nearest_first


def around(psi, number):
    """So many arm angles all round, psi first, then alternating ever further from it."""
    return [psi + (-1) ** k * ((k + 1) // 2) * TURN / number for k in range(number)]


def together(parts):
    """Branches inside the limits, all sharp but for the very first, as one."""
    _, q, *told = zip(*[part[:5] for part in parts], strict=True)
    indices, singular, arm_angles = (tuple(chain(*each)) for each in told)
    return parts[0]._replace(q=np.concatenate(q), indices=indices, singular=singular, arm_angles=arm_angles)


def by_distance(found, seed, residuals):
    """Branches sorted by the distance to the seed; where the first only came near it stays if it is the first again.

    residuals: position [m] and rotation [rad] by which a q (nq,) misses the target.
    """
    order = nearest_first(found.q, seed)
    others = order[0] > 0                           # are first now, and sharp
    if others and not found.sharp:
        order.remove(0)
    indices, singular, arm_angles = (tuple([told[k] for k in order]) if told else told
                                     for told in (found.indices, found.singular, found.arm_angles))
    first = found.q[order[0]].copy()
    position, rotation = residuals(first)
    return found._replace(excess=0.0, q=found.q[order], indices=indices, singular=singular, arm_angles=arm_angles,
                          first=first, violations={}, position=position, rotation=rotation, sharp=found.sharp or others)
