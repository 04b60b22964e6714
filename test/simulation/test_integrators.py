"""Integrators: their order, their energy, and scipy as a judge."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rdyn_ros
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
from rdyn_ros.simulation.integrators import SCHEMES
from support.closed_loop import POSE, frictionless

FREE = {"friction": False, "stops": False, "brakes": False}


def swing(q, v):
    """A pendulum: q'' = -sin q."""
    return -np.sin(q)


@pytest.mark.parametrize(("scheme", "order"), [("semi_implicit_euler", 1), ("rk4", 4), ("gauss_legendre", 4)])
def test_halving_the_step_divides_the_error_by_two_to_the_order(scheme, order):
    exact = solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0.0, 2.0), [1.0, 0.5], method="DOP853", rtol=1e-13,
                      atol=1e-13).y[0, -1]
    errors = []
    for n in (20, 40):
        q, v = np.array([1.0]), np.array([0.5])
        for _ in range(n):
            q, v, *_ = SCHEMES[scheme](swing, q, v, 2.0 / n)
        errors.append(abs(q[0] - exact))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25)


def test_gauss_legendre_runs_backwards_to_where_it_came_from():
    q, v = np.array([1.0]), np.array([0.5])
    there = SCHEMES["gauss_legendre"](swing, q, v, 0.1)
    back = SCHEMES["gauss_legendre"](swing, there.q, there.v, -0.1)[:2]
    np.testing.assert_allclose(np.concatenate(back), [1.0, 0.5], atol=1e-12)


@pytest.mark.parametrize(("name", "start", "gravity"), [
    ("double_pendulum", [1.0, 0.7], -9.81), ("arm_7r", POSE, 9.81), ("arm_7r", POSE, -9.81)])
def test_free_energy_does_not_drift_and_the_path_is_scipys(name, start, gravity):
    """10 s at 1 kHz: energy within 1e-6, the path within 1e-6 of DOP853.

    An arm that falls from upright is chaotic, DOP853 itself loses its path: there one second is compared.
    """
    robot = rdyn_ros.load(name).with_gravity([0.0, 0.0, gravity])
    robot.compile("forward_dynamics", batch=True)
    arm = SimulatedArm(robot, start, ArmSettings(scheme="gauss_legendre", **FREE))
    n, energy, drift = robot.nv, sum(arm.energy()), 0.0
    seconds = 1 if name == "arm_7r" and gravity < 0.0 else 10
    for step in range(10_000):
        arm.advance()
        if step == 1000 * seconds - 1:
            path = np.concatenate([arm.q, arm.qd])
        if step % 100 == 99:
            drift = max(drift, abs(sum(arm.energy()) - energy))
    assert drift < 1e-6 * abs(energy)

    def slope(t, y):
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], np.zeros(n))])

    judge = solve_ivp(slope, (0.0, seconds), np.concatenate([start, np.zeros(n)]), method="DOP853",
                      rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(path, judge.y[:, -1], atol=1e-6)


def test_friction_only_takes_energy(arm):
    simulated = SimulatedArm(arm, POSE, ArmSettings(scheme="rk4", brakes=False, stops=False))
    before = sum(simulated.energy())
    for _ in range(300):
        simulated.advance()
        after = sum(simulated.energy())
        assert after <= before + 1e-6
        before = after


def test_without_friction_the_schemes_agree(arm):
    robot = frictionless(arm)
    ends = []
    for scheme in SCHEMES:
        simulated = SimulatedArm(robot, POSE, ArmSettings(scheme=scheme, step=1e-4, **FREE))
        for _ in range(1000):
            simulated.advance()
        ends.append(simulated.q)
    np.testing.assert_allclose(ends[1], ends[2], atol=1e-9)
    np.testing.assert_allclose(ends[0], ends[2], atol=1e-3)
