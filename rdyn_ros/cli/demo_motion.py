"""The motion of the demo: slow waves through all joints, as one smooth curve at half speed."""
import numpy as np
from scipy.interpolate import make_interp_spline

SPEED = 0.5     # largest part of the velocity limits
PACE = 1.0      # [s] from one target to the next, at least
SAMPLES = 50    # per stretch of the curve, to find its fastest place


def targets(robot, turn):
    """Postures (8, n) around a bent arm and inside the limits, others in each turn."""
    limits, joint = robot.limits, np.arange(robot.nv)
    span = np.clip(limits.upper - limits.lower, 0.0, 4.0)
    middle = np.clip(0.0, limits.lower + 0.3 * span, limits.upper - 0.3 * span)
    bend = np.sin(0.5 * np.pi * joint)
    wave = np.sin((8.0 * turn + np.arange(1, 9)[:, None]) * (0.9 + 0.1 * joint) + 1.1 * joint)
    return middle + span * (0.15 * bend + 0.12 * wave)


def tour(start, targets, velocity, seconds):
    """Times (k,) [s], positions, velocities and accelerations (k, n) through the first k of targets (m, n).

    From rest at start (n,) to rest, through as many as SPEED of the limits `velocity` (n,) lets pass within the
    time, one at least. A spline of degree 5: the acceleration is smooth, also at both ends.
    """
    still = [(1, np.zeros(len(start))), (2, np.zeros(len(start)))]
    for k in range(len(targets), 0, -1):
        knots = np.arange(k + 1.0)
        curve = make_interp_spline(knots, np.vstack([start, targets[:k]]), k=5, bc_type=(still, still))
        fastest = np.max(np.abs(curve(np.linspace(0.0, k, k * SAMPLES), 1)) / velocity)
        shortest = max(PACE, fastest / SPEED)       # [s] from one target to the next
        if k * shortest <= seconds:
            break
    stretch = max(seconds / k, shortest)
    qd, qdd = curve(knots[1:], 1) / stretch, curve(knots[1:], 2) / stretch**2
    qd[-1] = qdd[-1] = 0.0
    return stretch * knots[1:], targets[:k], qd, qdd
