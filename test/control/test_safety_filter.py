"""The safety filter: each transition of its state machine, and the promise that torque never steps."""
from dataclasses import replace

import numpy as np
import pytest

from rdyn_ros.control.safety import ENDING, LOST, PATIENCE, Bounds, Phase, SafetyFilter
from rdyn_ros.errors import RdynError

N = 3
EFFORT = np.array([50.0, 20.0, np.inf])
DELTA = np.array([1.0, 0.5, 2.0])
ZERO = np.zeros(N)
LAW = np.array([10.0, -5.0, 30.0])
DAMPING = np.array([2.0, 1.0, -3.0])


def fresh(**changes):
    return SafetyFilter(Bounds(EFFORT, DELTA, **{"ramp_time": 0.5, "stop_time": 0.4, **changes}), ZERO)


def run(safety, seconds, start=0.0, law=LAW, damping=DAMPING, before=None):
    for now in np.arange(start, start + seconds, 1e-3):
        safety = safety.step(now, law, damping, before)
    return safety


def active():
    safety = run(fresh().enable(0.0), 1.0)
    assert safety.phase is Phase.ACTIVE
    return safety


def test_idle_commands_nothing_and_ignores_all_but_enable():
    idle = fresh()
    for same in (idle.step(1.0, LAW, DAMPING), idle.disable(1.0), idle.change(1.0), idle.trip(1.0, "x"),
                 idle.lost(1.0), idle.found(1.0), idle.stands(1.0), idle.switch(1.0)):
        assert same is idle
    assert idle.enable(1.0).phase is Phase.RAMPING


def test_enable_ramps_from_zero_to_the_law_within_ramp_time():
    safety = fresh().enable(0.0)
    half = run(safety, 0.25, before=ZERO)
    np.testing.assert_allclose(half.output, 0.5 * LAW, rtol=0.02)
    assert half.phase is Phase.RAMPING and half.share(0.25) == 0.5
    done = run(half, 0.3, start=0.25, before=ZERO)
    assert done.phase is Phase.ACTIVE
    np.testing.assert_array_equal(done.output, LAW)


@pytest.mark.parametrize("ramp_time", [0.0, 60.0])
def test_a_ramp_keeps_the_length_that_it_began_with(ramp_time):
    half = run(fresh().enable(0.0), 0.25)
    other = replace(half, bounds=replace(half.bounds, ramp_time=ramp_time))
    np.testing.assert_array_equal(run(other, 0.1, start=0.25).output, run(half, 0.1, start=0.25).output)
    assert run(other, 0.3, start=0.25).phase is Phase.ACTIVE
    assert other.trip(0.3, "x").enable(0.4).ramp_time == ramp_time, "the next one has the new length"


def test_a_stream_begins_at_the_measured_effort_within_the_effort_limits():
    measured = np.array([80.0, -3.0, np.nan])
    np.testing.assert_array_equal(fresh().enable(0.0, measured).output, [50.0, -3.0, 0.0])


def test_enable_in_the_middle_of_a_stream_ignores_the_measured_effort():
    stopping = run(active().disable(1.0), 0.1, start=1.0)
    again = stopping.enable(1.1, measured=np.array([40.0, 10.0, 10.0]))
    assert again.phase is Phase.RAMPING
    np.testing.assert_array_equal(again.output, stopping.output)


def test_enabling_what_is_enabled_changes_nothing():
    safety = active()
    assert safety.enable(2.0) is safety


def test_disable_goes_by_damping_to_zero_and_ends():
    safety = active().disable(1.0)
    assert safety.phase is Phase.STOPPING
    assert safety.disable(1.1) is safety
    ended = run(safety, 1.0, start=1.0)
    assert ended.phase is Phase.IDLE and ended.fault == ""
    np.testing.assert_array_equal(ended.output, ZERO)


