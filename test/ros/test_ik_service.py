"""The service compute_ik: limits kept, reasons given, all solutions, the same every time, in milliseconds."""
import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped, Vector3
from rclpy.qos import QoSProfile
from rdyn_interfaces.srv import ComputeIK

from rdyn_ros.nodes.messages import fill_pose
from rdyn_ros.spatial import matrix_quaternion
from support.dynamics_peer import joint_state

pytestmark = pytest.mark.processes

Q = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
NAMES = [f"joint_{i}" for i in range(1, 8)]
SEED = joint_state(NAMES, Q + 0.2)


def target(T, frame_id=""):
    message = PoseStamped()
    message.header.frame_id = frame_id
    fill_pose(message.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    return message


LONG = target(np.eye(4))
LONG.pose.orientation.w = 3.0


def compute_ik(arm, *poses, **fields):
    """Answer of the service, which may take its time on a busy machine."""
    return arm.call(ComputeIK, "compute_ik", **{"targets": list(poses), "timeout": Duration(sec=30), **fields})


def reached(arm, answer, T, frame="flange", tolerance=1e-5):
    assert answer.success, answer.message
    for solution, error in zip(answer.solutions, answer.position_errors, strict=True):
        assert list(solution.name) == NAMES
        miss = np.linalg.norm(arm.robot.fk(solution.position, frame)[:3, 3] - T[:3, 3])
        assert miss == pytest.approx(error, abs=1e-12)
        assert miss < tolerance


def test_complaint_10_a_pose_is_reached_within_limits_and_the_same_every_time(arm):
    T = arm.robot.fk(Q)
    answers = [compute_ik(arm, target(T), seed=SEED) for _ in range(3)]
    for answer in answers:
        reached(arm, answer, T)
        assert answer.reason in ("converged", "singular")
        assert max(answer.orientation_errors) < 1e-5
        q = np.array(answer.solutions[0].position)
        assert (q >= arm.robot.limits.lower).all()
        assert (q <= arm.robot.limits.upper).all()
        np.testing.assert_allclose(q, answers[0].solutions[0].position, atol=1e-9)
        assert answer.seed_distances[0] == pytest.approx(np.linalg.norm(q - Q - 0.2))


def test_complaint_10_all_solutions_ranked_by_distance_to_the_seed(arm):
    T = arm.robot.fk(Q)
    answer = compute_ik(arm, target(T), seed=SEED, all_solutions=True)
    reached(arm, answer, T)
    assert len(answer.solutions) > 1
    assert list(answer.seed_distances) == sorted(answer.seed_distances)
    assert len(answer.singular) == len(answer.solutions)
    few = compute_ik(arm, target(T), seed=SEED, all_solutions=True,
                   max_solutions=1)
    assert len(few.solutions) == 1


def test_a_posture_and_a_branch_may_be_asked_for(arm):
    T, posture = arm.robot.fk(Q), Q + [0.6, 0.3, -0.5, 0.1, 0.4, -0.2, 0.3]
    answer = compute_ik(arm, target(T), seed=SEED, posture=joint_state(NAMES[::-1], posture[::-1]))
    reached(arm, answer, T)
    near, plain = (np.linalg.norm(np.array(a.solutions[0].position) - posture)
                   for a in (answer, compute_ik(arm, target(T), seed=SEED)))
    assert near < plain - 0.01
    every = compute_ik(arm, target(T), seed=SEED, all_solutions=True)
    branches = np.reshape(every.indices, (len(every.solutions), -1)).tolist()
    other = next(branch for branch in branches if branch != branches[0])
    answer = compute_ik(arm, target(T), seed=SEED, indices=other)
    reached(arm, answer, T)
    assert list(answer.indices) == other


def test_complaint_10_out_of_reach_is_told_with_the_distance(arm):
    T = arm.robot.fk(Q)
    T[:3, 3] = 3.0, 0.0, 0.5
    answer = compute_ik(arm, target(T), seed=SEED)
    assert (answer.success, answer.reason) == (False, "out_of_reach")
    assert answer.distance_to_workspace > 1.0
    assert answer.message


def test_complaint_10_beyond_the_limits_is_told_with_the_joints_unless_limits_are_ignored(arm):
    beyond = np.array([0.0, 2.6, 0.0, 0.3, 0.0, 0.0, 0.0])   # joint_2 ends at 2.094
    T = arm.robot.fk(beyond)
    answer = compute_ik(arm, target(T), seed=joint_state(NAMES, beyond))
    assert (answer.success, answer.reason) == (False, "limits")
    assert set(answer.limiting_joints) <= set(NAMES)
    assert min(answer.limit_excess) > 0.0
    answer = compute_ik(arm, target(T), seed=joint_state(NAMES, beyond),
                      ignore_limits=True)
    reached(arm, answer, T)
    outside = np.array(answer.solutions[0].position) - arm.robot.limits.upper
    assert dict(zip(answer.limiting_joints, answer.limit_excess, strict=True)) == {"joint_2": pytest.approx(outside[1])}


def test_distances_are_those_to_the_middle_of_the_limits_where_there_is_no_seed_and_no_state(arm):
    T = arm.robot.fk(Q)
    answer = compute_ik(arm, target(T), all_solutions=True)
    middle = 0.5 * (arm.robot.limits.lower + arm.robot.limits.upper)
    assert len(answer.solutions) > 1
    found = compute_ik(arm, target(T), position_only=True)      # from the same starts as without a seed
    alike = arm.robot.ik(T, position_only=True, tolerance=1e-5, timeout=10.0)
    assert found.solutions[0].position.tolist() == pytest.approx(alike.q)
    for solution, distance in zip(answer.solutions, answer.seed_distances, strict=True):
        assert distance == pytest.approx(np.linalg.norm(np.array(solution.position) - middle))


def test_complaint_10_position_only_and_pointing_leave_the_rest_free(arm):
    T = arm.robot.fk(Q)
    turned = T.copy()
    turned[:3, :3] = T[:3, :3] @ [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    answer = compute_ik(arm, target(turned), seed=SEED, position_only=True)
    reached(arm, answer, T)
    assert list(answer.orientation_errors) == [0.0]
    answer = compute_ik(arm, target(turned), seed=SEED,
                      pointing_axis=Vector3(z=2.0))
    reached(arm, answer, T)
    z = arm.robot.fk(answer.solutions[0].position)[:3, 2]
    np.testing.assert_allclose(z, T[:3, 2], atol=2e-5)


def test_a_target_in_another_frame_and_for_another_link(arm):
    arm.ask(Q)
    inverse = np.linalg.inv(arm.robot.fk(Q, "link_4"))
    T = arm.robot.fk(Q + 0.1)
    pose = target(inverse @ T, "link_4")
    answer = arm.listener.ask(arm.states, lambda: arm.message(Q),
                              lambda: (a := compute_ik(arm, pose)).success and a, "a fresh state")
    reached(arm, answer, T)
    T = arm.robot.fk(Q, "link_5")
    reached(arm, compute_ik(arm, target(T), frames=["link_5"], seed=SEED,
                          position_only=True), T, "link_5")


def test_tolerances_and_timeout_come_from_parameters_or_the_request(arm):
    T = arm.robot.fk(Q)
    arm.set(ik_position_tolerance=0.05, ik_orientation_tolerance=0.5)
    loose = compute_ik(arm, target(T), seed=joint_state(NAMES, Q + 1e-3),
                     pointing_axis=Vector3(z=1.0))
    assert loose.success
    assert loose.iterations == 0, "the seed is good enough"
    tight = compute_ik(arm, target(T), seed=joint_state(NAMES, Q + 1e-3),
                     pointing_axis=Vector3(z=1.0), position_tolerance=1e-7, orientation_tolerance=1e-7)
    assert tight.position_errors[0] < 1e-7 < loose.position_errors[0]
    T[:3, 3] = 0.9, 0.0, 0.5      # within the length of the arm: its formulas cannot tell at once
    far = {"targets": [target(T)], "frames": ["link_6"], "seed": SEED}
    assert arm.call(ComputeIK, "compute_ik", timeout=Duration(sec=30), **far).reason == "out_of_reach"
    arm.set(ik_timeout=1e-5)
    assert arm.call(ComputeIK, "compute_ik", **far).reason == "timeout"


def test_torques_go_on_while_a_hundred_requests_wait(arm):
    client = arm.listener.node.create_client(ComputeIK, f"{arm.node}/compute_ik", qos_profile=QoSProfile(depth=1000))
    assert client.wait_for_service(30.0)
    request = ComputeIK.Request(targets=[target(arm.robot.fk(Q))], all_solutions=True)
    answers = [client.call_async(request) for _ in range(100)]
    arm.listener.wait(answers[0].done, "the first answer")
    np.testing.assert_allclose(arm.effort(Q), arm.robot.gravity_torque(Q), rtol=1e-12, atol=1e-12)
    assert sum(answer.done() for answer in answers) < 50
    arm.listener.wait(lambda: all(answer.done() for answer in answers), "all answers")
    arm.listener.destroy(client)


@pytest.mark.parametrize(("fields", "words"), [
    ({"targets": []}, "0 targets for no frame, which means the tip; give a target for each"),
    ({"targets": [PoseStamped(), PoseStamped()], "frames": ["flange", "flange"]}, "named twice"),
    ({"targets": [target(np.eye(4))], "frames": ["hand"]}, "hand"),
    ({"targets": [LONG]}, "length"),
    ({"targets": [target(np.eye(4))], "indices": [1, 1, 1, 1, 1]}, "5 indices; give 3"),
    ({"targets": [target(np.eye(4))], "indices": [1, 0, -1]},
     "indices are [1, 0, -1]; of shoulder, elbow and wrist each"),
    ({"targets": [target(np.eye(4))], "seed": joint_state(["a", "b"], [0.1, 0.2])},
     "seed of a, b: no such joint; the robot has joint_1, "),
    ({"targets": [target(np.eye(4))], "posture": joint_state(NAMES[:2], Q[:2])}, "posture of joint_3"),
    ({"targets": [target(np.eye(4))], "seed": joint_state([], Q)}, "seed has 7 values and no joint names"),
    ({"targets": [target(np.eye(4))], "posture": joint_state([], Q)}, "posture has 7 values and no joint names"),
])
def test_complaint_10_a_bad_request_is_refused_with_the_reason(arm, fields, words):
    answer = arm.call(ComputeIK, "compute_ik", **fields)
    assert (answer.success, answer.reason) == (False, "bad_input")
    assert words in answer.message
