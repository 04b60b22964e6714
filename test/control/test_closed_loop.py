"""Whole loops of controller and simulated arm: they track, they float, and torque does not step."""
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from rdyn_ros.control.motion import Reference, rest
from rdyn_ros.control.settings import MODES
from rdyn_ros.errors import RdynError
from rdyn_ros.simulation.arm import ArmSettings
from support.closed_loop import Loop

DELTA = 1.0 * (1.0 + 1e-9)                      # default of max_delta_tau


def test_computed_torque_tracks_ten_times_better_than_pd(arm):
    errors = {}
    for mode in ("computed_torque", "pd"):
        loop = Loop(arm, mode).enabled().move(0.5, 1.0)
        loop.errors.clear()
        loop.run(1.2)
        errors[mode] = np.sqrt(np.mean(np.square(loop.errors)))
        assert loop.largest_step() <= DELTA
    assert errors["computed_torque"] < 1e-3
    assert errors["pd"] > 10.0 * errors["computed_torque"]


def test_gravity_compensation_holds_the_arm_and_lets_a_hand_lead_it(arm):
    loop = Loop(arm, "gravity_compensation").enabled()
    start = loop.arm.q
    loop.run(0.5)
    assert np.abs(loop.arm.q - start).max() < 1e-4
    loop.arm.wrenches = {arm.tips[0]: np.array([0.0, 25.0, 0.0, 0.0, 0.0, 0.0])}
    loop.run(0.5)
    assert np.abs(loop.arm.q - start).max() > 0.02


def test_the_tool_on_a_spring_goes_to_its_target(arm):
    loop = Loop(arm, "cartesian_impedance", simulation=ArmSettings(scheme="rk4", friction=False),
                use_friction=False).enabled()
    target = arm.fk(loop.arm.q)
    target[2, 3] += 0.05
    loop.controller.set_target(target)
    loop.run(2.0)
    assert np.abs(arm.fk(loop.arm.q)[:3, 3] - target[:3, 3]).max() < 0.005
    assert loop.largest_step() <= DELTA


def test_the_first_command_is_the_measured_effort_and_the_last_is_zero(arm):
    loop = Loop(arm).enabled()
    np.testing.assert_allclose(loop.streams[0][0], arm.gravity_torque(loop.arm.q), atol=DELTA + 0.1)
    loop.controller.disable(loop.now)
    loop.run(1.5)
    assert loop.phase == "idle"
    assert not loop.streams[0][-1].any()
    assert not loop.arm.qd.any()                # the brakes hold it again
    assert loop.largest_step() <= DELTA


def test_without_measured_effort_commands_begin_at_zero(arm):
    loop = Loop(arm, start_from="zero").enabled()
    assert np.abs(loop.streams[0][0]).max() <= DELTA
    assert loop.largest_step() <= DELTA


@pytest.mark.parametrize("gravity", [(0.0, 9.81, 0.0), (3.0, -2.0, -9.0)])
def test_an_arm_on_a_wall_or_a_slope_tracks_as_well(arm, gravity):
    loop = Loop(arm.with_gravity(gravity)).enabled().move(-0.4, 1.0)
    loop.errors.clear()
    loop.run(1.2)
    assert np.sqrt(np.mean(np.square(loop.errors))) < 1e-3
    assert loop.largest_step() <= DELTA


def test_a_payload_picked_up_while_moving_makes_no_step(arm):
    loop = Loop(arm).enabled().move(0.5, 1.0).run(0.5)
    loop.arm.robot = arm.with_payload(2.0)
    loop.controller.set_robot(arm.with_payload(2.0))
    loop.run(1.0)
    assert loop.largest_step() <= DELTA
    assert loop.phase == "active" and loop.errors[-1] < 1e-2


def test_a_payload_can_come_into_force_by_shares(arm):
    loop = Loop(arm, "gravity_compensation", use_friction=False).enabled()
    heavy = arm.with_payload(2.0)
    loop.controller.set_robot(heavy, (0.25, arm))
    loop.run(0.05)
    between = 0.75 * heavy.gravity_torque(loop.arm.q) + 0.25 * arm.gravity_torque(loop.arm.q)
    np.testing.assert_allclose(loop.controller.filter.output, between, atol=0.2)


