"""Trajectories: polynomials through points, without a jump at the start, with a hold at the end."""
import time
from types import SimpleNamespace

import numpy as np
import pytest

from rdyn_ros.control.motion import Reference, rest
from rdyn_ros.control.trajectory import Streamed, check_limits, hold, trajectory
from rdyn_ros.errors import RdynError
from rdyn_ros.model.parts import Joint

JOINTS = [Joint(name, "revolute", [0.0, 0.0, 1.0]) for name in "ab"]


def points(q, qd=None, qdd=None):
    q = np.array(q, float)
    missing = np.full(q.shape, np.nan)
    return Reference(q, *(missing if part is None else np.array(part, float) for part in (qd, qdd)))


def test_one_point_from_rest_is_the_minimum_jerk_quintic():
    motion = trajectory(5.0, hold([0.0, 1.0]), [2.0], points([[1.0, 1.0]]))
    for t in np.linspace(0.0, 2.0, 11):
        s = t / 2.0
        wanted = 10 * s**3 - 15 * s**4 + 6 * s**5
        sample = motion.sample(5.0 + t)
        np.testing.assert_allclose(sample.q, [wanted, 1.0], atol=1e-12)
        np.testing.assert_allclose(sample.qd, [(30 * s**2 - 60 * s**3 + 30 * s**4) / 2.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("interpolation", ["cubic", "quintic"])
def test_points_are_met_with_their_velocities_and_accelerations(interpolation):
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 4, 2))
    qd[-1] = 0.0
    motion = trajectory(0.0, hold([0.1, 0.2]), [0.5, 1.0, 2.0, 2.5], points(q, qd, qdd), interpolation)
    for t, *wanted in zip([0.5, 1.0, 2.0], q, qd, qdd, strict=False):
        sample = motion.sample(t - 1e-12)
        np.testing.assert_allclose(sample.q, wanted[0], atol=1e-9)
        np.testing.assert_allclose(sample.qd, wanted[1], atol=1e-9)
        if interpolation == "quintic":
            np.testing.assert_allclose(sample.qdd, wanted[2], atol=1e-7)


@pytest.mark.parametrize("interpolation", ["cubic", "quintic"])
def test_velocity_and_acceleration_are_the_derivatives_of_position(interpolation):
    given = points([[1, 0], [0, 3], [2, 2]])
    motion = trajectory(0.0, hold([0.1, 0.2]), [0.5, 1.5, 2.0], given, interpolation)
    h = 1e-6
    for t in (0.2, 0.7, 1.1, 1.9):
        before, here, after = (motion.sample(x) for x in (t - h, t, t + h))
        np.testing.assert_allclose((after.q - before.q) / (2 * h), here.qd, atol=1e-6)
        np.testing.assert_allclose((after.qd - before.qd) / (2 * h), here.qdd, atol=1e-5)


def test_residues_of_velocity_at_the_last_point_are_none_and_others_are_refused():
    motion = trajectory(0.0, hold([0.0]), [1.0], points([[2.0]], [[1e-17]]))
    assert motion.sample(7.0).qd == 0.0 and abs(motion.sample(1.0 - 1e-9).qd) < 1e-6
    with pytest.raises(RdynError, match="they must be 0 to hold there"):
        trajectory(0.0, hold([0.0]), [1.0], points([[2.0]], [[1e-3]]))


def test_joints_without_limits_begin_on_the_nearest_turn_and_then_go_as_many_as_the_points_do():
    turn, endless = 2.0 * np.pi, np.array([True, False])
    for at, q, wanted in (([1.0], [[-3.0, -3.0]], [[turn - 3.0, -3.0]]), ([1.0], [[20.0, 1.0]], [[20.0 + turn, 1.0]]),
                          ([1.0, 2.0], [[-3.0, 0.0], [3.0 * turn, 0.0]], [[turn - 3.0, 0.0], [4.0 * turn, 0.0]]),
                          ([0.0, 1.0], [[3.1 - turn, 0.0], [turn, 1.0]], [[3.1, 0.0], [2.0 * turn, 1.0]]),
                          ([0.0, 1.0], [[3.1 + 3.0 * turn, 0.0], [20.0, 1.0]], [[3.1, 0.0], [20.0 - 3.0 * turn, 1.0]]),
                          ([1.0, 2.0], [[np.nan, 1.0], [-3.0, 1.0]], [[3.1, 1.0], [turn - 3.0, 1.0]]),
                          ([1.0], [[float(np.float32(turn)), 0.0]], [[0.0, 0.0]])):
        given = points(q)
        motion = trajectory(0.0, hold([3.1, 0.0]), at, given, endless=endless, turns=np.array([1.0, 0.0]))
        np.testing.assert_allclose(motion.end.q, wanted[-1], atol=1e-6)
        np.testing.assert_array_equal(given.q, q)
        if at[0] > 0.0:
            np.testing.assert_allclose(motion.sample(at[0]).q, wanted[0], atol=1e-6)
    unmoved = trajectory(0.0, hold([3.1, 0.0]), [1.0], points([[-3.0, np.nan]]))
    np.testing.assert_array_equal(unmoved.end.q, [-3.0, 0.0])


