"""The measured state, put together by joint name from messages of one or many publishers; no ROS in here.

Every message is taken as a whole or refused with a Reason; a refused one changes nothing.
"""
from dataclasses import dataclass
from enum import StrEnum
from math import inf, pi
from typing import NamedTuple

import numpy as np

from ..control.motion import TURN, endless
from .memory import MOST_BYTES

FASTEST = 2.0  # times the velocity limit that an estimated velocity may be
LAYOUTS = 16  # remembered at most: a publisher with ever new names must not fill the memory


class Reason(StrEnum):
    """Why a message was refused, or what was odd about one that was taken; the keys of the counters."""

    UNREADABLE = "unreadable"                    # refused: not a JointState
    TOO_LONG = "too_long"                        # refused: more than MOST_BYTES
    NO_KNOWN_JOINT = "no_known_joint"            # refused: names no joint of the robot
    DUPLICATE_NAME = "duplicate_name"            # refused: names a joint of the robot twice
    NO_POSITION = "no_position"                  # refused: positions empty
    WRONG_LENGTH = "wrong_length"                # refused: positions or velocities not as many as names
    POSITION_NOT_FINITE = "position_not_finite"  # refused: nan or inf for a joint of the robot
    STAMP_BACKWARDS = "stamp_backwards"          # refused: older than what is known of its joints
    REPEATED = "repeated"                        # refused, where asked for: its stamp is known of all its joints
    VELOCITY_MISSING = "velocity_missing"        # taken without velocities, which are not estimated either
    VELOCITY_NOT_FINITE = "velocity_not_finite"  # taken, its velocities count as missing
    EFFORT_WRONG_LENGTH = "effort_wrong_length"  # taken, its efforts count as not measured
    EFFORT_NOT_FINITE = "effort_not_finite"      # taken, but for those that are nan or inf; all nan: not measured


TAKEN = (None, Reason.VELOCITY_MISSING, Reason.VELOCITY_NOT_FINITE, Reason.EFFORT_WRONG_LENGTH,
         Reason.EFFORT_NOT_FINITE)  # though odd


@dataclass(frozen=True)
class Measured:
    """One message: stamp [ns, 0 = none], names, arrays in their order; velocity and effort may be empty."""

    stamp: int
    names: tuple
    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


class Snapshot(NamedTuple):
    """q (n,), qd (n,) or None when some velocity is not known, stamp [ns]."""

    q: np.ndarray
    qd: np.ndarray | None
    stamp: int


