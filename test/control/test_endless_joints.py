"""Joints without limits: a driver may fold them into one turn, and the arm passes the seam as if there were none."""
import numpy as np
import pytest

from rdyn_ros import load
from rdyn_ros.control.controller import Controller
from rdyn_ros.control.motion import Reference, State, endless, rest
from rdyn_ros.nodes.control_settings import control_settings
from rdyn_ros.nodes.joint_states import TAKEN, Measured, joint_states_of
from rdyn_ros.nodes.parameters import ControlParameters
from support.bar import BAR
from support.closed_loop import Loop


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


def fold(q):
    """Position [rad] as a driver tells it that folds it into one turn."""
    return np.remainder(q + np.pi, 2.0 * np.pi) - np.pi


def folding(robot, start, mode="computed_torque", told=fold):
    """Loop of a bar that stands at `start` [rad]; its controller gets what the driver tells through joint states."""
    loop, states = Loop(robot, mode), joint_states_of(robot, ControlParameters())
    loop.arm.q, measure = np.array([start]), loop.arm.measure

    def through_joint_states():
        state, stamp = measure(), int(1e9 * (1.0 + loop.now))
        message = Measured(stamp, robot.joint_names, told(state.q), state.qd, state.effort)
        assert states.take(message, loop.now, 0.1) in TAKEN
        return State(states.q.copy(), states.qd.copy(), state.effort)
    loop.arm.measure = through_joint_states
    return loop.enabled()


def points(*q):
    """Points of the bar [rad] without velocities and accelerations."""
    nothing = np.full((len(q), 1), np.nan)
    return Reference(np.array(q, float)[:, None], nothing, nothing)


@pytest.mark.parametrize("told", [fold, lambda q: q], ids=["folded", "counted"])
@pytest.mark.parametrize("mode", ["computed_torque", "pd_gravity"])
def test_a_joint_without_limits_passes_the_seam_of_a_driver_that_folds_its_positions(told, mode):
    loop = folding(load(BAR), np.pi - 0.02, mode, told)
    for goal in (-np.pi + 0.03, np.pi - 0.03):              # as the driver tells it: 0.05 and -0.06 rad away
        loop.controller.follow([0.5], points(goal))
        loop.run(1.0)
        assert loop.phase == "active"
        assert abs(fold(loop.arm.q - goal)) < 0.005
    loop.controller.set_reference(rest(np.array([np.pi + 0.01]) - 2.0 * np.pi))
    loop.run(1.0)
    assert abs(loop.arm.q - np.pi - 0.01) < 0.005
    assert max(np.abs(stream).max() for stream in loop.streams) < 5.0       # 49 when the seam was a way of 6.28 rad
    assert np.abs(loop.arm.q - np.pi).max() < 0.1


@pytest.mark.parametrize("turned", [0, 1, -2])
def test_who_reads_what_the_driver_tells_is_understood_however_often_the_joint_has_turned(turned):
    loop = folding(load(BAR), 1.0)
    if turned:
        loop.controller.follow([5.0 * abs(turned)], points(1.0 + 2.0 * np.pi * turned))
        loop.run(5.0 * abs(turned) + 0.5)
        assert loop.arm.q == pytest.approx(1.0 + 2.0 * np.pi * turned, abs=0.005)
    begin = loop.arm.q.copy()
    loop.controller.follow([5.0], points(7.0))              # more than a turn, so meant as it is told: 6 rad from 1
    loop.run(5.5)
    assert loop.arm.q - begin == pytest.approx(6.0, abs=0.005)


def test_references_may_count_turns_or_not():
    loop, q = folding(load(BAR), 1.0), 1.0
    for _ in range(4000):
        q += 0.002                                          # counts on, beyond a turn
        loop.controller.set_reference(Reference(np.array([q]), np.array([2.0]), np.zeros(1)))
        loop.run(0.001)
    assert loop.phase == "active" and loop.arm.q == pytest.approx(q, abs=0.01)
    for _ in range(1000):
        q += 0.002
        loop.controller.set_reference(Reference(fold(np.array([q])), np.array([2.0]), np.zeros(1)))
        loop.run(0.001)
    assert loop.phase == "active" and loop.arm.q == pytest.approx(q, abs=0.01)


@pytest.mark.parametrize("misread", [(50.0,), (-8.0,), (2.5,), (1e9,), (6.0, 50.0), (6.0, 50.0, -8.0, 6.0)], ids=str)
def test_positions_that_were_misread_add_no_turns(misread):
    wrong = []
    loop = folding(load(BAR), 0.3, told=lambda q: np.array([wrong.pop()]) if wrong else fold(q))
    for _ in range(3):
        wrong.extend(misread)
        loop.run(0.3)
        assert loop.controller.state.q == pytest.approx(loop.arm.q, abs=1e-4)
        assert loop.arm.q == pytest.approx(0.3, abs=0.01)


def controller_told(positions, velocities=None, times=None):
    """Positions [rad] of the bar as its controller knows them after each that was told, 10 ms apart."""
    robot, known = load(BAR), []
    controller = Controller(robot, control_settings(ControlParameters(state_timeout=0.05), robot))
    for k, q in enumerate(positions):
        t, qd = times[k] if times else 0.01 * k, velocities[k] if velocities else 0.0
        controller.take(t, t, State(np.array([q], float), np.array([qd])))
        known.append(controller.state.q[0])
    return known


@pytest.mark.parametrize("fastest", [1e3, 1e18, 1e300])
def test_a_velocity_that_was_misread_adds_no_turns(fastest):
    assert controller_told([0.3] * 4, [0.0, fastest, -fastest, 0.0]) == [0.3] * 4


def test_a_driver_may_fold_with_32_bits():
    told = [float(np.float32(q)) for q in (6.28, 2.0 * np.pi, 0.003)]
    assert controller_told(told) == pytest.approx([6.28, 2.0 * np.pi, 2.0 * np.pi + 0.003], abs=1e-6)


def test_after_silence_turns_begin_anew():
    assert controller_told([3.1, -3.1, -3.1], times=[0.0, 0.01, 9.0]) == pytest.approx([3.1, 2.0 * np.pi - 3.1, -3.1])
    assert controller_told([1.0, 7.0, 6.2], times=[0.0, 9.0, 9.01]) == [1.0, 7.0, 6.2]      # a driver that counts