def test_what_is_switched_off_is_damped_until_it_stands_and_fades_then():
    safety = run(active().disable(1.0), 0.3, start=1.0)
    np.testing.assert_array_equal(safety.output, DAMPING)
    half = run(safety.stands(1.3), 0.2, start=1.3)
    np.testing.assert_allclose(half.output, 0.5 * DAMPING, rtol=0.02)
    assert half.stands(1.6) is half
    assert run(half, 0.3, start=1.5).phase is Phase.IDLE


def test_what_never_stands_fades_after_half_a_second():
    half = run(active().disable(1.0), 0.7, start=1.0)
    np.testing.assert_allclose(half.output, 0.5 * DAMPING, rtol=0.02)


def test_what_is_switched_off_fades_at_once_when_states_are_missing():
    half = run(active().disable(1.0).lost(1.0), 0.2, start=1.0)
    np.testing.assert_allclose(half.output, 0.5 * DAMPING, rtol=0.02)


def test_what_fades_already_goes_on_fading_when_it_is_switched_off():
    fading = run(active().lost(1.0), 0.2, start=1.0)
    stopping = run(fading.disable(1.2), 0.1, start=1.2)
    np.testing.assert_allclose(stopping.output, 0.25 * DAMPING, rtol=0.02)


def test_an_end_that_the_rate_limit_would_draw_out_is_cut():
    slow = replace(active(), bounds=Bounds(EFFORT, np.full(N, 1e-9), stop_time=0.1)).disable(1.0)
    waiting = slow.step(4.5, LAW, DAMPING)
    assert waiting.output.any()
    ended = waiting.step(4.7, LAW, DAMPING)
    assert ended.phase is Phase.IDLE and not ended.output.any()


def test_a_change_of_law_passes_over_from_the_damping_or_the_law_before():
    other = -LAW
    safety = active().change(1.0)
    half = run(safety, 0.25, start=1.0, law=other)
    np.testing.assert_allclose(half.output, 0.5 * (DAMPING + other), atol=0.3)
    done = run(half, 0.3, start=1.25, law=other)
    assert done.phase is Phase.ACTIVE
    np.testing.assert_array_equal(done.output, other)
    first = safety.step(1.0, other, DAMPING, before=LAW)
    np.testing.assert_array_equal(first.output, LAW)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_change_from_what_is_no_number_passes_over_from_the_damping(wrong):
    held = run(active().change(1.0), 0.1, start=1.0, law=DAMPING, before=np.full(N, wrong))
    np.testing.assert_array_equal(held.output, DAMPING)


def test_a_switch_of_law_is_delayed_by_the_rate_limit_alone():
    safety = active().switch(1.0)
    assert safety.phase is Phase.ACTIVE
    np.testing.assert_array_equal(safety.step(1.0, -LAW, DAMPING).output, LAW - DELTA * np.sign(LAW))


@pytest.mark.parametrize("wrong", [{"effort": [np.nan]}, {"effort": [-1.0]}, {"max_delta_tau": [0.0]},
                                   {"max_delta_tau": [np.nan]}, {"ramp_time": np.inf}, {"stop_time": np.nan}])
def test_bounds_that_bound_nothing_are_refused(wrong):
    with pytest.raises(RdynError, match="max_delta_tau above 0"):
        Bounds(**{"effort": np.ones(1), "max_delta_tau": np.ones(1), **wrong})


def test_a_fault_turns_to_damping_and_stays_until_enabled():
    safety = run(active().trip(1.0, "too fast"), 1.0, start=1.0)
    assert safety.phase is Phase.DAMPING and safety.fault == "too fast"
    np.testing.assert_array_equal(safety.output, DAMPING)
    assert safety.change(2.0) is safety and safety.trip(2.0, "again") is safety
    again = safety.enable(2.0)
    assert again.phase is Phase.RAMPING and again.fault == ""
    assert safety.disable(2.0).phase is Phase.STOPPING


def test_a_law_that_is_not_finite_is_a_fault_and_never_gets_out():
    safety = active().step(1.0, np.array([np.nan, 0.0, np.inf]), np.array([np.nan, 1.0, -np.inf]))
    assert safety.phase is Phase.DAMPING and "not finite" in safety.fault
    assert np.isfinite(safety.output).all()


