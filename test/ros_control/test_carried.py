"""The robots under control: payloads and gravity pass over at the same time, each along its own ramp."""
import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.nodes.carried import carried
from rdyn_ros.nodes.loaded_robot import Load, Payload, loaded

ROBOT = rdyn.load("planar_2r")
Q, QD, QDD = np.array([0.3, -0.8]), np.array([1.2, 0.4]), np.array([-0.7, 2.0])
BOX = Payload("tool", 3.0, np.array([0.1, 0.0, 0.2]), np.diag([0.02, 0.03, 0.04]))
WALL = np.array([0.0, -9.81, 0.0])


def blended(robots, torque):
    """Weighted sum of torque(robot), as the controller takes it."""
    robot, before = robots
    share = 1.0 - sum(weight for weight, _ in before)
    return share * torque(robot) + sum(weight * torque(other) for weight, other in before)


@pytest.mark.parametrize("now", [0.0, 1.0, 2.5, 3.0, 4.0, 9.0, 11.0])
def test_a_change_of_gravity_does_not_cut_a_payload_short(now):
    """Payload from 0 to 10 s, gravity from 2 to 4 s: at every moment the torque of the robot in between."""
    robot = loaded(Load(ROBOT, {}, "tool")).with_load(Load(ROBOT, {"box": BOX}, "tool"), 0.0, 10.0)
    if now > 2.0:
        robot = robot.with_gravity(WALL, 2.0, 2.0)
    part, turned = min(now / 10.0, 1.0), np.clip((now - 2.0) / 2.0, 0.0, 1.0)
    between = ROBOT.with_payload(part * BOX.mass, BOX.com, part * BOX.inertia, "tool").with_gravity(
        (1.0 - turned) * ROBOT.gravity + turned * WALL)
    robots = carried(robot, now)
    for torque in (lambda r: r.inverse_dynamics(Q, QD, QDD), lambda r: r.gravity_torque(Q)):
        np.testing.assert_allclose(blended(robots, torque), torque(between), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(robots[0].gravity, between.gravity, atol=1e-12)


def test_gravity_that_changes_all_the_time_costs_no_robots_and_no_machine_code():
    robot = loaded(Load(ROBOT, {}, "tool"))
    for k in range(100):
        robot = robot.with_gravity([0.01 * k, 0.0, -9.81], 0.1 * k, 1.0)
    last, before = carried(robot, 10.0)
    assert before == ()
    assert last.model is ROBOT.model
