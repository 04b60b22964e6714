"""How far a target lies outside the workspace, limits aside."""
import numpy as np

from .problem import PATIENT

APPROACHES = 50     # steps towards the nearest place
NEARER = 1e-6       # [m] less than that is none


def brought_near(geometry, targets):
    """Targets (k, 4, 4) that lie far outside the reach of their frames brought near it."""
    aims, centre = np.reshape(targets, (-1, 4, 4)).copy(), geometry.reach[:, :3]
    most = geometry.reach[:, 3] + geometry.lever
    way = aims[:, :3, 3] - centre
    far = lengths(way) > most
    way = way[far] / abs(way[far]).max(axis=1, keepdims=True)           # whose squares are numbers
    aims[far, :3, 3] = centre[far] + most[far, None] * way / lengths(way)[:, None]
    return aims


def lengths(vectors):
    """Lengths of vectors (k, 3), also of those whose squares are too large for a number."""
    with np.errstate(over="ignore"):
        return np.hypot.reduce(vectors, axis=1)


def least_distance(geometry, targets, q, options, clock):
    """(distance [m] from the workspace, the q nearest), from q on, the nearest that a search found.

    What is nearest to a target is nearest to every point on the way to it, and to those near by a search leads faster.
    """
    solver = geometry.solver(options._replace(max_restarts=0), limited=False, patience=PATIENT)
    aims, best = np.reshape(targets, (-1, 4, 4)).copy(), (np.inf, q)
    wanted = aims[:, :3, 3].copy()
    for _ in range(APPROACHES):
        place = geometry.kinematics(q)[0][:, :, 3]
        way = wanted - place
        distance = float(lengths(way).max())
        nearer = distance < best[0] - NEARER
        best = min(best, (distance, q), key=lambda each: each[0])
        if clock.over or not nearer:
            return best
        aims[:, :3, 3] = place + way * min(1.0, 2.0 * geometry.lever / distance)
        q = solver.solve(aims, q, 0, clock()).q
    return best