def test_missing_states_fade_to_zero_and_need_enabling_again():
    safety = active().lost(1.0)
    assert safety.phase is Phase.FADING and safety.lost(1.1) is safety
    ended = run(safety, 1.0, start=1.0)
    assert ended.phase is Phase.IDLE and ended.fault == LOST
    assert ended.found(2.0) is ended
    assert ended.enable(2.0).fault == ""


def test_states_that_come_back_in_time_resume_by_a_ramp():
    fading = run(active().lost(1.0), 0.15, start=1.0)
    resumed = fading.found(1.15)
    assert resumed.phase is Phase.RAMPING
    assert run(resumed, 0.6, start=1.15).phase is Phase.ACTIVE


def test_states_that_come_back_after_a_fault_find_the_fault():
    fading = run(active().trip(1.0, "too fast").lost(1.1), 0.1, start=1.1)
    assert fading.phase is Phase.FADING
    found = fading.found(1.2)
    assert found.phase is Phase.DAMPING and found.fault == "too fast"


def test_torque_is_clamped_to_the_effort_limits():
    safety = run(fresh(ramp_time=0.0).enable(0.0), 1.0, law=np.array([500.0, -500.0, 500.0]))
    np.testing.assert_array_equal(safety.output, [50.0, -20.0, 500.0])


EVENTS = ("enable", "enable measured", "disable", "stands", "change", "switch", "trip", "lost", "found",
          "law", "wild law", "nan law", "nan damping", "gap", "time back")


def after(event, safety, now, measured):
    """The filter after an event, the same when the event is not its own."""
    arguments = {"enable measured": (now, measured), "trip": (now, "why")}.get(event, (now,))
    method = getattr(safety, event.split()[0], None)
    return method(*arguments) if method else safety


@pytest.mark.parametrize("seed", range(25))
def test_torque_never_steps_whatever_happens(seed):
    """Commands of a stream differ by at most max_delta_tau, are finite and within the effort limits.

    A stream begins at zero or at the measured effort and ends at zero, by a cut when an end has lasted too long.
    """
    rng = np.random.default_rng(seed)
    safety = fresh(ramp_time=rng.choice([0.0, 0.05]), stop_time=rng.choice([0.0, 0.05]))
    law, damping, now, before = LAW, DAMPING, 0.0, None
    for _ in range(400):
        event = rng.choice(EVENTS)
        measured = rng.choice([rng.normal(0.0, 30.0), np.nan, np.inf], N, p=[0.8, 0.1, 0.1])
        safety = after(event, safety, now, measured)
        law = {"law": rng.normal(0.0, 30.0, N), "wild law": rng.normal(0.0, 1e6, N),
               "nan law": np.where(rng.random(N) < 0.5, np.nan, -np.inf)}.get(event, law)
        damping = {"law": rng.normal(0.0, 9.0, N), "nan damping": np.full(N, np.nan)}.get(event, damping)
        if before is None and safety.phase is not Phase.IDLE:
            allowed = np.clip(np.where(np.isfinite(measured), measured, 0.0), -EFFORT, EFFORT)
            before = allowed if event == "enable measured" else ZERO
            np.testing.assert_array_equal(safety.output, before)
        for _ in range(rng.integers(1, 30)):
            now += {"gap": 0.2, "time back": -0.01}.get(event, 1e-3)
            silent = safety.phase is Phase.IDLE
            late = safety.phase in ENDING and now > safety.since + safety.bounds.stop_time + PATIENCE
            safety = safety.step(now, law, damping)
            if silent:
                break
            assert np.isfinite(safety.output).all()
            assert np.all(np.abs(safety.output) <= EFFORT)
            cut = late and not safety.output.any()
            assert cut or np.all(np.abs(safety.output - before) <= DELTA * (1.0 + 1e-9))
            before = safety.output
        if safety.phase is Phase.IDLE:
            assert before is None or not before.any()
            before = None
