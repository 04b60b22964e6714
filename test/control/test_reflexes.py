"""What keeps people and arm safe: soft stops, quick reflexes, and refusals before anything moves."""
import numpy as np
import pytest

from rdyn_ros.audit import load_audited
from rdyn_ros.control.controller import Controller
from rdyn_ros.control.motion import Reference, State
from rdyn_ros.control.reference import patience
from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.control_settings import control_settings
from rdyn_ros.nodes.parameters import ControlParameters
from rdyn_ros.simulation.arm import ArmSettings
from support.closed_loop import POSE, Loop

TURN = np.eye(7)[0]
ZERO = np.zeros(7)


def test_an_arm_switched_off_while_it_moves_stands_before_torque_fades(arm):
    loop = Loop(arm).enabled().move(0.8, 1.5).run(0.7)
    assert np.abs(loop.arm.qd).min() > 0.5
    loop.controller.disable(loop.now)
    faded = next(i for i in range(1000) if loop.run(1e-3).controller.filter.since <= loop.now)
    assert 100 < faded < 500 and np.abs(loop.arm.qd).max() < 0.06
    loop.run(0.5)
    assert loop.phase == "idle" and loop.largest_step() <= 1.0 + 1e-9


def test_an_arm_switched_off_at_rest_hardly_sinks_until_the_brakes_hold(arm):
    loop = Loop(arm, "gravity_compensation").enabled()
    start = loop.arm.q
    loop.controller.disable(loop.now)
    speeds = [np.abs(loop.run(1e-3).arm.qd).max() for _ in range(600)]
    assert loop.phase == "idle" and not loop.arm.qd.any()
    assert np.abs(loop.arm.q - start).max() < 0.2
    assert max(speeds) < 2.0


@pytest.mark.parametrize("mode", ["damping", "pd_gravity", "cartesian_impedance"])
def test_another_mode_does_not_go_on_pushing_as_the_last_one_did(arm, mode):
    loop = Loop(arm, ramp_time=0.5).enabled().move(1.2 * TURN, 1.5).run(0.25)
    start = loop.arm.qd[0]
    assert start > 0.4                          # and it accelerates
    loop.controller.set_mode(loop.now, mode)
    speeds = [loop.run(0.01).arm.qd[0] for _ in range(60)]
    follows = mode == "pd_gravity"
    assert (max(speeds) > 1.0) if follows else (max(speeds) < start + 0.1)
    if mode == "damping":
        assert abs(speeds[-1]) < 0.05 and max(speeds[5:]) < start
    assert loop.largest_step() <= 1.0 + 1e-9


def test_a_leap_of_the_stamps_ends_the_motion_where_the_arm_is(arm):
    loop = Loop(arm).enabled().move(1.0, 20.0).run(1.0)
    loop.arm.steps += 50
    loop.arm.advance()
    assert loop.run(0.001).controller.leap == 0.0
    there = loop.arm.q
    loop.arm.steps += 30000
    loop.arm.advance()
    assert loop.run(0.001).controller.leap > 29.0
    speeds = [np.abs(loop.run(0.01).arm.qd).max() for _ in range(60)]
    assert max(speeds) < 0.2 and np.abs(loop.arm.q - there).max() < 0.02
    assert loop.phase == "active"


PIN = """<robot name="pin"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="pin"><inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="50" velocity="1"/></joint>
<joint name="spin" type="revolute"><parent link="arm"/><child link="pin"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="50" velocity="1"/></joint></robot>"""


def test_a_law_that_needs_the_inverse_of_a_mass_matrix_without_one_ends_in_damping():
    robot = load_audited(PIN)[0]
    controller = Controller(robot, control_settings(ControlParameters(), robot), "cartesian_impedance")
    state = State(np.array([0.2, 0.1]), np.zeros(2), None)
    controller.take(0.0, 0.0, state)
    assert controller.enable(0.0) == []
    assert controller.take(0.001, 0.001, state)
    assert controller.filter.phase == "damping" and np.isfinite(controller.filter.output).all()


@pytest.mark.parametrize(("q", "qd", "says"), [
    (0.0, 30.0, "joint_1 moves at 30;"), (0.2, 0.0, "0.2 from the present"), (np.nan, 0.0, "from the present"),
    (0.0, np.nan, "moves at nan"), (0.0, 1e300, r"moves at 1e\+300;")])
def test_wild_references_are_refused_in_words(arm, q, qd, says):
    loop = Loop(arm).enabled()
    present = loop.controller.motion.sample(loop.now).q
    with pytest.raises(RdynError, match=says):
        loop.controller.set_reference(Reference(present + q * TURN, qd * TURN, ZERO))


def test_a_reference_cannot_be_streamed_beyond_the_limits(arm):
    loop = Loop(arm).enabled()
    with pytest.raises(RdynError, match=r"joint_1 is .*; its limits are"):
        for _ in range(80):
            present = loop.controller.motion.sample(loop.now).q
            loop.controller.set_reference(Reference(present + 0.09 * TURN, ZERO, ZERO))
    assert present[0] <= arm.limits.upper[0]


def test_a_reference_goes_on_no_further_than_a_step_and_the_limits(arm):
    near = POSE.copy()
    near[0] = arm.limits.upper[0] - 0.01
    for q, qd, step, seconds in [(POSE, 0.5, 0.1, 0.1), (POSE, 2.0, 0.1, 0.05), (near, 0.5, 0.1, 0.02),
                                 (near, -0.5, 0.1, 0.1), (POSE, 0.0, 0.0, 0.1)]:
        assert patience(Reference(q, qd * TURN, ZERO), arm.limits, step, 0.1) == pytest.approx(seconds)


def test_an_arm_that_cannot_be_held_is_not_enabled(arm):
    loop = Loop(arm, "gravity_compensation", effort_scale=0.1).run(0.01)
    reasons = loop.controller.enable(loop.now)
    assert "joint_2 needs" in reasons[0] and "effort_scale" in reasons[0]
    assert loop.phase == "idle"


def test_a_stop_on_the_way_to_a_limit_keeps_it(arm):
    loop = Loop(arm, simulation=ArmSettings(scheme="rk4", stops=False))
    loop.arm.q[0] = arm.limits.upper[0] - 0.45
    loop.enabled().move(0.45 * TURN, 0.6).run(0.3)
    assert loop.arm.qd[0] > 1.0
    loop.controller.stop()
    ways = [loop.run(0.01).controller.reference.q[0] for _ in range(60)]
    assert max(ways) <= arm.limits.upper[0] + 1e-6
    assert loop.phase == "active" and abs(loop.arm.qd[0]) < 0.01


def test_a_joint_enabled_beyond_its_range_may_not_go_further_out(arm):
    loop = Loop(arm, "gravity_compensation", simulation=ArmSettings(scheme="rk4", stops=False))
    loop.arm.q[3] = arm.limits.lower[3] - 0.2
    loop.enabled()
    loop.arm.q[3] -= 0.005
    assert loop.run(0.01).phase == "active"
    loop.arm.q[3] -= 0.02
    assert loop.run(0.01).phase == "damping" and "joint_4" in loop.controller.filter.fault