@pytest.mark.parametrize("late", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("first", [0.0, 0.5])           # [s] before and after which the late ones come
@pytest.mark.parametrize("q", [[6.1, 6.4, 6.6], [0.0, 5.0, 6.0], [-6.0, 0.0, 7.0], [7.0, 7.5, 6.0]])
def test_how_late_a_trajectory_comes_changes_no_number_of_turns(q, first, late):
    start = hold([q[0] + 4.0 * np.pi], 5.0)
    motion = trajectory(9.0, start, [first, 1.0, 8.0], points(np.array(q)[:, None]), stamp=9.0 - late,
                        endless=np.array([True]), turns=np.array([2.0]))
    np.testing.assert_allclose(motion.end.q, q[-1] + 4.0 * np.pi, atol=1e-12)


@pytest.mark.parametrize("late", [0.0, 0.9])
def test_a_first_position_beyond_a_turn_is_meant_as_told_also_when_it_has_gone_by(late):
    motion = trajectory(9.0, hold([1.0 + 4.0 * np.pi]), [0.5, 8.0], points([[7.0], [13.0]]), stamp=9.0 - late,
                        endless=np.array([True]), turns=np.array([2.0]))
    np.testing.assert_allclose(motion.end.q, 13.0 + 4.0 * np.pi, atol=1e-12)


def test_a_trajectory_that_is_sent_again_midway_goes_on_to_where_it_went():
    given, endless = points([[0.0], [10.0]]), np.array([True])
    motion = trajectory(0.0, hold([0.0]), [0.0, 20.0], given, endless=endless, stamp=0.0)
    for now in (6.0, 12.0, 14.0, 19.0):
        motion = trajectory(now, motion, [0.0, 20.0], given, endless=endless, stamp=0.0)
        np.testing.assert_allclose(motion.end.q, [10.0], atol=1e-12)


def test_the_end_is_held():
    motion = trajectory(0.0, hold([0.0]), [1.0], points([[2.0]]))
    end = motion.sample(7.0)
    assert (end.q, end.qd, end.qdd) == (2.0, 0.0, 0.0)


def test_preemption_continues_position_velocity_and_acceleration():
    first = trajectory(0.0, hold([0.0, 0.0]), [2.0], points([[1.0, -2.0]]))
    second = trajectory(0.7, first, [1.5], points([[-1.0, 0.5]]))
    for a, b in zip(first.sample(0.7), second.sample(0.7), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_stamp_ahead_lets_the_present_motion_go_on_until_then():
    first = trajectory(0.0, hold([0.0]), [2.0], points([[1.0]]))
    second = trajectory(0.5, first, [1.0], points([[0.0]]), stamp=1.2)
    assert second.sample(0.9).q == first.sample(0.9).q
    for a, b in zip(first.sample(1.2), second.sample(1.2), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert second.sample(2.2).q == 0.0


@pytest.mark.parametrize(("ahead", "most"), [(0.005, 2), (0.1, 12)])
def test_a_stream_of_trajectories_keeps_only_those_still_in_force(ahead, most):
    motion = hold([0.0])
    for t in 0.01 * np.arange(300):
        wanted = motion.sample(t)
        motion = trajectory(t, motion, [0.1], points([[0.1]]), stamp=t + ahead)
        assert motion.sample(t).q == wanted.q
    length = 0
    while motion is not None:
        motion, length = motion.before, length + 1
    assert length <= most


def test_points_that_have_gone_by_are_left_out_and_a_whole_past_is_refused():
    late = trajectory(10.0, hold([0.0]), [1.0, 3.0], points([[1.0], [2.0]]), stamp=8.0)
    np.testing.assert_allclose(late.sample(11.0).q, [2.0])
    assert late.sample(10.0).q == 0.0
    with pytest.raises(RdynError, match="in the past"):
        trajectory(10.0, hold([0.0]), [1.0], points([[1.0]]), stamp=2.0)


def test_a_first_point_at_time_zero_gives_way_to_the_motion_in_force():
    motion = trajectory(0.0, hold([0.3]), [0.0, 1.0], points([[0.0], [1.0]]))
    assert motion.sample(0.0).q == 0.3


def test_cubics_without_velocities_never_leave_the_range_of_their_points():
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = rng.normal(size=(6, 1))
        times = np.cumsum(rng.uniform(0.1, 1.0, 6))
        motion = trajectory(0.0, hold([0.0]), times, points(q), "cubic")
        knots = np.concatenate([[0.0], q[:, 0]])
        for i, (a, b) in enumerate(zip([0.0, *times[:-1]], times, strict=True)):
            inside = [motion.sample(t).q[0] for t in np.linspace(a, b, 30)]
            low, high = sorted(knots[i:i + 2])
            assert low - 1e-9 <= min(inside) and max(inside) <= high + 1e-9


def test_joints_that_are_not_named_stay():
    motion = trajectory(0.0, hold([0.3, 0.7]), [1.0], points([[1.0, np.nan]]))
    for t in (0.2, 0.5, 2.0):
        assert motion.sample(t).q[1] == pytest.approx(0.7, abs=1e-15)


@pytest.mark.parametrize(("times", "given", "says"), [
    ([], points(np.zeros((0, 1))), "one or more"),
    ([1.0, 1.0], points([[1.0], [2.0]]), "increasing"),
    ([np.nan], points([[1.0]]), "increasing"),
    ([1.0], points([[1.0]], [[0.5]]), "must be 0"),
    ([1.0], points([[1.0, 2.0]]), r"q of the points has shape \(1, 2\); it needs \(1, 1\)"),
    ([1.0, 2.0], points([[1.0]]), r"q of the points has shape \(1, 1\); it needs \(2, 1\)"),
    ([1.0], points([[1.0]], [[0.0, 0.0]]), "qd of the points has shape"),
    ([1.0], points([[np.inf]]), "finite"),
    ([1.0], points([[1.0]], None, [[-np.inf]]), "qdd of the points .* finite"),
])
def test_impossible_points_are_refused_in_words(times, given, says):
    with pytest.raises(RdynError, match=says):
        trajectory(0.0, hold([0.0]), times, given)


def test_unknown_interpolation_is_refused():
    with pytest.raises(RdynError, match="cubic or quintic"):
        trajectory(0.0, hold([0.0]), [1.0], points([[1.0]]), "linear")


def test_limits_are_checked_along_the_way_and_the_joint_is_named():
    limits = SimpleNamespace(lower=-np.ones(2), upper=np.ones(2), velocity=2.0 * np.ones(2))
    check_limits(trajectory(0.0, hold([0.0, 0.0]), [1.0], points([[0.9, 0.0]])), limits, JOINTS)
    with pytest.raises(RdynError, match="joint b would move over"):
        check_limits(trajectory(0.0, hold([0.0, 0.0]), [2.0], points([[0.0, 1.1]])), limits, JOINTS)
    with pytest.raises(RdynError, match=r"joint a would move at 3.*more time"):
        check_limits(trajectory(0.0, hold([0.0, 0.0]), [0.5], points([[0.9, 0.0]])), limits, JOINTS)


def test_a_joint_beyond_its_limit_may_come_back_but_go_no_further():
    limits = SimpleNamespace(lower=np.array([-1.0]), upper=np.array([1.0]), velocity=np.array([np.inf]))
    check_limits(trajectory(0.0, hold([1.2]), [1.0], points([[0.5]])), limits, JOINTS[:1])
    with pytest.raises(RdynError, match="limits"):
        check_limits(trajectory(0.0, hold([1.2]), [1.0], points([[1.3]])), limits, JOINTS[:1])


def test_a_streamed_reference_goes_on_for_a_while_and_then_holds():
    stream = Streamed(1.0, Reference(np.array([0.5]), np.array([2.0]), np.array([0.0])), patience=0.1)
    assert stream.sample(1.05).q == pytest.approx(0.6)
    assert stream.sample(1.05).qd == 2.0
    assert stream.sample(9.0).q == pytest.approx(0.7)
    assert stream.sample(9.0).qd == 0.0


def test_rest_does_not_alias_its_argument():
    q = np.zeros(2)
    still = rest(q)
    q[0] = 1.0
    assert still.q[0] == 0.0


@pytest.mark.alone
def test_a_long_trajectory_does_not_hold_up_the_loop():
    """It is prepared between two joint states; scipy's own Hermite constructor took 100 ms for it."""
    times = np.arange(1.0, 1001.0)
    wide = SimpleNamespace(lower=-np.ones(7), upper=np.ones(7), velocity=3.0 * np.ones(7))
    start = time.process_time()
    motion = trajectory(0.0, hold(np.zeros(7)), times, points(0.5 * np.sin(times)[:, None] * np.ones(7)))
    check_limits(motion, wide, 7 * JOINTS[:1])
    assert time.process_time() - start < 0.05
