"""The simulated arm: brakes, stops, friction, delay, sensors, seeds; each does what its name says."""
import numpy as np
import pytest

import rdyn_ros
from rdyn_ros.errors import RdynError
from rdyn_ros.simulation.actuator import Actuator
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
from rdyn_ros.simulation.contact import impulses
from support.closed_loop import POSE


def simulated(robot, q=POSE, **settings):
    return SimulatedArm(robot, q, ArmSettings(scheme="rk4", **settings))


def run(arm, seconds, tau=None):
    for _ in range(round(seconds / arm.settings.step)):
        if tau is not None:
            arm.command(tau)
        arm.advance()
    return arm


def test_brakes_hold_until_commands_come_and_feel_the_weight(arm):
    held = run(simulated(arm), 0.2)
    np.testing.assert_array_equal(held.q, POSE)
    np.testing.assert_allclose(held.effort, arm.gravity_torque(POSE), atol=0.01)
    assert np.abs(run(held, 0.2, np.zeros(7)).qd).max() > 0.1


def test_when_commands_cease_torque_fades_and_the_brakes_stop_the_arm(arm):
    driven = run(simulated(arm), 0.1, arm.gravity_torque(POSE) + [20.0, 0, 0, 0, 0, 0, 0])
    before = driven.effort
    largest = 0.0
    for _ in range(500):
        driven.advance()
        assert np.isfinite(driven.q).all()
        largest = max(largest, np.abs(driven.qd).max())
    assert not driven.qd.any()
    assert np.abs(before[0] - 20.0) < 1.0
    still = driven.q
    np.testing.assert_array_equal(run(driven, 0.1).q, still)


def test_a_fading_command_has_no_step():
    drive = Actuator(1, delay=0.0, noise=0.0, timeout=0.1, rng=np.random.default_rng(0))
    drive.command(0.0, [10.0])
    torques = [drive.torque(t)[0][0] for t in np.arange(0.0, 0.3, 0.001)]
    assert torques[50] == 10.0 and torques[150] == pytest.approx(5.0, abs=0.2) and torques[-1] == 0.0
    assert np.abs(np.diff(torques)).max() < 0.11


def test_without_timeout_the_last_command_acts_for_ever():
    drive = Actuator(1, delay=0.0, noise=0.0, timeout=0.0, rng=np.random.default_rng(0))
    assert drive.torque(0.0)[1] is False
    drive.command(0.0, [10.0])
    assert drive.torque(1e4) == (10.0, True)


def test_a_command_acts_after_its_delay():
    drive = Actuator(1, delay=0.003, noise=0.0, timeout=1.0, rng=np.random.default_rng(0))
    drive.command(0.0, [1.0])
    drive.command(0.001, [2.0])
    assert [drive.torque(t)[0][0] for t in (0.002, 0.003, 0.004)] == [0.0, 1.0, 2.0]


def test_of_commands_while_time_stands_only_the_last_is_kept():
    drive = Actuator(1, delay=0.003, noise=0.0, timeout=1.0, rng=np.random.default_rng(0))
    for k in range(1000):
        drive.command(0.0, [k])
    assert len(drive.pending) == 1 and drive.torque(0.003)[0] == 999.0


def test_stops_hold_a_joint_at_its_limit():
    robot = rdyn_ros.load("planar_2r")
    push = np.array([0.0, 40.0])
    pressed = run(simulated(robot, q=[1.0, 2.5]), 0.5, push)
    assert pressed.q[1] == pytest.approx(robot.limits.upper[1], abs=0.01)
    assert run(simulated(robot, q=[1.0, 2.5], stops=False), 0.5, push).q[1] > robot.limits.upper[1] + 0.5
    back = run(pressed, 0.2, -push)
    assert back.q[1] < robot.limits.upper[1] - 0.1


