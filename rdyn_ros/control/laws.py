"""Control laws in joint space.

Pure functions of robot, measured state and reference to torque (n,) [N m or N].
"""
import numpy as np

from .feedforward import feedforward


def gravity_compensation(robot, state, damping, terms):
    """tau = g(q) - diag(M(q)) d qd (+ friction): the arm floats and can be led by hand; d (n,) [1/s].

    The diagonal of the mass matrix turns the rate d, with which speed decays, into torque: one rate suits all
    joints.
    """
    zero = np.zeros(len(state.q))
    held = feedforward(robot, state.q, zero, zero, terms, state.qd)
    return held - np.diagonal(robot.mass_matrix(state.q)) * damping * state.qd


def damping(robot, state, rate, terms, age=0.0):
    """tau = g(q) - diag(M(q)) k e^(-k age) qd: gravity held, motion braked with the rate k (n,) [1/s].

    A state of some age [s] counts as braked since then, so that an old velocity takes away at most the
    momentum it had and never drives the arm back. Friction is not compensated: it helps.
    """
    slowed = state._replace(qd=np.exp(-rate * age) * state.qd)
    return gravity_compensation(robot, slowed, rate, terms._replace(friction=False))


def pd(robot, state, reference, gains):
    """tau = diag(M(q)) (kp e + kd de/dt), e = wanted - measured: feedback alone."""
    return np.diagonal(robot.mass_matrix(state.q)) * feedback(state, reference, gains)


def pd_gravity(robot, state, reference, gains, terms):
    """tau = diag(M(q)) (kp e + kd de/dt) + g(q) (+ friction of the wanted velocity)."""
    zero = np.zeros(len(state.q))
    return pd(robot, state, reference, gains) + feedforward(robot, state.q, zero, zero, terms, reference.qd)


def computed_torque(robot, state, reference, gains, terms):
    """tau = M(q) (qdd_wanted + kp e + kd de/dt) + C(q, qd) qd + g(q).

    The error obeys e'' + kd e' + kp e = 0.
    """
    a = reference.qdd + feedback(state, reference, gains)
    return feedforward(robot, state.q, state.qd, a, terms, reference.qd)


def feedback(state, reference, gains):
    """Acceleration kp e + kd de/dt (n,) that corrects the error e = wanted - measured."""
    return gains.kp * (reference.q - state.q) + gains.kd * (reference.qd - state.qd)


def limit_repulsion(robot, q, zone, stiffness):
    """Torque k (zone - distance) (n,) away from each position limit nearer than zone [rad or m]; k [N m/rad].

    Zero outside the zones and continuous at their edge; joints without limits feel nothing.
    """
    near_lower = np.clip(zone - (q - robot.limits.lower), 0.0, 2.0 * zone)
    near_upper = np.clip(zone - (robot.limits.upper - q), 0.0, 2.0 * zone)
    return stiffness * (near_lower - near_upper)