class JointStates:
    """Latest position, velocity and effort of the joints `names`, and when each arrived.

    q, qd, effort (n,), has_velocity (n,) bool, stamps (n,) [ns], arrived (n,) steady time [s]: -inf before
    the first message, +inf for a joint of `optional` that none brought. stamp [ns]: of the last message.
    """

    def __init__(self, names, optional=()):
        self.names = tuple(names)
        n = len(self.names)
        self.fastest = np.full(n, inf)      # most that an estimated velocity may be
        self.turn = np.zeros(n)             # 2 pi of joints that turn without end, else 0
        self.q, self.qd, self.effort = np.zeros(n), np.zeros(n), np.full(n, np.nan)
        self.has_velocity = np.array([name in optional for name in self.names], dtype=bool)
        self.arrived = np.where(self.has_velocity, inf, -inf)
        self.stamps = np.zeros(n, dtype=np.int64)
        self.clock = np.zeros(2, dtype=np.int64)  # version, odd while a message is written; stamp of the last
        self._layouts = {}

    def take(self, message, now, timeout, cutoff=0.0, again=True):
        """Merges a message that came at `now` [s]; returns None, or the Reason why not (or what was odd).

        Stamps may go back only after `timeout` [s] of silence (a simulation was reset), and come `again` only where
        that is allowed. Where velocities are missing, a `cutoff` [Hz] estimates them by low-pass filtered differences.
        """
        layout = self._layouts.get(message.names) or self._layout(message.names)
        if isinstance(layout, Reason):
            return layout
        there, here = layout
        n = len(message.names)
        if len(message.position) != n or len(message.velocity) not in (0, n):
            return Reason.WRONG_LENGTH if len(message.position) else Reason.NO_POSITION
        q = message.position[there]
        if not np.isfinite(q).all():
            return Reason.POSITION_NOT_FINITE
        arrived = self.arrived[here]
        if message.stamp and ((message.stamp < self.stamps[here]) & (now - arrived < timeout)).any():
            return Reason.STAMP_BACKWARDS
        if message.stamp and not again and (message.stamp == self.stamps[here]).all():
            return Reason.REPEATED
        odd = None
        qd, known = 0.0, False
        if len(message.velocity):
            qd, known = message.velocity[there], True
            if not np.isfinite(qd).all():
                qd, known, odd = 0.0, False, Reason.VELOCITY_NOT_FINITE
        if not known and cutoff:
            qd, known = self._differences(here, q, message.stamp, now, timeout, cutoff)
        effort = message.effort[there] if len(message.effort) == n else np.nan
        self.clock[0] += 1
        self.q[here], self.qd[here], self.has_velocity[here] = q, qd, known
        self.effort[here] = effort
        self.stamps[here] = self.clock[1] = message.stamp
        self.arrived[here] = now
        self.clock[0] += 1
        missing = None if len(message.velocity) or cutoff else Reason.VELOCITY_MISSING
        return odd or _odd_effort(len(message.effort) in (0, n), effort) or missing

    @property
    def stamp(self):
        """Stamp of the last message taken [ns]."""
        return int(self.clock[1])

    @property
    def newest(self):
        """Newest stamp of any joint [ns]; publishers with parts of the robot may run on different clocks."""
        return int(self.stamps.max())

    def snapshot(self):
        """Snapshot of one instant, for another thread than the one that takes messages."""
        while True:
            version = int(self.clock[0])
            copy = Snapshot(self.q.copy(), self.qd.copy() if self.has_velocity.all() else None, self.stamp)
            if version == self.clock[0] and version % 2 == 0:
                return copy

    def age(self, now):
        """Age of the oldest joint's state [s]; inf while some joint was never measured."""
        return max(0.0, now - self.arrived.min())

    def stale(self, now, timeout):
        """Names of the joints whose state is `timeout` [s] old or older, in words; "all joints" where all are."""
        names = [name for name, time in zip(self.names, self.arrived, strict=True) if now - time >= timeout]
        return "all joints" if len(names) == len(self.names) > 1 else ", ".join(names)

    def take_read(self, read, data, now, *options):
        """As take, of the message that read(data) gives."""
        if len(data) > MOST_BYTES:
            return Reason.TOO_LONG
        try:
            return self.take(read(data), now, *options)
        except ValueError:
            return Reason.UNREADABLE

    def take_bytes(self, read, data, now, values, counters, again=True):
        """Merges what read(data) gives, as parameters say; whether it was taken. What was odd is counted."""
        odd = self.take_read(read, data, now, values.state_timeout, values.cutoff, again)
        if odd is not None:
            counters[odd] += 1
        return odd in TAKEN

    def assumed(self):
        """Names of the optional joints that no message has brought yet."""
        return [name for name, time in zip(self.names, self.arrived, strict=True) if time == inf]

    def missing(self):
        """Names of the joints that no message has brought yet."""
        return [name for name, time in zip(self.names, self.arrived, strict=True) if time == -inf]

    def _differences(self, here, q, stamp, now, timeout, cutoff):
        """qd += (1 - exp(-2 pi cutoff dt)) ((q - q_before) / dt - qd), and whether each can be told.

        A joint that turns without end may have been folded into one turn between two messages: a way that it is too
        slow for, or without a velocity limit one of more than half a turn, is taken as the shortest.
        """
        stamps = self.stamps[here]
        timed = (stamps > 0) & (stamp > 0)
        dt = np.where(timed, (stamp - stamps) * 1e-9, now - self.arrived[here])
        moved = (dt > 0.0) & (dt < timeout)
        way, turn, fastest, span = q - self.q[here], self.turn[here], self.fastest[here], np.where(moved, dt, 1.0)
        folded = moved & (np.abs(way) > 0.5 * turn) & (turn > 0.0) & ((np.abs(way) > fastest * span) | (fastest == inf))
        way = np.where(folded, way - turn * np.rint(way / np.where(folded, turn, 1.0)), way)
        rate = np.where(moved, way / span, 0.0)
        known = self.has_velocity[here] & (dt < timeout) & ~(timed & (dt < 0.0))     # before a reset it was another
        before = np.where(known, self.qd[here], rate)
        gain = -np.expm1(-2.0 * pi * cutoff * np.where(moved, dt, 0.0))
        qd = before + gain * (rate - before)
        finite = np.isfinite(qd)
        return np.clip(np.where(finite, qd, 0.0), -fastest, fastest), (moved | known) & finite

    def _layout(self, names):
        """(indices in the message, indices here) of the joints both know, or the Reason to refuse them."""
        known = [name for name in names if name in self.names]
        if not known:
            return Reason.NO_KNOWN_JOINT
        if len(set(known)) < len(known):
            return Reason.DUPLICATE_NAME
        layout = (np.array([names.index(name) for name in known]),
                  np.array([self.names.index(name) for name in known]))
        if len(self._layouts) >= LAYOUTS:
            self._layouts.clear()
        self._layouts[names] = layout
        return layout


def joint_states_of(robot, values, before=None):
    """JointStates of a robot's joints as parameters name them: joint_prefix, optional_joints.

    Those `before` go on where they are of the same joints. Estimated velocities are bounded by the robot's limits; a
    limit of 0 stands for none.
    """
    states = JointStates(*([values.joint_prefix + name for name in names]
                           for names in (robot.joint_names, values.optional_joints)))
    if before is not None and before.names == states.names:
        states = before
    limits = robot.limits.velocity
    states.fastest[:] = np.where(limits > 0.0, FASTEST * limits, inf)
    states.turn[:] = endless(robot) * TURN
    return states


def _odd_effort(fits, effort):
    """Reason that efforts are odd, or None; nan throughout is how drivers say that they measure none."""
    if not fits:
        return Reason.EFFORT_WRONG_LENGTH
    return None if np.isfinite(effort).all() or np.isnan(effort).all() else Reason.EFFORT_NOT_FINITE
