"""The momentum observer finds what acts from outside, at rest and in motion."""
import numpy as np
import pytest

from rdyn_ros.control.motion import State
from rdyn_ros.control.observer import collision, observe, start_observer, tip_wrench
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
from support.closed_loop import Loop, frictionless

SMOOTH = ArmSettings(scheme="rk4", brakes=False, friction=False)


def test_without_outer_forces_a_falling_arm_shows_none(arm):
    robot = frictionless(arm)
    simulated = SimulatedArm(robot, [0.2, 0.5, -0.3, -1.2, 0.4, 0.8, 0.1], SMOOTH)
    observed = start_observer(simulated.q, simulated.qd)
    for _ in range(300):
        simulated.advance()
        observed = observe(robot, observed, simulated.q, simulated.qd, np.zeros(7), 1e-3, 50.0)
    assert np.abs(simulated.qd).max() > 0.5
    np.testing.assert_allclose(observed.external, 0.0, atol=2e-4)


@pytest.mark.parametrize("gain", [5.0, 50.0, 5000.0])
def test_a_constant_outer_torque_is_followed_like_a_first_order_filter(arm, gain):
    """r(t) = tau_ext (1 - exp(-K t)), and stable for any K dt."""
    q, zero = np.full(7, 0.3), np.zeros(7)
    push = np.arange(1.0, 8.0)
    observed = start_observer(q, zero)
    for _ in range(200):                # a held arm: the drive carries gravity less the push
        observed = observe(arm, observed, q, zero, arm.gravity_torque(q) - push, 1e-3, gain)
    np.testing.assert_allclose(observed.external, push * (1.0 - (1.0 + gain * 1e-3) ** -200.0), rtol=1e-9)


def test_the_tip_wrench_is_the_one_that_explains_the_torques(arm):
    q = np.array([0.2, 0.5, -0.3, -1.2, 0.4, 0.8, 0.1])
    wrench = np.array([5.0, -3.0, 8.0, 0.4, 0.2, -0.6])
    np.testing.assert_allclose(tip_wrench(arm, q, arm.jacobian(q).T @ wrench), wrench, rtol=1e-6)


def test_with_a_payload_20_percent_heavier_than_known_the_difference_is_found_to_5_percent(arm):
    known, true = arm.with_payload(2.0, (0.0, 0.0, 0.05)), arm.with_payload(2.4, (0.0, 0.0, 0.05))
    loop = Loop(known, true=true, simulation=ArmSettings(scheme="rk4", friction=False), use_friction=False,
                natural_frequency=(20.0,)).enabled()
    loop.controller.set_robot(frictionless(known))
    loop.run(1.0)
    difference = known.gravity_torque(loop.arm.q) - true.gravity_torque(loop.arm.q)
    error = np.abs(loop.controller.observed.external - difference).max()
    assert error < 0.05 * np.abs(difference).max()


def test_a_payload_that_changes_makes_no_jump(arm):
    q, qd = np.full(7, 0.3), np.full(7, 0.5)
    heavy = arm.with_payload(5.0)
    tau = heavy.inverse_dynamics(q, qd, np.zeros(7)) + heavy.friction_torque(qd)
    after = observe(heavy, start_observer(q, qd), q, qd, tau, 1e-3, 50.0)
    assert np.abs(after.external).max() < 0.5          # the change of momentum alone would be far more
    assert np.abs((heavy.mass_matrix(q) - arm.mass_matrix(q)) @ qd * 50.0).max() > 5.0


def test_collision_needs_a_threshold_and_more_torque_than_it():
    assert collision(np.array([0.1, -3.0]), np.array([1.0, 2.0]))
    assert not collision(np.array([0.1, -1.9]), np.array([1.0, 2.0]))
    assert not collision(np.array([9.0, 9.0]), np.zeros(2))


@pytest.mark.parametrize("reported", [0.0, 1.0], ids=["the motor's share", "all that holds the arm"])
def test_a_driver_that_compensates_gravity_makes_no_collision_whatever_effort_it_reports(arm, reported):
    controller = Loop(arm, "gravity_compensation", driver_compensates_gravity=True, collision_stops=True,
                      collision_threshold=(5.0,)).controller
    q, zero = np.full(7, 0.3), np.zeros(7)
    for k in range(200):
        controller.take(1e-3 * k, 1e-3 * k, State(q, zero, reported * arm.gravity_torque(q)))
        if k == 1:
            assert controller.enable(1e-3 * k) == []
    assert controller.filter.phase == "active" and np.abs(arm.gravity_torque(q)).max() > 5.0
    np.testing.assert_allclose(controller.observed.external, 0.0, atol=1e-9)
