"""The demo's motion: inside the limits, at half speed, smooth from rest to rest."""
import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.cli.demo_motion import SPEED, targets, tour
from rdyn_ros.control.motion import Reference
from rdyn_ros.control.trajectory import hold, trajectory


@pytest.mark.parametrize("name", ["arm_7r", "planar_2r", "cartesian", "ur5_like"])
@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("seconds", [1.0, 5.0, 11.0])
def test_the_motion_is_gentle(name, turn, seconds):
    robot = rdyn.load(name)
    start = targets(robot, turn - 1)[-1] if turn else np.zeros(robot.nv)
    times, *points = tour(start, targets(robot, turn), robot.limits.velocity, seconds)
    assert times[-1] == pytest.approx(seconds) or len(times) == 1, "all the time is used"
    motion = trajectory(0.0, hold(start), times, Reference(*points))
    t = np.linspace(0.0, times[-1], 10_000)
    q, qd, qdd = (polynomial(t) for polynomial in motion.polynomials)
    assert np.all((q >= robot.limits.lower) & (q <= robot.limits.upper))
    assert np.max(np.abs(qd) / robot.limits.velocity) <= 1.001 * SPEED
    np.testing.assert_allclose([qd[0], qd[-1], qdd[0], qdd[-1]], 0.0, atol=1e-9)
    assert np.max(np.abs(np.diff(qdd, axis=0))) < 0.01 * np.max(np.abs(qdd)), "no jump of acceleration"


def test_more_time_passes_more_targets():
    robot = rdyn.load("arm_7r")
    counts = [len(tour(np.zeros(7), targets(robot, 0), robot.limits.velocity, s)[0]) for s in (1.0, 5.0, 30.0)]
    assert counts[0] == 1 < counts[1] < counts[2] == 8
