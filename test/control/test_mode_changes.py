"""Another mode while the arm is driven: torque passes over without a step, whatever was under way."""
from dataclasses import replace

import numpy as np
import pytest

from rdyn_ros.control.passage import Aim, left
from rdyn_ros.control.safety import Phase
from support.closed_loop import Loop

FREE = {"max_delta_tau": (1e3,), "ramp_time": 0.5}      # [N m] no rate limit that would hide a step
WAY = np.array([0.6, 0.0, 0.0, 0.6, 0.0, 0.0, 0.0])     # [rad]


def changed(loop, mode, seconds):
    """Torques (k, n) sent from the last one before a change of the mode on."""
    begin = len(loop.streams[-1]) - 1
    loop.controller.set_mode(loop.now, mode)
    loop.run(seconds)
    assert len(loop.streams) == 1 and loop.phase in ("ramping", "active")
    return np.array(loop.streams[0][begin:])


def largest(tau):
    """Largest step of torques (k, n) [N m]."""
    return np.abs(np.diff(tau, axis=0)).max()


@pytest.mark.parametrize("gap", [0.0, 0.001, 0.05, 0.3])        # [s] between the changes
@pytest.mark.parametrize("mode", ["gravity_compensation", "computed_torque"])
def test_a_mode_that_is_taken_back_leaves_as_softly_as_it_came(arm, mode, gap):
    loop = Loop(arm, mode, **FREE).enabled()
    start = loop.arm.q
    assert largest(np.vstack([changed(loop, "pd", gap), changed(loop, mode, 1.0)])) < 0.5       # [N m] it was 37
    assert np.abs(loop.arm.q - start).max() < (0.1 if gap > 0.01 else 1e-3)


def test_modes_that_are_toggled_share_the_torque(arm):
    loop = Loop(arm, "gravity_compensation", **FREE).enabled()
    start = loop.arm.q
    tau = np.vstack([changed(loop, mode, 0.05) for mode in ("pd", "gravity_compensation") * 20])
    assert largest(tau) < 1.0
    assert np.abs(loop.arm.q - start).max() < 0.3           # pd does not hold it where it is
    assert len(loop.controller._from) < 20


def test_a_law_that_failed_has_no_more_say_when_another_takes_over_at_once(arm):
    loop = Loop(arm, "pd", **FREE).enabled().run(0.2)
    loop.controller.filter = loop.controller.filter.trip(loop.now, "a fault")
    loop.run(0.5)
    assert loop.phase == "damping" and loop.controller.enable(loop.now) == []
    start = loop.run(0.002).arm.q
    tau = changed(loop, "gravity_compensation", 1.0)
    assert np.abs(tau - tau[0]).max() < 0.5                 # 28 where the law that failed passed over to it
    assert np.abs(loop.arm.q - start).max() < 1e-3


@pytest.mark.parametrize("passed", [0.1, 0.25, 0.45, 0.499])
def test_a_mode_that_is_set_while_a_stream_begins_gets_a_ramp_of_its_own(arm, passed):
    loop = Loop(arm, "gravity_compensation", **FREE).run(0.01)
    assert loop.controller.enable(loop.now) == []
    loop.run(passed)
    tau = changed(loop, "pd", 0.4)
    assert loop.controller.filter.phase is Phase.RAMPING
    assert largest(tau) < 0.5                               # 43 where the law had the share of the one before


@pytest.mark.parametrize("modes", [
    ("computed_torque", "gravity_compensation"), ("computed_torque", "cartesian_impedance"),
    ("cartesian_impedance", "computed_torque"), ("computed_torque", "pd_gravity")], ids="-".join)
def test_what_a_law_had_to_correct_passes_over_too(arm, modes):
    heavy = arm.with_payload(3.0, [0.0, 0.0, 0.05])         # which the controller does not know of
    loop = Loop(arm, modes[0], true=heavy, preflight=False, **FREE).enabled().run(1.0)
    tau = changed(loop, modes[1], 0.1)
    assert largest(tau) < 0.5                               # 19 where the error was forgotten


@pytest.mark.parametrize("mode", ["gravity_compensation", "cartesian_impedance", "pd_gravity"])
def test_an_arm_that_moves_is_taken_over_without_a_step(arm, mode):
    loop = Loop(arm, **FREE).enabled().move(WAY, 1.5).run(0.75)
    assert np.abs(loop.arm.qd).max() > 0.7
    assert largest(changed(loop, mode, 0.6)) < 0.5          # 86 where the motion ended at once


@pytest.mark.parametrize("between", [(), ("pd_gravity",), ("cartesian_impedance", "pd_gravity")])
def test_an_arm_whose_mode_changes_while_it_accelerates_is_braked_also_where_one_change_follows_another(arm, between):
    loop = Loop(arm, ramp_time=2.0).enabled().move(WAY, 1.0).run(0.15)
    for mode in between:
        loop.controller.set_mode(loop.now, mode)
        loop.run(0.02)
    loop.controller.set_mode(loop.now, "gravity_compensation")
    left, fast = loop.arm.q, np.abs(loop.arm.qd).max()
    assert fast > 0.2
    loop.run(3.0)
    assert loop.phase == "active"
    assert np.abs(loop.arm.q - left).max() < 0.5 * fast     # what it would go within the half second of braking