def test_dry_friction_holds_exactly_what_it_can(arm):
    slack = 0.9 * arm.model.coulomb
    stuck = run(simulated(arm), 0.3, arm.gravity_torque(POSE) + slack * [1, -1, 1, -1, 1, -1, 1])
    np.testing.assert_array_equal(stuck.q, POSE)
    assert run(simulated(arm), 0.1, arm.gravity_torque(POSE) + 2.0 * slack).qd.min() > 0.0


def test_a_driver_may_compensate_gravity(arm):
    floating = run(simulated(arm, driver_compensates_gravity=True, friction=False), 0.3, np.zeros(7))
    np.testing.assert_allclose(floating.q, POSE, atol=1e-9)


def test_an_outer_wrench_acts_at_its_frame_in_base_axes(arm):
    wrench = np.array([10.0, -5.0, 30.0, 1.0, 0.0, 2.0])
    pushed = simulated(arm, friction=False)
    pushed.wrenches = {arm.tips[0]: wrench}
    held = run(pushed, 0.1, arm.gravity_torque(POSE) - arm.jacobian(POSE).T @ wrench)
    np.testing.assert_allclose(held.q, POSE, atol=1e-6)


def test_sensors_add_noise_and_steps_and_leave_the_truth_alone(arm):
    noisy = simulated(arm, position_noise=1e-3, velocity_noise=1e-2, position_resolution=1e-4, seed=1)
    readings = np.array([noisy.measure().q for _ in range(400)])
    np.testing.assert_allclose(readings.std(axis=0), 1e-3, rtol=0.2)
    np.testing.assert_allclose(readings / 1e-4, np.round(readings / 1e-4), atol=1e-6)
    np.testing.assert_array_equal(noisy.q, POSE)


def test_equal_seeds_give_equal_runs_and_others_do_not(arm):
    def path(seed):
        noisy = simulated(arm, actuator_noise=0.5, position_noise=1e-3, seed=seed)
        run(noisy, 0.1, arm.gravity_torque(POSE))
        return np.concatenate(noisy.measure())
    np.testing.assert_array_equal(path(4), path(4))
    assert np.abs(path(4) - path(5)).max() > 1e-6


def test_what_cannot_be_simulated_is_refused_in_words(arm):
    with pytest.raises(RdynError, match="scheme is 'euler'; it can be semi_implicit_euler"):
        SimulatedArm(arm, POSE, ArmSettings(scheme="euler"))
    for q in ([0.0], [np.nan] * 7, [POSE]):
        with pytest.raises(RdynError, match=r"q\b"):
            SimulatedArm(arm, q)
    for tau in ([1.0], [np.inf] * 7, "much", [POSE]):
        with pytest.raises(RdynError, match="tau"):
            SimulatedArm(arm, POSE).command(tau)
    for wrong in ({"step": 0.0}, {"step": np.nan}, {"actuator_delay": -1.0}, {"position_noise": np.inf}):
        with pytest.raises(RdynError, match=f"{next(iter(wrong))} is .*; it must be a finite number >"):
            ArmSettings(**wrong)
    with pytest.raises(RdynError, match="floating base"):
        SimulatedArm(rdyn_ros.load("quadruped", floating_base=True), [])


@pytest.mark.parametrize("seed", range(5))
def test_impulses_reach_their_target_or_are_at_a_bound(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        n = rng.integers(1, 9)
        B = rng.normal(size=(n, n))
        A, v = B @ B.T + 0.01 * np.eye(n), rng.normal(size=n)
        target = rng.normal(size=n) * (rng.random(n) < 0.3)
        lower, upper = -rng.random(n) * (rng.random(n) < 0.8), rng.random(n) * (rng.random(n) < 0.8)
        upper = np.where(rng.random(n) < 0.2, np.inf, upper)
        p, after = impulses(np.linalg.inv(A), v, lower, upper, target)
        miss = v + A @ p - target
        assert np.abs(after - v - A @ p).max() < 1e-8
        assert np.all((lower <= p) & (p <= upper))
        assert np.all((p == upper) | (miss > -1e-8))
        assert np.all((p == lower) | (miss < 1e-8))
