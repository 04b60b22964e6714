"""Merging joint states by name, without ROS: equal to a dictionary that is updated message by message."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rdyn_ros as rdyn
from rdyn_ros.nodes.joint_states import LAYOUTS, TAKEN, JointStates, Measured, Reason, joint_states_of
from rdyn_ros.nodes.memory import MOST_BYTES
from rdyn_ros.nodes.parameters import DynamicsParameters
from support.ik_arms import real

NAMES = ("a", "b", "c", "d")
EMPTY = np.zeros(0)


def message(names, q, qd=EMPTY, effort=EMPTY, stamp=0):
    return Measured(stamp, tuple(names), *(np.asarray(x, float) for x in (q, qd, effort)))


subsets = st.lists(st.sampled_from([*NAMES, "x", "y"]), min_size=1, unique=True)
numbers = st.floats(-1e6, 1e6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(subsets, st.lists(numbers, min_size=6, max_size=6), st.booleans()), max_size=12))
def test_the_merged_state_is_a_dictionary_updated_by_each_message(messages):
    states, known = JointStates(NAMES), {}
    for k, (names, values, moving) in enumerate(messages, 1):
        q, qd = values[:len(names)], values[::-1][:len(names)]
        odd = states.take(message(names, q, qd if moving else [], stamp=k), now=float(k), timeout=10.0)
        if set(names) & set(NAMES):
            assert odd is (None if moving else Reason.VELOCITY_MISSING)
            known |= {n: (q[i], qd[i] if moving else None, k) for i, n in enumerate(names) if n in NAMES}
        else:
            assert odd is Reason.NO_KNOWN_JOINT
    assert states.missing() == [name for name in NAMES if name not in known]
    for i, name in enumerate(NAMES):
        if name in known:
            q, qd, k = known[name]
            assert (states.q[i], states.arrived[i], states.stamps[i]) == (q, k, k)
            assert states.has_velocity[i] == (qd is not None)
            assert qd is None or states.qd[i] == qd
    if len(known) == len(NAMES):
        assert states.age(20.0) == 20.0 - min(k for _, _, k in known.values())


def test_an_optional_joint_stands_at_zero_until_a_message_brings_it():
    states = JointStates(NAMES, optional=("d",))
    states.take(message("abc", [1, 2, 3], [4, 5, 6]), 1.0, 0.1)
    assert states.age(1.0) == 0.0
    assert states.has_velocity.all()
    states.take(message("d", [7.0], [8.0]), 2.0, 0.1)
    assert states.q[3] == 7.0
    assert states.age(2.0) == 1.0, "once it was brought it counts like the others"


def test_joints_that_are_stale_are_named():
    states = JointStates(NAMES, optional=("d",))
    states.take(message("abc", [1, 2, 3]), 1.0, 0.1)
    states.take(message("ac", [1, 3]), 2.0, 0.1)
    assert states.stale(2.0, 0.5) == "b"
    assert states.stale(2.5, 0.5) == "a, b, c"
    states.take(message("d", [4]), 2.0, 0.1)
    assert states.stale(2.5, 0.5) == "all joints"
    assert states.stale(2.0, 2.0) == ""


def test_a_refused_message_changes_nothing():
    states = JointStates(NAMES)
    states.take(message(NAMES, [1, 2, 3, 4], [5, 6, 7, 8], [1, 1, 1, 1], stamp=5), 1.0, 0.1)
    before = states.snapshot()
    for bad in (message(NAMES, [1, 2, np.nan, 4], stamp=6), message(NAMES, [1, 2], stamp=7),
                message([*NAMES, "a"], [1, 2, 3, 4, 5], stamp=8), message(NAMES, [0, 0, 0, 0], stamp=4)):
        assert states.take(bad, 1.05, 0.1) in set(Reason)
        after = states.snapshot()
        assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))


def test_stamps_may_go_back_after_silence_and_zero_means_no_stamp():
    states = JointStates(("a",))
    assert states.take(message("a", [1.0], stamp=100), 1.0, 0.1) in TAKEN
    assert states.take(message("a", [2.0], stamp=50), 1.05, 0.1) is Reason.STAMP_BACKWARDS
    assert states.take(message("a", [2.0], stamp=0), 1.05, 0.1) in TAKEN
    assert states.take(message("a", [1.0], stamp=100), 1.06, 0.1) in TAKEN
    assert states.take(message("a", [3.0], stamp=50), 1.2, 0.1) in TAKEN


def test_estimated_velocity_follows_the_low_pass():
    states, cutoff, dt, speed = JointStates(("a",)), 20.0, 0.001, 0.5
    gain, expected = 1.0 - np.exp(-2.0 * np.pi * cutoff * dt), 0.0
    states.take(message("a", [0.0], [0.0], stamp=10**9), 1.0, 0.1, cutoff)
    for k in range(1, 50):
        states.take(message("a", [speed * k * dt], stamp=10**9 + k * 10**6), 1.0 + k * dt, 0.1, cutoff)
        expected += gain * (speed - expected)
        assert states.qd[0] == pytest.approx(expected, rel=1e-9)
        assert states.has_velocity[0]


def test_names_that_never_repeat_do_not_fill_the_memory():
    states = JointStates(NAMES)
    for k in range(1000):
        states.take(message(["a", f"x{k}"], [1.0, 2.0]), float(k), 0.1)
    assert len(states._layouts) <= LAYOUTS
    for names in (["x", "y"], ["a", "a"]):
        before = len(states._layouts)
        assert states.take(message(names, [1.0, 2.0]), 2000.0, 0.1) not in TAKEN
        assert len(states._layouts) == before


def test_a_message_that_is_too_long_is_not_read():
    states, read = JointStates(NAMES), []
    assert states.take_read(read.append, bytes(MOST_BYTES + 1), 0.0, 0.1) is Reason.TOO_LONG
    assert not read


def test_an_effort_that_stops_coming_is_not_known():
    states = JointStates(["a", "b"])
    states.take(message("ab", [0.0, 0.0], effort=[1.0, 2.0]), 0.0, 1.0)
    states.take(message("b", [0.1]), 0.1, 1.0)
    np.testing.assert_array_equal(states.effort, [1.0, np.nan])


@pytest.mark.parametrize(("effort", "known", "odd"), [
    ([1.0, 2.0], [1.0, 2.0], None),
    ([], [np.nan, np.nan], None),
    ([np.nan, np.nan], [np.nan, np.nan], None),
    ([1.0], [np.nan, np.nan], Reason.EFFORT_WRONG_LENGTH),
    ([1.0, 2.0, 3.0], [np.nan, np.nan], Reason.EFFORT_WRONG_LENGTH),
    ([1.0, np.nan], [1.0, np.nan], Reason.EFFORT_NOT_FINITE),
    ([np.nan, np.inf], [np.nan, np.inf], Reason.EFFORT_NOT_FINITE),
])
def test_an_odd_effort_is_told_and_the_state_taken(effort, known, odd):
    states = JointStates(["a", "b"])
    assert states.take(message("ab", [0.5, 1.5], [0.0, 0.0], effort), 0.0, 1.0) is odd
    assert odd in TAKEN
    np.testing.assert_array_equal(states.effort, known)
    np.testing.assert_array_equal(states.q, [0.5, 1.5])


@pytest.mark.parametrize(("speed", "step", "fastest"), [(0.4, 0.01, 6.0), (0.4, 0.01, np.inf), (-3.0, 0.04, 6.0)])
def test_where_a_driver_folds_joints_that_turn_without_end_estimated_velocities_go_on(speed, step, fastest):
    states = JointStates(["a", "b"])
    states.turn[0], states.fastest[:] = 2.0 * np.pi, fastest
    seams, before = 0, 0.0
    for k in range(2000):
        told = np.remainder(speed * step * k + np.pi, 2.0 * np.pi) - np.pi
        states.take(message("ab", [told, told], stamp=10**9 + round(1e9 * step * k)), step * k, 0.1, cutoff=100.0)
        np.testing.assert_array_equal(states.q, [told, told])       # as it is told
        assert k < 1 or states.qd[0] == pytest.approx(speed, abs=1e-6)
        seams, before = seams + (abs(told - before) > 3.0), told
    assert seams > 0
    assert not JointStates(["a"]).turn.any()


def test_a_fast_joint_of_a_driver_that_counts_turns_keeps_its_estimated_velocity():
    states = JointStates(["wheel"])
    states.turn[:], states.fastest[:] = 2.0 * np.pi, 80.0
    for k in range(30):
        states.take(message(["wheel"], [4.0 * k], stamp=10**9 + 10**8 * k), 0.1 * k, 0.2, cutoff=100.0)
    assert states.qd[0] == pytest.approx(40.0, rel=1e-9)


def test_joints_that_turn_without_end_are_those_that_no_limit_holds():
    kinova = real("kinova")
    turning = joint_states_of(kinova, DynamicsParameters()).turn > 0.0
    assert 0 < turning.sum() < len(turning)
    assert (turning == np.isinf(kinova.limits.upper)).all()


def test_joints_of_others_may_be_named_twice():
    assert JointStates(["a"]).take(message("axx", [0.0, 1.0, 2.0]), 0.0, 1.0) in TAKEN


def test_estimated_velocities_are_bounded_by_twice_the_limits_of_the_robot_that_is_served():
    slow, fast = (rdyn.load(name) for name in ("planar_2r", "double_pendulum"))
    values = DynamicsParameters()
    states = joint_states_of(slow, values)
    assert np.array_equal(states.fastest, 2.0 * slow.limits.velocity) and np.isfinite(states.fastest).all()
    assert joint_states_of(slow, values, states) is states
    other = joint_states_of(fast, values, states)
    assert other is not states and np.array_equal(other.fastest, 2.0 * fast.limits.velocity)
    assert np.isinf(JointStates(["a"]).fastest).all(), "no limits, no bound"
    for k, q in enumerate(([0.1, 0.2], [0.1, 0.2], [9.0, -9.0])):      # the last was misread
        take = Measured(10**6 * (k + 1), slow.joint_names, np.array(q), np.array([]), np.array([]))
        assert states.take(take, 0.001 * k, 0.1, cutoff=100.0) is None
    np.testing.assert_array_equal(states.qd, [1.0, -1.0] * states.fastest)


def test_a_stamp_that_comes_again_changes_no_estimate_of_a_joint_without_a_velocity_limit():
    states = JointStates(["a"])
    with np.errstate(all="raise"):
        for k, stamp in enumerate((10, 20, 20)):
            assert states.take(message("a", [0.1 * stamp], stamp=10**6 * stamp), 0.01 * k, 0.1, cutoff=100.0) is None
    assert states.qd == pytest.approx(100.0)
