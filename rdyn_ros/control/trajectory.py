"""Joint trajectories: cubic or quintic polynomials through points, from the present motion to a hold at the end.

A number that is missing is NaN: a missing acceleration is 0; a missing velocity is 0 at the last point and
elsewhere the slope of the shape-preserving spline (PCHIP) through the points, so that a cubic never leaves
the range of its two points; a missing position keeps the joint where it starts.
"""
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy  # its parts are imported when first used: who makes no trajectory waits for none

from ..errors import RdynError
from .motion import TURN, Reference, on_nearest_turn, rest, within_turn

STANDING = 1e-6                             # [rad/s or m/s] of the last point: planners leave such residues
SAMPLES = 20                                # per polynomial, to look for limits
SLACK = 1e-6                                # [rad or m, rad/s or m/s] beyond a limit that rounding may leave


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion from time start on [s]: polynomials of position, velocity, acceleration over the time since then.

    Before the start `before` goes on (a trajectory, or None); after the duration the end is held.
    """

    start: float
    duration: float
    polynomials: tuple
    end: Reference
    before: "Trajectory | None" = None

    def sample(self, t):
        """Reference at time t [s]."""
        motion = self
        while t < motion.start and getattr(motion, "before", None) is not None:
            motion = motion.before
        if motion is not self:
            return motion.sample(t)
        since = t - self.start
        if since >= self.duration:
            return self.end
        return Reference(*(p(max(since, 0.0)) for p in self.polynomials))


@dataclass(frozen=True, eq=False)
class Streamed:
    """A reference that came at time start [s]; it keeps its velocity for `patience` [s], then holds."""

    start: float
    reference: Reference
    patience: float

    def sample(self, t):
        """Reference at time t [s]."""
        since = min(max(t - self.start, 0.0), self.patience)
        q = self.reference.q + since * self.reference.qd
        return rest(q) if since == self.patience else Reference(q, self.reference.qd, self.reference.qdd)


def hold(q, t=0.0):
    """Trajectory that stands at q (n,) from time t on."""
    return Trajectory(t, 0.0, (), rest(q))


def trajectory(now, current, times, points, interpolation="quintic", stamp=None, endless=(), turns=()):
    """Trajectory through the points, beginning without a jump where `current` (a trajectory) is at that time.

    times (k,) [s] from the start, increasing; points: Reference of (k, n) arrays with NaN where nothing was
    given. stamp: time at which it starts; the points of a stamp in the past that have gone by are left out;
    None: now. A first point at time 0 says where the sender believes the robot to be; the motion in force is
    taken instead. endless (n,) bool: joints that turn without limits, which may be `turns` (n,) further than their
    driver tells. Where such a joint is told to begin, at time 0, or else its first position, is taken on the nearest
    turn, and all others with it; but a first position beyond a turn is meant as the driver tells positions.
    """
    if interpolation not in HERMITE:
        raise RdynError(f"interpolation is '{interpolation}'; it can be {' or '.join(HERMITE)}")
    begin = now if stamp is None else max(now, stamp)
    times = np.asarray(times, float)
    at = times - (0.0 if stamp is None else begin - stamp)
    if at.size == 0 or not np.all(np.isfinite(at)) or np.any(np.diff(at) <= 0.0):
        raise RdynError(f"times of the points are {times.tolist()}; one or more, increasing")
    ahead = at > 0.0
    if not ahead.any():
        raise RdynError(f"the last point lies {-at[-1]:.3f} s in the past; send points ahead of now, "
                        "or stamp 0 for 'now'")
    start = current.sample(begin)
    shape = len(at), len(start.q)
    for name, part in zip(points._fields, map(np.asarray, points), strict=True):
        if part.shape != shape or np.any(np.isinf(part)):
            raise RdynError(f"{name} of the points has shape {part.shape}; it needs {shape}, finite numbers or NaN")
    q = np.array(points.q, float)
    for j in np.flatnonzero(endless):
        given = np.flatnonzero(~np.isnan(q[:, j]))
        if len(given):
            counted = not within_turn(q[given[0], j]) and times[given[0]] > 0.0
            q[:, j] += TURN * turns[j] if counted else _turned(current, begin, at[given], q[given, j], j)
    points = points._replace(q=q)
    t, q, qd, qdd = _knots(start, at[ahead], *(part[ahead] for part in points))
    position = scipy.interpolate.BPoly(HERMITE[interpolation](np.diff(t)[:, None], q, qd, qdd), t)
    polynomials = (position, position.derivative(), position.derivative(2))
    return Trajectory(begin, float(t[-1]), polynomials, rest(q[-1]),
                      _still_to_come(current, now) if begin > now else None)


def _turned(current, begin, at, q, j):
    """Whole turns [rad] from positions q (k,) of joint j, at times at (k,) after `begin`, to where it is by then."""
    when = min(0.0, max(at[0], current.start - begin))          # [s] the earliest that is still known
    told = np.interp(when, at, q)
    return on_nearest_turn(told, current.sample(begin + when).q[j], True) - told


def _still_to_come(motion, now):
    """The motion without what it replaced before `now`, so that a stream of trajectories does not pile up."""
    waiting = []
    while now < motion.start and getattr(motion, "before", None) is not None:
        waiting.append(motion)
        motion = motion.before
    if getattr(motion, "before", None) is not None:
        motion = replace(motion, before=None)
    for later in reversed(waiting):
        motion = replace(later, before=motion)
    return motion


def _cubic(h, q, qd, qdd):
    """Bernstein coefficients (4, k, n) that meet position and velocity at both ends of intervals h (k, 1)."""
    first, last = h / 3.0 * qd[:-1], h / 3.0 * qd[1:]
    return np.stack([q[:-1], q[:-1] + first, q[1:] - last, q[1:]])


def _quintic(h, q, qd, qdd):
    """Bernstein coefficients (6, k, n) that meet position, velocity and acceleration at both ends."""
    first, last = h / 5.0 * qd[:-1], h / 5.0 * qd[1:]
    bend, bend_last = h**2 / 20.0 * qdd[:-1], h**2 / 20.0 * qdd[1:]
    return np.stack([q[:-1], q[:-1] + first, q[:-1] + 2.0 * first + bend,
                     q[1:] - 2.0 * last + bend_last, q[1:] - last, q[1:]])


HERMITE = {"cubic": _cubic, "quintic": _quintic}


def beyond(q, qd, limits):
    """Which joints (n,) leave their position limits on a way q, qd (k, n), and which their velocity limits.

    One that is beyond at the beginning may come back, but go no further.
    """
    lower, upper = np.minimum(limits.lower, q[0]) - SLACK, np.maximum(limits.upper, q[0]) + SLACK
    fastest = np.maximum(limits.velocity, np.abs(qd[0])) + SLACK
    return ((q < lower) | (q > upper)).any(axis=0), (np.abs(qd) > fastest).any(axis=0)


def check_limits(motion, limits, joints):
    """Raises RdynError that names the joint when the trajectory leaves position or velocity limits.

    A joint that already is beyond a limit at the start may move back, but no further. A curve stays within
    the range of its Bernstein coefficients; only where those leave the limits is it looked at closely.
    """
    if not motion.polynomials:
        return
    position, velocity = (polynomial.c for polynomial in motion.polynomials[:2])
    if (np.all((position >= limits.lower) & (position <= limits.upper))
            and np.all(abs(velocity) <= limits.velocity)):
        return
    knots = motion.polynomials[0].x
    t = np.unique(np.concatenate([np.linspace(a, b, SAMPLES) for a, b in pairwise(knots)]))
    q, qd = motion.polynomials[0](t), motion.polynomials[1](t)
    far, fast = beyond(q, qd, limits)
    for i, joint in enumerate(joints):
        if far[i]:
            raise RdynError(f"joint {joint.name} would move over {q[:, i].min():.4f} .. {q[:, i].max():.4f}; its "
                            f"limits are {limits.lower[i]:.4f} .. {limits.upper[i]:.4f} {joint.unit}: move the points")
        if fast[i]:
            raise RdynError(f"joint {joint.name} would move at {np.abs(qd[:, i]).max():.4f}; its limit "
                            f"is {limits.velocity[i]:.4f} {joint.unit}/s: give the points more time")


def _knots(start, at, q, qd, qdd):
    """Times and values of all knots, the present motion first, with every missing number filled in."""
    t = np.concatenate([[0.0], at])
    q = np.vstack([start.q, np.where(np.isnan(q), start.q, q)])
    if np.any(abs(np.nan_to_num(qd[-1])) > STANDING):
        raise RdynError(f"velocities of the last point are {qd[-1].tolist()}; they must be 0 to hold there")
    slopes = scipy.interpolate.PchipInterpolator(t, q, axis=0)(t, 1)
    qd = np.vstack([start.qd, np.where(np.isnan(qd), slopes[1:], qd)])
    qd[-1] = 0.0
    return t, q, qd, np.vstack([start.qdd, np.nan_to_num(qdd)])