def test_switching_modes_while_moving_makes_no_step(arm):
    loop = Loop(arm).enabled()
    for mode in ("pd_gravity", "computed_torque", "cartesian_impedance", "damping", "gravity_compensation",
                 "pd", "computed_torque"):
        if loop.controller.mode in ("computed_torque", "pd_gravity"):
            loop.move(0.3, 0.6).run(0.2)
        loop.controller.set_mode(loop.now, mode)
        loop.run(0.15)
    assert loop.largest_step() <= DELTA
    assert loop.phase in ("ramping", "active")


def test_a_gap_of_200_ms_in_the_states_resumes_and_holds(arm):
    loop = Loop(arm, stop_time=0.5).enabled().move(0.3, 1.0).run(0.4)
    loop.run(0.2, silent=True)
    assert loop.phase == "fading"
    loop.run(1.0)
    assert loop.phase == "active"
    assert loop.largest_step() <= DELTA
    assert np.abs(loop.arm.qd).max() < 0.01     # it stays where the states found it


def test_states_that_come_back_resume_even_when_the_watchdog_was_loosened_meanwhile(arm):
    loop = Loop(arm, stop_time=0.5).enabled()
    loop.run(0.2, silent=True)
    loop.controller.set_settings(replace(loop.settings, state_timeout=5.0))
    assert loop.run(0.001).phase == "ramping"


def test_a_long_gap_ends_torque_until_enabled_again(arm):
    loop = Loop(arm).enabled()
    loop.run(1.5, silent=True)
    assert loop.phase == "idle" and "enable again" in loop.controller.filter.fault
    assert not loop.controller.filter.output.any()
    loop.run(0.2)
    assert loop.phase == "idle"
    assert loop.controller.enable(loop.now) == []
    loop.run(0.6)
    assert loop.phase == "active" and loop.controller.filter.fault == ""


def test_a_motion_at_the_velocity_limit_is_taken_and_noise_does_not_end_it(arm):
    noisy = ArmSettings(scheme="rk4", friction=False, velocity_noise=0.02)
    loop, way = Loop(arm, simulation=noisy, use_friction=False).enabled(), 0.5
    loop.move(way, 1.875 * way / (0.999 * arm.limits.velocity.min()))       # 1.875: of a minimum-jerk motion
    start, fastest = loop.arm.q, 0.0
    for _ in range(100):
        loop.run(0.01)
        fastest = max(fastest, (np.abs(loop.arm.qd) / arm.limits.velocity).max())
    assert fastest > 0.99
    assert loop.phase == "active"
    np.testing.assert_allclose(loop.arm.q, start + way, atol=0.01)


def test_an_arm_whose_time_leaps_with_every_state_is_damped_until_it_stands(arm):
    loop = Loop(arm).enabled()
    loop.arm.qd = np.full(arm.nv, 0.3)
    for k in range(1000):
        state = loop.arm.measure()
        if loop.controller.take(loop.now, loop.now + 0.2 * k, state):
            loop.arm.command(loop.controller.filter.output)
        loop.arm.advance()
    assert loop.phase == "ramping"                          # each leap begins another
    assert np.abs(loop.arm.qd).max() < 0.01


def test_too_fast_turns_to_damping_and_names_the_joint(arm):
    loop = Loop(arm, "gravity_compensation", velocity_scale=0.1).enabled()
    loop.arm.wrenches = {arm.tips[0]: np.array([0.0, 120.0, 0.0, 0.0, 0.0, 0.0])}
    loop.run(0.5)
    assert loop.phase == "damping" and "moves at" in loop.controller.filter.fault
    loop.arm.wrenches = {}
    loop.run(1.0)
    assert np.abs(loop.arm.qd).max() < 0.01
    assert loop.largest_step() <= DELTA
    assert loop.controller.enable(loop.now) == []
    assert loop.run(0.6).phase == "active"


def test_an_arm_enabled_beyond_its_range_may_come_back_but_not_leave_twice(arm):
    loop = Loop(arm, "gravity_compensation", simulation=ArmSettings(scheme="rk4", stops=False))
    loop.arm.q[3] = arm.limits.lower[3] - 0.2
    loop.enabled()                              # excused: it was outside already
    loop.arm.q[3] = arm.limits.lower[3] + 0.1
    assert loop.run(0.01).phase == "active"
    loop.arm.q[3] = arm.limits.lower[3] - 0.2
    loop.run(0.01)
    assert loop.phase == "damping" and "joint_4" in loop.controller.filter.fault


