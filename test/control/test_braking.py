"""The end of a motion under way: smooth, inside the limits, each joint in a time of its own."""
import numpy as np
import pytest

from rdyn_ros.control.braking import braked
from rdyn_ros.control.motion import Reference
from rdyn_ros.control.trajectory import hold, trajectory
from rdyn_ros.model.parts import Limits

FREE = np.full(3, np.inf)
NOTHING = np.full((1, 3), np.nan)


def limits(upper=FREE, velocity=FREE):
    """Limits of three joints."""
    return Limits(-FREE, np.array(upper, float), np.array(velocity, float), FREE)


def motion(interpolation="quintic"):
    """Three joints under way; the second moves slowly, the third stands."""
    return trajectory(0.0, hold(np.zeros(3)), [1.0], Reference(np.array([[1.0, 0.1, 0.0]]), NOTHING, NOTHING),
                      interpolation)


@pytest.mark.parametrize("now", [0.1, 0.5, 0.8, 2.0])
@pytest.mark.parametrize("interpolation", ["quintic", "cubic"])
def test_position_velocity_and_acceleration_go_on_and_end_at_rest(now, interpolation):
    going = motion(interpolation)
    end = braked(going, now, 0.4, limits())
    for before, after in zip(going.sample(now), end.sample(now), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)
    for t in (now + 0.4, now + 9.0):
        q, qd, qdd = end.sample(t)
        np.testing.assert_allclose(q, going.sample(now).q + 0.2 * going.sample(now).qd, atol=1e-12)
        np.testing.assert_allclose([qd, qdd], 0.0, atol=1e-12)


def test_velocity_and_acceleration_are_those_of_the_position():
    end, h = braked(motion(), 0.4, 0.5, limits(upper=[0.5, 1.0, 1.0])), 1e-5
    assert len(set(end.times)) > 1
    for t in np.linspace(0.42, 0.95, 30):
        before, here, after = (end.sample(t + k * h) for k in (-1, 0, 1))
        np.testing.assert_allclose(here.qd, (after.q - before.q) / (2.0 * h), atol=1e-6)
        np.testing.assert_allclose(here.qdd, (after.qd - before.qd) / (2.0 * h), atol=1e-4)


def test_a_joint_near_its_limit_stops_sooner_and_no_other_does():
    going, now = motion(), 0.5
    q, qd, _ = going.sample(now)
    end = braked(going, now, 0.5, limits(upper=[q[0] + 0.05 * qd[0], 9.0, 9.0]))
    assert 0.02 < end.times[0] <= 0.1
    assert end.times[1:].tolist() == [0.5, 0.5]
    ways = np.array([end.sample(t).q for t in np.linspace(now, now + 0.6, 200)])
    assert ways[:, 0].max() <= q[0] + 0.05 * qd[0] + 1e-5


def test_a_joint_that_gets_faster_keeps_its_velocity_limit():
    going, now = motion(), 0.2
    _, qd, qdd = going.sample(now)
    assert qdd[0] > 1.0
    end = braked(going, now, 0.5, limits(velocity=[qd[0] + 0.02, 9.0, 9.0]))
    assert end.times[0] < 0.5 == end.times[1]
    assert max(end.sample(t).qd[0] for t in np.linspace(now, now + 0.6, 200)) <= qd[0] + 0.021
