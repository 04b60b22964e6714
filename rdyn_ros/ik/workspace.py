"""How far a target lies outside the workspace, limits of angles aside."""
from math import dist, hypot

import numpy as np

from .problem import PATIENT, SLIDES
from .reach import places_of

APPROACHES = 50     # steps towards the nearest place
NEARER = 1e-6       # [m] less than that is none


def brought_near(geometry, targets, seed):
    """Targets (k, 4, 4) that lie far outside the reach of their frames brought near it."""
    aims, places = np.reshape(targets, (-1, 4, 4)).copy(), places_of(targets)
    for place, (centre, radius) in zip(places, geometry.spheres(seed), strict=True):
        most = radius + geometry.lever
        if dist(place, centre) > most:
            way = [x - c for x, c in zip(place, centre, strict=True)]
            largest = max(map(abs, way))
            way = [w / largest for w in way]                            # whose length is a number
            part = most / hypot(*way)
            place[:] = [c + part * w for c, w in zip(centre, way, strict=True)]
    aims[:, :3, 3] = places
    return aims


def least_distance(geometry, targets, q, options, clock):
    """(distance [m] from the workspace, the q nearest), from q on, the nearest that a search found.

    What is nearest to a target is nearest to every point on the way to it, and to those near by a search leads faster.
    """
    solver = geometry.solver(options._replace(max_restarts=0), SLIDES, PATIENT)
    aims, wanted, best = np.reshape(targets, (-1, 4, 4)).copy(), places_of(targets), (np.inf, q)
    for _ in range(APPROACHES):
        places = places_of(geometry.kinematics(q)[0])
        distance = max(map(dist, wanted, places))
        nearer = distance < best[0] - NEARER
        if distance < best[0]:
            best = distance, q
        if clock.over or not nearer:
            return best
        part = min(1.0, 2.0 * geometry.lever / distance)
        aims[:, :3, 3] = [[p + part * (w - p) for p, w in zip(*each, strict=True)]
                          for each in zip(places, wanted, strict=True)]
        q = solver.solve(aims, q, 0, *clock.span).q
    return best
