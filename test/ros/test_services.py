"""Services: the robot's mathematics by joint name, for a given state or the latest measured one."""
import numpy as np
import pytest
from geometry_msgs.msg import Inertia, Vector3Stamped, Wrench
from rdyn_interfaces.srv import (
    ComputeFK,
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetDynamics,
    GetJacobian,
    GetMassMatrix,
    SetGravity,
    SetPayload,
)

from support.dynamics_peer import joint_state, stamp

pytestmark = pytest.mark.processes

EXACT = {"rtol": 1e-12, "atol": 1e-12}
Q, QD, QDD = np.linspace(-1.0, 1.2, 7), np.linspace(0.5, -0.7, 7), np.linspace(2.0, -1.0, 7)
NAMES = [f"joint_{i}" for i in range(1, 8)]
ORDER = [3, 1, 6, 0, 5, 2, 4]


def shuffled(*vectors):
    """JointState of position, velocity, effort in another order, with a foreign joint."""
    return joint_state([*(NAMES[i] for i in ORDER), "gripper"], *([*v[ORDER], 1.0] for v in vectors))


def test_forward_kinematics_of_any_frames(arm):
    answer = arm.call(ComputeFK, "compute_fk", state=shuffled(Q, QD), frames=["flange", "link_3"])
    assert answer.success
    assert answer.reason == "ok"
    assert list(answer.frames) == ["flange", "link_3"]
    for frame, pose, twist in zip(answer.frames, answer.poses, answer.twists, strict=True):
        p, v, w = pose.position, twist.linear, twist.angular
        np.testing.assert_allclose([p.x, p.y, p.z], arm.robot.fk(Q, frame)[:3, 3], **EXACT)
        np.testing.assert_allclose([v.x, v.y, v.z, w.x, w.y, w.z], arm.robot.velocity(Q, QD, frame), **EXACT)
    answer = arm.call(ComputeFK, "compute_fk", state=shuffled(Q))
    assert list(answer.frames) == ["flange", "link_4"], "the tips"


def test_mass_matrix_jacobian_and_its_derivative_are_row_major_with_their_size(arm):
    answer = arm.call(GetMassMatrix, "get_mass_matrix", state=shuffled(Q))
    assert list(answer.joint_names) == NAMES
    np.testing.assert_allclose(np.reshape(answer.mass_matrix, (answer.size, answer.size)),
                               arm.robot.mass_matrix(Q), **EXACT)
    for axes in ("base", "local"):
        answer = arm.call(GetJacobian, "get_jacobian", state=shuffled(Q, QD), frame="link_5", axes=axes,
                          derivative=True)
        shape = answer.rows, answer.columns
        np.testing.assert_allclose(np.reshape(answer.jacobian, shape), arm.robot.jacobian(Q, "link_5", axes),
                                   **EXACT)
        np.testing.assert_allclose(np.reshape(answer.jacobian_dot, shape),
                                   arm.robot.jacobian_dot(Q, QD, "link_5", axes), **EXACT)


def test_all_terms_of_the_dynamics_at_once(arm):
    answer = arm.call(GetDynamics, "get_dynamics", state=shuffled(Q, QD))
    expected = {"mass_matrix": arm.robot.mass_matrix(Q), "coriolis_matrix": arm.robot.coriolis_matrix(Q, QD),
                "coriolis": arm.robot.coriolis_torque(Q, QD), "gravity": arm.robot.gravity_torque(Q),
                "friction": arm.robot.friction_torque(QD)}
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(answer, name), value.ravel(), **EXACT)
    energy = answer.kinetic_energy, answer.potential_energy
    np.testing.assert_allclose(energy, arm.robot.energy(Q, QD), **EXACT)


def test_inverse_and_forward_dynamics_with_wrench_and_friction_undo_each_other(arm):
    wrench = Wrench()
    wrench.force.x, wrench.force.z, wrench.torque.y = 3.0, -8.0, 0.7
    load = {"wrench_frames": ["flange"], "wrenches": [wrench], "include_friction": True}
    answer = arm.call(ComputeInverseDynamics, "compute_inverse_dynamics", state=shuffled(Q, QD),
                      joint_names=NAMES[::-1], accelerations=QDD[::-1].tolist(), **load)
    tau = np.array(answer.efforts)
    expected = arm.robot.inverse_dynamics(Q, QD, QDD, {"flange": [3.0, 0.0, -8.0, 0.0, 0.7, 0.0]})
    np.testing.assert_allclose(tau, expected + arm.robot.friction_torque(QD), **EXACT)
    answer = arm.call(ComputeForwardDynamics, "compute_forward_dynamics", state=shuffled(Q, QD, 9.0 * QDD),
                      joint_names=NAMES[::-1], efforts=tau[::-1].tolist(), **load)
    np.testing.assert_allclose(answer.accelerations, QDD, rtol=1e-9, atol=1e-9)


