"""What a controller reads: the measured state and the wanted motion, all (n,) in the order of joint_names."""
from typing import NamedTuple

import numpy as np

TURN = 2.0 * np.pi
ONE_TURN = TURN * (1.0 + 1e-6)      # who tells more than that counts turns; 2π as a float32 is no more


class State(NamedTuple):
    """Measured joint positions q [rad or m], velocities qd and, when there is one, effort [N m or N]."""

    q: np.ndarray
    qd: np.ndarray
    effort: np.ndarray | None = None


class Reference(NamedTuple):
    """Wanted joint positions q [rad or m], velocities qd and accelerations qdd."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def rest(q):
    """Reference that stands still at q."""
    zero = np.zeros(len(q))
    return Reference(np.array(q, float), zero, zero)


def endless(robot):
    """Which joints (n,) turn without limits, and no others with them: whole turns make no difference to the robot."""
    lower, upper, *_ = robot.limits
    leaders = {body.joint.mimic.leader for body in robot.model.bodies[1:] if body.joint.mimic}
    alone = [joint.unit == "rad" and joint.name not in leaders for joint in robot.model.joints]
    return np.array(alone, bool) & np.isinf(lower) & np.isinf(upper)


def on_nearest_turn(q, near, endless):
    """Positions (n,), of endless joints on the turn nearest to the positions near (n,)."""
    return q + np.where(endless, TURN * np.rint((near - q) / TURN), 0.0)


def within_turn(q):
    """Which positions (n,) a driver may have folded into one turn."""
    return np.abs(q) <= ONE_TURN


def seams(q, before, endless):
    """Turns (n,) by which a driver has folded positions q (n,) since it told `before`: it went the short way.

    Only between two that lie within a turn: what is beyond is counted, or was misread.
    """
    folds = endless & within_turn(q) & within_turn(before)
    return np.where(folds, np.rint((before - q) / TURN), 0.0)
