"""Simulator and control as processes: the loop closes over topics, answers its services and never steps."""
import signal
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Inertia, PoseStamped, WrenchStamped
from rcl_interfaces.msg import Log
from rclpy.qos import qos_profile_rosout_default
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from support.control_peer import DELTA, NAMES, POSE, ControlPeer, largest_step, nanoseconds

pytestmark = pytest.mark.processes
BACKWARDS = NAMES[::-1]


@pytest.fixture(scope="module")
def peer():
    joints = {"joints": str(BACKWARDS).replace(" ", "")}        # commands in another order than the robot's
    with ControlPeer(simulator=joints, control=joints) as peer:
        yield peer


@pytest.fixture
def active(peer):
    """In computed_torque, at POSE, torque on; whatever the test before left behind."""
    peer.transition("activate", "active")
    peer.set_parameters("control", state_timeout=5.0, stop_time=0.5, wanted_rate=0.0)
    peer.activate()
    assert peer.set_mode("computed_torque").success
    peer.go_home()
    peer.commands.clear()
    return peer


def test_a_trajectory_is_followed_in_any_order_of_joints(active):
    goal = np.array(POSE) + [0.3, -0.2, 0.1, 0.3, -0.3, 0.2, 0.4]
    active.move(goal[::-1], names=BACKWARDS)
    report = active.arrive(goal)
    assert report.joint_names == BACKWARDS
    assert np.abs(report.error.positions).max() < 1e-2
    assert largest_step(active.commands) <= DELTA


def test_commands_go_out_in_two_forms_with_equal_numbers(active):
    arrays = active.listener.listen(Float64MultiArray, "effort_controller/commands")
    active.listener.wait(lambda: len(arrays) > 5, "commands")
    sent = {tuple(array.data) for array in arrays}
    active.listener.wait(lambda: any(tuple(command.effort) in sent for command in active.commands), "equals")
    assert active.commands[0].name == BACKWARDS


def test_modes_change_by_service_without_a_step(active):
    for mode in ("pd_gravity", "cartesian_impedance", "damping", "gravity_compensation", "computed_torque"):
        answer = active.set_mode(mode)
        assert answer.success and answer.mode == mode and answer.reason == "ok"
        active.wait_report(lambda report, mode=mode: report.mode == mode and report.phase == "active", mode)
    assert largest_step(active.commands) <= DELTA
    answer = active.set_mode("dance")
    assert not answer.success and answer.reason == "bad_input" and "computed_torque" in answer.message
    assert answer.mode == "computed_torque" and "pd" in answer.modes


def test_what_is_refused_is_told_on_diagnostics(active):
    active.move([9.0], names=["joint_1"])
    values = active.wait_refusal("joint_1 would move over")
    assert int(values["count_joint_trajectory_refused"]) >= 1
    active.move([0.0], names=["elbow"])
    active.wait_refusal("elbow")
    assert active.reports[-1].phase == "active"


def test_an_empty_trajectory_stops_the_motion(active):
    active.move(np.array(POSE) + 0.5, seconds=20.0)
    active.wait_report(lambda report: max(report.reference.velocities) > 0.01, "motion")
    active.trajectories.publish(JointTrajectory())
    active.wait_report(lambda report: max(np.abs(report.reference.velocities)) == 0.0, "rest")
    assert largest_step(active.commands) <= DELTA


def test_references_and_target_poses_are_taken(active):
    publisher = active.listener.publisher(JointState, "control/reference")
    active.listener.ask(publisher, JointState(name=["joint_1"], position=[POSE[0] + 0.05]), lambda: abs(
        active.reports[-1].reference.positions[-1] - POSE[0] - 0.05) < 1e-9, "the reference", every=0.5)
    active.set_mode("cartesian_impedance")
    pose = PoseStamped()
    pose.header.frame_id = "nowhere"
    publisher = active.listener.publisher(PoseStamped, "control/target_pose")
    active.listener.ask(publisher, pose, lambda: any(
        "nowhere" in value.value for array in active.diagnostics for status in array.status
        for value in status.values), "the refusal", every=0.5)