def test_a_collision_is_flagged_and_stops_when_wanted(arm):
    loop = Loop(arm, collision_threshold=(8.0,), collision_stops=True).enabled()
    assert not loop.controller.collided
    loop.arm.wrenches = {arm.tips[0]: np.array([0.0, 0.0, -60.0, 0.0, 0.0, 0.0])}
    loop.run(0.3)
    assert loop.controller.collided and loop.phase == "damping"
    assert "collision" in loop.controller.filter.fault


def test_enabling_without_states_or_with_wrong_effort_is_refused(arm):
    loop = Loop(arm)
    assert "no fresh joint states" in loop.controller.enable(0.0)[0]
    loop.run(0.01)
    assert "no fresh joint states" in loop.controller.enable(loop.now + 1.0)[0]
    other = Loop(arm, true=arm.with_payload(8.0)).run(0.01)
    assert any("payload" in reason for reason in other.controller.enable(other.now))
    assert other.phase == "idle"


def test_a_driver_that_compensates_gravity_is_not_doubled(arm):
    driver = ArmSettings(scheme="rk4", driver_compensates_gravity=True)
    reasons = Loop(arm, simulation=driver).run(0.01).controller.enable(0.01)
    assert "already compensates" in reasons[0]
    loop = Loop(arm, "gravity_compensation", simulation=driver, driver_compensates_gravity=True).enabled()
    loop.run(0.5)
    assert np.abs(loop.controller.filter.output).max() < 0.1
    assert np.abs(loop.controller.observed.external).max() < 0.1


def test_older_states_are_passed_over(arm):
    loop = Loop(arm).enabled()
    state, t = loop.arm.measure(), loop.controller.t
    assert not loop.controller.take(loop.now, t - 0.5, state)
    assert loop.controller.take(loop.now, t + 1e-3, state)


def test_a_state_that_comes_in_two_parts_is_followed_like_a_whole_one(arm):
    whole, parts = Loop(arm).enabled().move(0.4, 1.0), Loop(arm).enabled().move(0.4, 1.0)
    for _ in range(1000):
        whole.run(1e-3)
        half, last = parts.arm.measure(), parts.controller.state
        q, qd = (np.concatenate([new[:4], old[4:]]) for new, old in ((half.q, last.q), (half.qd, last.qd)))
        assert parts.controller.take(parts.now, parts.now, half._replace(q=q, qd=qd))
        parts.run(1e-3)
    assert np.abs(parts.arm.q - whole.arm.q).max() < 1e-4
    assert np.abs(parts.controller.observed.external - whole.controller.observed.external).max() < 0.05
    assert parts.largest_step() <= DELTA


def test_a_clock_that_starts_anew_is_followed_without_a_step(arm):
    loop = Loop(arm).enabled().move(0.4, 1.0).run(0.5)
    before = loop.controller.filter.output
    assert loop.controller.take(loop.now, loop.controller.t - 100.0, loop.arm.measure())
    assert np.abs(loop.controller.filter.output - before).max() <= DELTA
    assert loop.controller.reference.qd.max() == 0.0


def test_references_are_followed_when_near_and_refused_when_far(arm):
    loop = Loop(arm).enabled()
    q = loop.arm.q
    for k in range(200):
        loop.controller.set_reference(Reference(q + 0.0002 * k, np.full(7, 0.2), np.zeros(7)))
        loop.run(0.001)
    assert np.abs(loop.arm.q - q - 0.04).max() < 0.01
    with pytest.raises(RdynError, match="send a trajectory"):
        loop.controller.set_reference(Reference(q + 0.9, np.zeros(7), np.zeros(7)))
    assert loop.largest_step() <= DELTA


def test_what_does_not_fit_mode_or_phase_is_refused_in_words(arm):
    loop = Loop(arm).run(0.01)
    with pytest.raises(RdynError, match="enable it"):
        loop.move(0.1, 1.0)
    loop.enabled()
    with pytest.raises(RdynError, match="cartesian_impedance"):
        loop.controller.set_target(np.eye(4))
    with pytest.raises(RdynError, match="it can be damping"):
        loop.controller.set_mode(loop.now, "dance")
    with pytest.raises(RdynError, match="limits"):
        loop.move(9.0, 60.0)