def test_a_state_without_names_is_no_measured_one(arm):
    answer = arm.call(GetMassMatrix, "get_mass_matrix", state=joint_state([], Q))
    assert (answer.success, answer.reason) == (False, "bad_input")
    assert "the state has 7 values and no joint names" in answer.message


@pytest.mark.parametrize(("kind", "name", "field"), [
    (ComputeInverseDynamics, "compute_inverse_dynamics", "accelerations"),
    (ComputeForwardDynamics, "compute_forward_dynamics", "efforts")])
def test_numbers_of_an_unknown_joint_are_refused_and_those_of_some_joints_taken(arm, kind, name, field):
    answer = arm.call(kind, name, state=shuffled(Q, QD), joint_names=["joint_2", "jiont_3"], **{field: [1.0, 2.0]})
    assert (answer.success, answer.reason) == (False, "bad_input")
    assert "jiont_3: no such joint" in answer.message
    one = np.where(np.arange(7) == 1, 5.0, 0.0)
    answer = arm.call(kind, name, state=shuffled(Q, QD), joint_names=["joint_2"], **{field: [5.0]})
    expected = getattr(arm.robot, name.removeprefix("compute_"))(Q, QD, one)
    np.testing.assert_allclose(answer.efforts if field == "accelerations" else answer.accelerations, expected,
                               rtol=1e-9, atol=1e-9)


def test_no_state_means_the_latest_measured_one_and_a_stale_one_is_refused_with_its_age(arm):
    begin = arm.stamp
    arm.ask(Q, QD)
    answer = arm.listener.ask(
        arm.states, lambda: arm.message(Q, QD),
        lambda: (a := arm.call(GetMassMatrix, "get_mass_matrix")).success and a, "a fresh state")
    np.testing.assert_allclose(answer.mass_matrix, arm.robot.mass_matrix(Q).ravel(), **EXACT)
    assert begin < stamp(answer) <= arm.stamp, "the stamp of the state"
    arm.set(state_timeout=0.1)
    answer = arm.listener.wait(lambda: not (a := arm.call(GetMassMatrix, "get_mass_matrix")).success and a)
    assert answer.reason == "stale_state"
    assert "s old" in answer.message


@pytest.mark.parametrize(("fields", "words"), [
    ({"state": joint_state(NAMES[:3], Q[:3])}, "position of joint_4, joint_5, joint_6, joint_7 is missing"),
    ({"state": joint_state(NAMES, Q[:3])}, "3 values of position for 7 joint names"),
    ({"state": joint_state(NAMES, [np.nan] * 7)}, "only finite numbers"),
    ({"state": joint_state([*NAMES[:6], "joint_1"], Q)}, "named twice"),
    ({"state": joint_state(NAMES, Q), "frame": "hand"}, "hand"),
    ({"state": joint_state(NAMES, Q), "axes": "world"}, "'base', 'local'"),
    ({"state": joint_state(NAMES, Q), "derivative": True}, "velocities are needed"),
])
def test_bad_requests_are_answered_with_what_is_allowed(arm, fields, words):
    answer = arm.call(GetJacobian, "get_jacobian", **fields)
    assert (answer.success, answer.reason) == (False, "bad_input")
    assert words in answer.message


def inertia(mass, com=(0.0, 0.0, 0.05)):
    message = Inertia(m=mass, ixx=0.01, iyy=0.012, izz=0.008)
    message.com.x, message.com.y, message.com.z = com
    return message


def test_complaint_07_payloads_are_told_by_name_and_change_the_torques(arm):
    tensor = np.diag([0.01, 0.012, 0.008])
    both = arm.robot.with_payload(2.0, (0.0, 0.0, 0.05), tensor, "flange").with_payload(
        0.5, (0.0, 0.1, 0.0), tensor, "link_4")
    assert arm.call(SetPayload, "set_payload", operation="add", name="box", inertia=inertia(2.0)).success
    answer = arm.call(SetPayload, "set_payload", operation="add", name="camera", frame="link_4",
                      inertia=inertia(0.5, (0.0, 0.1, 0.0)))
    assert list(answer.names) == ["box", "camera"]
    assert list(answer.frames) == ["flange", "link_4"]
    assert list(answer.shares) == [1.0, 1.0]
    arm.wait_status(lambda level, words, values: values["payloads"] == "box 100%, camera 100%", "payloads")
    gravity = arm.ask(Q, QD)
    np.testing.assert_allclose(gravity.effort, both.gravity_torque(Q), **EXACT)
    np.testing.assert_allclose(arm.with_stamp("coriolis", gravity.header).effort, both.coriolis_torque(Q, QD),
                               **EXACT)
    answer = arm.call(SetPayload, "set_payload", operation="add", name="box", inertia=inertia(1.0))
    assert (answer.success, answer.reason) == (False, "name_taken")
    answer = arm.call(SetPayload, "set_payload", operation="remove", name="hammer")
    assert (answer.success, answer.reason) == (False, "unknown_name")
    answer = arm.call(SetPayload, "set_payload", operation="replace", name="box", inertia=inertia(-1.0))
    assert (answer.success, answer.reason) == (False, "bad_input")
    for given, told in ((inertia(1.0, (1e200, 0.0, 0.0)), "com [m] is [1e+200, 0.0, 0.0]; each number must be from"),
                        (inertia(1e6), "mass [kg] is 1000000.0; each number must be from -10000 to 10000")):
        answer = arm.call(SetPayload, "set_payload", inertia=given)
        assert (answer.success, answer.reason) == (False, "bad_input")
        assert told in answer.message
    answer = arm.call(SetPayload, "set_payload", operation="remove")
    assert list(answer.names) == []
    np.testing.assert_allclose(arm.effort(Q, QD), arm.robot.gravity_torque(Q), **EXACT)


