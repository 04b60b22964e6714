"""Joints without limits: a driver may fold them into one turn, and the arm passes the seam as if there were none."""
import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.control.motion import Reference, State, endless, rest
from rdyn_ros.nodes.joint_states import TAKEN, Measured, joint_states_of
from rdyn_ros.nodes.parameters import ControlParameters
from support.closed_loop import Loop

BAR = """
name: bar
links:
  - name: bar
    parent: base
    joint: {name: hinge, type: continuous, axis: [0, 0, 1], limits: {velocity: 3.0, effort: 50.0}}
    inertia: {mass: 4.0, com: [0.1, 0, 0], tensor: {xx: 0.01, yy: 0.05, zz: 0.05}}
"""


def test_joints_that_others_follow_keep_their_turns():
    follower = """
  - name: half
    parent: bar
    origin: {xyz: [0.2, 0, 0]}
    joint: {name: follower, type: continuous, axis: [0, 0, 1], mimic: {joint: hinge, ratio: 0.5}}
    inertia: {mass: 1.0, com: [0.1, 0, 0], tensor: {xx: 0.01, yy: 0.01, zz: 0.01}}
"""
    assert endless(load(BAR)).tolist() == [True]
    assert endless(load(BAR + follower.lstrip("\n"))).tolist() == [False]
    assert not endless(load("arm_7r")).any()


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("mode", ["computed_torque", "pd_gravity"])
def test_a_joint_without_limits_passes_the_seam_of_a_driver_that_folds_its_positions(folded, mode):
    robot = load(BAR)
    loop, states = Loop(robot, mode), joint_states_of(robot, ControlParameters())
    loop.arm.q, measure = np.array([np.pi - 0.02]), loop.arm.measure

    def through_joint_states():
        state, stamp = measure(), int(1e9 * (1.0 + loop.now))
        q = np.remainder(state.q + np.pi, 2.0 * np.pi) - np.pi if folded else state.q
        assert states.take(Measured(stamp, robot.joint_names, q, state.qd, state.effort), loop.now, 0.1) in TAKEN
        return State(states.q.copy(), states.qd.copy(), state.effort)
    loop.arm.measure = through_joint_states
    loop.enabled()
    for goal in (-np.pi + 0.03, np.pi - 0.03):              # as the driver tells it: 0.05 and -0.06 rad away
        nothing = np.full((1, 1), np.nan)
        loop.controller.follow([0.5], Reference(np.array([[goal]]), nothing, nothing))
        loop.run(1.0)
        assert loop.phase == "active"
        assert abs(np.remainder(loop.arm.q - goal + np.pi, 2.0 * np.pi) - np.pi) < 0.005
    loop.controller.set_reference(rest(np.array([np.pi + 0.01]) - 2.0 * np.pi))
    loop.run(1.0)
    assert abs(loop.arm.q - np.pi - 0.01) < 0.005
    assert max(np.abs(stream).max() for stream in loop.streams) < 5.0       # 49 when the seam was a way of 6.28 rad
    assert np.abs(loop.arm.q - np.pi).max() < 0.1