def test_a_motion_goes_on_when_the_next_mode_follows_one_too_and_else_is_braked(arm):
    loop = Loop(arm, ramp_time=0.5).enabled().move(0.5, 1.0).run(0.3)
    motion = loop.controller.motion
    loop.controller.set_mode(loop.now, "pd_gravity")
    assert loop.controller.motion is motion
    for mode in ("gravity_compensation", "computed_torque"):
        loop.controller.set_mode(loop.now, mode)
        assert loop.controller.motion.sample(loop.now).q == pytest.approx(loop.controller.state.q, abs=1e-12)
        assert not loop.controller.motion.sample(loop.now + 1.0).qd.any()


def test_states_that_return_find_a_law_that_begins_where_the_arm_is(arm):
    loop = Loop(arm, ramp_time=2.0, stop_time=1.0).enabled().move(WAY, 1.0).run(0.5)
    loop.controller.set_mode(loop.now, "gravity_compensation")
    loop.run(0.1).run(0.1, silent=True).run(0.1)
    assert loop.phase == "ramping"
    assert not loop.controller.motion.sample(loop.now).qd.any()


def test_a_law_before_that_fails_leaves_the_damping(arm):
    loop = Loop(arm, "cartesian_impedance", **FREE).enabled()
    loop.controller.set_mode(loop.now, "computed_torque")
    loop.controller.target = np.full((4, 4), np.nan)
    loop.controller.filter = replace(loop.controller.filter, output=np.zeros(arm.nv))
    loop.run(0.001)
    assert loop.phase == "ramping"
    np.testing.assert_allclose(loop.streams[0][-1], arm.gravity_torque(loop.arm.q), atol=0.5)       # [N m] of up to 46


def test_a_tool_on_a_spring_is_wanted_where_it_was_let_off(arm):
    loop = Loop(arm, "cartesian_impedance").enabled()
    wanted = loop.controller.reference.q
    loop.arm.wrenches = {arm.tips[0]: np.array([0.0, 25.0, 0.0, 0.0, 0.0, 0.0])}
    loop.run(0.5)
    np.testing.assert_array_equal(loop.controller.reference.q, wanted)
    assert np.abs(loop.arm.q - wanted).max() > 0.01


@pytest.mark.parametrize("ramp_time", [0.1, 0.5, 2.0])
def test_an_arm_stands_soon_after_a_law_that_moved_it_is_left(arm, ramp_time):
    loop = Loop(arm, max_delta_tau=(1e3,), ramp_time=ramp_time).enabled().move(WAY, 1.5).run(0.75)
    start, fast = loop.arm.q, np.abs(loop.arm.qd).max()
    changed(loop, "gravity_compensation", 3.0)
    assert fast > 0.7
    assert np.abs(loop.arm.qd).max() < (0.01 if ramp_time > 0.1 else 0.1)
    assert np.abs(loop.arm.q - start).max() < 0.5 * fast    # [rad] it coasts 1.4 where nothing brakes it


@pytest.mark.parametrize("ramp_time", [0.5, 3.0])
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.1])
def test_an_arm_led_by_hand_stays_where_it_was_led_when_a_mode_is_set_again(arm, gap, ramp_time):
    loop = Loop(arm, "gravity_compensation", ramp_time=ramp_time, hand_damping=(2.0,)).enabled()
    for mode in ("computed_torque", "gravity_compensation"):
        loop.controller.set_mode(loop.now, mode)
        loop.run(gap)
    start = loop.arm.q
    loop.arm.wrenches = {arm.tips[0]: np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])}
    loop.run(0.8)
    loop.arm.wrenches = {}
    led = loop.run(0.8).arm.q
    assert np.abs(led - start).max() > 0.1
    loop.controller.set_mode(loop.now, "computed_torque")
    loop.run(1.5 * ramp_time)
    assert loop.phase == "active" and np.abs(loop.arm.q - led).max() < 0.02     # [rad] it went back


@pytest.mark.parametrize("mode", ["gravity_compensation", "stop"])
def test_cubic_motions_end_without_a_step_too(arm, mode):
    loop = Loop(arm, interpolation="cubic", **FREE).enabled().move(WAY, 1.0).run(0.3)
    begin = len(loop.streams[0]) - 1
    if mode == "stop":
        loop.controller.stop()
    else:
        loop.controller.set_mode(loop.now, mode)
    loop.run(0.6)
    assert largest(np.array(loop.streams[0][begin:])) < 0.5     # [N m] it was 6.5


def test_references_that_come_while_a_law_passes_away_are_followed_by_all_that_follow_one(arm):
    loop = Loop(arm, "pd_gravity", ramp_time=5.0, max_delta_tau=(1e3,)).enabled()
    loop.controller.set_mode(loop.now, "computed_torque")
    goal = loop.arm.q + 0.5 * WAY
    loop.move(0.5 * WAY, 1.0).run(2.0)
    assert loop.phase == "ramping"
    np.testing.assert_allclose(loop.arm.q, goal, atol=0.01)


def test_shares_sum_to_one_and_stay_few():
    parts, random = [(1.0, Aim(None, torque=np.zeros(1)))], np.random.default_rng(0)
    for k in range(300):
        mode = random.choice(["pd", "computed_torque", "gravity_compensation", "damping", "cartesian_impedance"])
        parts = left(parts, random.choice([0.0, 1e-4, 0.02, 0.1, 0.5]), Aim(str(mode), posture=np.array([k])))
        assert sum(part for part, _ in parts) == pytest.approx(1.0)
        assert min(part for part, _ in parts) >= 1e-3       # a law that fails then has a say
        assert len(parts) < 40
        aims = [aim.posture[0] for _, aim in parts if aim.mode]
        assert aims == sorted(aims)
    assert left(parts, 1.0, Aim("pd")) == [(1.0, Aim("pd"))]
