"""How far a target lies outside the workspace, limits aside."""
from math import dist, hypot

import numpy as np

from .problem import PATIENT

APPROACHES = 50     # steps towards the nearest place
NEARER = 1e-6       # [m] less than that is none


def beyond(geometry, targets):
    """(distance [m] by which a target at least lies outside the workspace, its frame), of the one furthest outside."""
    spheres = zip(geometry.frames, places_of(targets), geometry.reach.tolist(), strict=True)
    return max((dist(place, centre) - radius, frame) for frame, place, (*centre, radius) in spheres)


def brought_near(geometry, targets):
    """Targets (k, 4, 4) that lie far outside the reach of their frames brought near it."""
    aims, places = np.reshape(targets, (-1, 4, 4)).copy(), places_of(targets)
    for place, (*centre, radius) in zip(places, geometry.reach.tolist(), strict=True):
        most = radius + geometry.lever
        if dist(place, centre) > most:
            way = [x - c for x, c in zip(place, centre, strict=True)]
            largest = max(map(abs, way))
            way = [w / largest for w in way]                            # whose length is a number
            part = most / hypot(*way)
            place[:] = [c + part * w for c, w in zip(centre, way, strict=True)]
    aims[:, :3, 3] = places
    return aims


def places_of(poses):
    """Places [m] of poses (k, 3 or 4, 4) as lists: for a few of them ten times as fast as arrays."""
    return np.reshape(poses, (-1, *poses.shape[-2:]))[:, :3, 3].tolist()


def least_distance(geometry, targets, q, options, clock):
    """(distance [m] from the workspace, the q nearest), from q on, the nearest that a search found.

    What is nearest to a target is nearest to every point on the way to it, and to those near by a search leads faster.
    """
    solver = geometry.solver(options._replace(max_restarts=0), limited=False, patience=PATIENT)
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
        q = solver.solve(aims, q, 0, clock()).q
    return best