def test_an_outer_wrench_is_felt_at_the_tool(active):
    wrenches = active.listener.listen(WrenchStamped, "control/external_wrench")
    torques = active.listener.listen(JointState, "control/external_torque")
    push = active.listener.publisher(WrenchStamped, "simulator/external_wrench")
    message = WrenchStamped()
    message.wrench.force.z = 20.0
    active.listener.ask(push, message, lambda: wrenches and abs(wrenches[-1].wrench.force.z - 20.0) < 1.0,
                        "a force", every=0.5)
    assert torques[-1].name == BACKWARDS and np.abs(torques[-1].effort).max() > 1.0
    active.listener.ask(push, WrenchStamped(), lambda: abs(wrenches[-1].wrench.force.z) < 1.0,
                        "no force", every=0.5)
    assert largest_step(active.commands) <= DELTA


def test_a_payload_told_while_moving_changes_torque_without_a_step(active):
    active.move(np.array(POSE) + 0.2, seconds=3.0)
    answer = active.set_payload(name="tool", inertia=Inertia(m=1.0), transition=Duration(nanosec=200_000_000))
    assert answer.success and answer.names == ["tool"], answer.message
    active.wait_diagnostics("control", lambda _, said: said["payloads"] == "tool 100%", "the payload")
    active.set_parameters("simulator", payload_mass=1.0)
    active.arrive(np.array(POSE) + 0.2)
    answer = active.set_payload(operation="remove")
    assert answer.success and answer.names == []
    active.set_parameters("simulator", payload_mass=0.0)
    active.arrive(np.array(POSE) + 0.2)
    assert largest_step(active.commands) <= DELTA


def test_disabling_ends_at_zero_and_then_in_silence(active):
    logs = active.listener.listen(Log, "/rosout", qos_profile_rosout_default)
    assert active.enable(False).success
    ended = nanoseconds(active.wait_report(lambda report: report.phase == "idle", "the phase idle"))
    active.wait_report(lambda report: nanoseconds(report) > ended + 300_000_000, "time to go on")
    active.listener.wait(lambda: not np.any(active.commands[-1].effort), "the last command")
    assert nanoseconds(active.commands[-1]) <= ended
    assert largest_step(active.commands) <= DELTA
    phases = ["torque is stopping", "torque is idle"]
    active.listener.wait(lambda: [log.msg for log in logs if log.msg in phases][-2:] == phases, "the phases in the log")


def test_deactivating_the_node_leads_torque_to_zero_first(active):
    active.transition("deactivate", "inactive")
    active.listener.wait(lambda: not np.any(active.commands[-1].effort), "the last command")
    assert largest_step(active.commands) <= DELTA
    assert not active.enable().success
    active.transition("activate", "active")


def test_a_rate_below_the_wanted_one_is_told(active):
    assert active.set_parameters("control", wanted_rate=10000.0) == (True, "")
    active.wait_diagnostics("control", lambda sentence, _: "wanted are 10000 Hz" in sentence, "a warning")
    active.set_parameters("control", wanted_rate=0.0)


def test_parameters_that_do_not_fit_the_robot_are_refused(active):
    successful, reason = active.set_parameters("control", natural_frequency=[1.0, 2.0])
    assert not successful and "1 or 7" in reason


def test_a_gap_in_the_states_fades_and_resumes(active):
    active.set_parameters("control", state_timeout=0.1, stop_time=5.0)
    active.simulator.send(signal.SIGSTOP)
    try:
        active.wait_report(lambda report: report.phase == "fading", "the phase fading, told without states")
        time.sleep(0.2)
    finally:
        active.simulator.send(signal.SIGCONT)
    active.set_parameters("control", state_timeout=5.0, stop_time=0.5)
    active.wait_report(lambda report: report.phase == "active", "the phase active")
    assert largest_step(active.commands) <= DELTA