def test_a_payload_comes_in_gradually_over_its_transition_time(arm):
    request = SetPayload.Request(operation="replace", name="box", inertia=inertia(3.0))
    request.transition.sec = 600
    answer = arm.listener.call(SetPayload, f"{arm.node}/set_payload", request)
    assert 0.0 <= answer.shares[0] < 0.1
    arm.call(SetPayload, "set_payload", operation="list")
    bare, full = arm.robot.gravity_torque(Q), arm.robot.with_payload(
        3.0, (0.0, 0.0, 0.05), np.diag([0.01, 0.012, 0.008]), "flange").gravity_torque(Q)
    share = (arm.effort(Q, QD) - bare) / (full - bare)
    assert np.ptp(share[1:6]) < 1e-9, "every joint is as far"
    assert 0.0 < share[1] < 0.1
    later = (arm.effort(Q, QD) - bare) / (full - bare)
    assert later[1] > share[1]
    answer = arm.call(GetDynamics, "get_dynamics", state=joint_state(NAMES, Q, QD))
    np.testing.assert_allclose(answer.gravity, full, **EXACT)    # services: the payload aimed at


def test_gravity_passes_over_within_its_transition_time(arm):
    request = SetGravity.Request()
    request.gravity.vector.x, request.transition.sec = 9.81, 600
    assert arm.call(SetGravity, "set_gravity", gravity=request.gravity, transition=request.transition).success
    upright, aimed = arm.robot.gravity_torque(Q), arm.robot.with_gravity([9.81, 0.0, 0.0]).gravity_torque(Q)
    way = aimed - upright
    first, later = ((arm.effort(Q, QD) - upright) @ way / (way @ way) for _ in range(2))
    assert 0.0 < first < later < 0.1


def test_complaint_04_gravity_of_a_tilted_robot_is_set_in_any_frame(arm):
    request = Vector3Stamped()
    request.vector.x, request.vector.z = 9.81 * np.sin(0.5), -9.81 * np.cos(0.5)
    answer = arm.call(SetGravity, "set_gravity", gravity=request)
    assert answer.success
    assert answer.gravity.header.frame_id == "base"
    tilted = arm.robot.with_gravity([9.81 * np.sin(0.5), 0.0, -9.81 * np.cos(0.5)])
    np.testing.assert_allclose(arm.effort(Q, QD), tilted.gravity_torque(Q), **EXACT)
    answer = arm.call(GetDynamics, "get_dynamics", state=joint_state(NAMES, Q, QD))
    np.testing.assert_allclose(answer.gravity, tilted.gravity_torque(Q), **EXACT)
    np.testing.assert_allclose(answer.potential_energy, tilted.energy(Q, QD).potential, **EXACT)
    answer = arm.call(ComputeInverseDynamics, "compute_inverse_dynamics", state=joint_state(NAMES, Q, QD))
    np.testing.assert_allclose(answer.efforts, tilted.inverse_dynamics(Q, QD, 0.0 * Q), **EXACT)

    request.header.frame_id = "link_3"
    g = arm.robot.fk(Q, "link_3")[:3, :3] @ [request.vector.x, 0.0, request.vector.z]
    answer = arm.listener.ask(
        arm.states, lambda: arm.message(Q, QD),
        lambda: (a := arm.call(SetGravity, "set_gravity", gravity=request)).success and a, "a fresh state")
    np.testing.assert_allclose(arm.effort(Q, QD), arm.robot.with_gravity(g).gravity_torque(Q), rtol=1e-9)
    request.header.frame_id = "moon"
    answer = arm.call(SetGravity, "set_gravity", gravity=request)
    assert (answer.success, answer.reason) == (False, "bad_input")