def test_a_motion_can_be_stopped(arm):
    loop = Loop(arm).enabled().move(0.8, 2.0).run(0.8)
    assert np.abs(loop.arm.qd).min() > 0.3
    loop.controller.stop()
    loop.run(1.0)
    assert np.abs(loop.arm.qd).max() < 1e-2
    assert loop.largest_step() <= DELTA


EVENTS = ("enable", "disable", "mode", "payload", "move", "reference", "target", "stop", "gap", "long gap",
          "same state", "old state", "new clock", "push", "settings")


def happen(event, loop, robots, rng):
    """Does what an event says to a loop."""
    controller, now, state = loop.controller, loop.now, loop.arm.measure()
    {"enable": lambda: controller.enable(now), "disable": lambda: controller.disable(now),
     "mode": lambda: controller.set_mode(now, rng.choice(MODES)),
     "payload": lambda: controller.set_robot(robots[rng.integers(2)]),
     "move": lambda: loop.move(rng.uniform(-0.3, 0.3), rng.uniform(0.2, 1.0)),
     "reference": lambda: controller.set_reference(rest(loop.arm.q + rng.uniform(-0.1, 0.1, 7))),
     "target": lambda: controller.set_target(robots[0].fk(rng.uniform(-1.0, 1.0, 7))),
     "stop": controller.stop,
     "gap": lambda: loop.run(0.2, silent=True), "long gap": lambda: loop.run(0.9, silent=True),
     "same state": lambda: controller.take(now, controller.t, state),
     "old state": lambda: controller.take(now, controller.t - 0.1, state),
     "new clock": lambda: setattr(controller, "t", controller.t + 5.0),
     "push": lambda: setattr(loop.arm, "wrenches", {robots[0].tips[0]: rng.normal(0.0, 20.0, 6)}),
     "settings": lambda: controller.set_settings(loop.settings)}[event]()


@pytest.mark.parametrize("seed", range(3))
def test_torque_never_steps_in_any_order_of_events(arm, seed):
    rng = np.random.default_rng(seed)
    robots = [arm, arm.with_payload(1.0)]
    loop = Loop(arm, collision_threshold=(30.0,), collision_stops=True, velocity_scale=0.5).run(0.01)
    for _ in range(20):
        with suppress(RdynError):               # refused, as it may be; the arm goes on
            happen(rng.choice(EVENTS), loop, robots, rng)
        if rng.random() < 0.5:
            loop.controller.enable(loop.now)
        loop.run(rng.uniform(0.01, 0.1))
        assert np.isfinite(loop.arm.q).all()
    assert len(loop.streams) > 1 or len(loop.streams[0]) > 100
    assert loop.largest_step() <= DELTA
    torques = np.concatenate([stream for stream in loop.streams if stream])
    assert np.isfinite(torques).all() and np.all(np.abs(torques) <= arm.limits.effort)


def test_delay_noise_and_quantisation_are_survived(arm):
    real = ArmSettings(scheme="rk4", actuator_delay=0.002, actuator_noise=0.05, position_noise=1e-5,
                       velocity_noise=1e-3, position_resolution=1e-5, seed=3)
    loop = Loop(arm, simulation=real, natural_frequency=(10.0,)).enabled().move(0.4, 1.0)
    loop.run(1.3)
    assert loop.phase == "active" and loop.errors[-1] < 1e-2
    assert loop.largest_step() <= DELTA


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("speed", [1e200, 1.7e308])
@pytest.mark.parametrize("watched", [True, False])
def test_a_measured_speed_beyond_all_numbers_gives_finite_torques(arm, speed, watched):
    loop = Loop(arm).enabled()
    if not watched:
        unlimited = loop.settings.envelope._replace(velocity=np.full(7, np.inf))
        loop.controller.set_settings(replace(loop.settings, envelope=unlimited))
    state = loop.arm.measure()
    for k in range(1, 4):
        at = loop.now + 1e-3 * k
        assert loop.controller.take(at, at, state._replace(qd=np.full(7, speed)))
        assert np.isfinite(loop.controller.filter.output).all()
