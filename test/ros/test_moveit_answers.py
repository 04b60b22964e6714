"""What MoveIt's clients and TF are told, judged by the core; moveit_msgs and tf2_ros need not be installed.

Of MoveIt's types only the fields that are read stand here; all messages inside them are the real ones.
"""
from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

import rdyn_ros as rdyn
from rdyn_ros.nodes import moveit
from rdyn_ros.nodes.dynamics_node import Serving
from rdyn_ros.nodes.dynamics_outputs import Outputs
from rdyn_ros.nodes.joint_states import JointStates
from rdyn_ros.nodes.loaded_robot import Load, loaded
from rdyn_ros.nodes.messages import fill_pose, nanoseconds, quaternion_of, vector_of
from rdyn_ros.nodes.parameters import DynamicsParameters
from rdyn_ros.nodes.tf import transform
from rdyn_ros.spatial import matrix_quaternion, pose_inverse, pose_matrix, quaternion_matrix
from support.dynamics_peer import joint_state

Q = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2])
ROBOT = rdyn.load("arm_7r")
VALUES = DynamicsParameters(joint_prefix="left_", frame_prefix="left/", tips=("flange", "link_4"))
NAMES = ["left_" + name for name in ROBOT.joint_names]
CODES = SimpleNamespace(SUCCESS=1, FAILURE=99999, TIMED_OUT=-6, INVALID_GOAL_CONSTRAINTS=-16, INVALID_ROBOT_STATE=-17,
                        INVALID_LINK_NAME=-18, FRAME_TRANSFORM_FAILURE=-21,
                        COLLISION_CHECKING_UNAVAILABLE=-22, ROBOT_STATE_STALE=-23, NO_IK_SOLUTION=-31)


@pytest.fixture(scope="module")
def node():
    """What a service needs of its node; nothing is measured."""
    serving = Serving(loaded(Load(ROBOT, {}, "flange")), JointStates(NAMES),
                      Outputs(ROBOT, VALUES, lambda *_: None), None, VALUES)
    return SimpleNamespace(serving=serving, get_fully_qualified_name=lambda: "/dynamics")


def ask(node, handler, request, **parts):
    """Response of a service of MoveIt's."""
    code = SimpleNamespace(**vars(CODES), val=0, message="", source="")
    return moveit._judged(node, handler)(request, SimpleNamespace(error_code=code, **parts))


def robot_state(q=None):
    state = JointState() if q is None else joint_state(NAMES[::-1], q[::-1], stamp=5)
    return SimpleNamespace(joint_state=state)


def ask_fk(node, links=(), view="", q=Q):
    request = SimpleNamespace(header=Header(frame_id=view), fk_link_names=list(links), robot_state=robot_state(q))
    return ask(node, moveit.get_position_fk, request, pose_stamped=[], fk_link_names=[])


def ask_ik(node, targets, view="", seed=Q + 0.2, constrained=(), **fields):
    poses = [PoseStamped(header=Header(frame_id=view)) for _ in targets]
    for message, T in zip(poses, targets, strict=True):
        fill_pose(message.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    one, many = (poses[0], []) if len(poses) == 1 else (PoseStamped(), poses)
    constraints = SimpleNamespace(**{kind: [kind] if kind in constrained else [] for kind in moveit.CONSTRAINTS})
    wanted = {"pose_stamped": one, "pose_stamped_vector": many, "ik_link_name": "", "ik_link_names": [],
              "robot_state": robot_state(seed), "timeout": Duration(sec=30), "avoid_collisions": False,
              "constraints": constraints, **fields}
    return ask(node, moveit.get_position_ik, SimpleNamespace(ik_request=SimpleNamespace(**wanted)),
               solution=SimpleNamespace(joint_state=JointState()))


def matrix(p, orientation):
    return pose_matrix(quaternion_matrix(quaternion_of(orientation)), vector_of(p))


@pytest.mark.parametrize(("view", "origin"), [("", "base"), ("left/base", "base"), ("left/link_4", "link_4")])
def test_poses_of_links_are_told_in_the_frame_of_the_header(node, view, origin):
    answer = ask_fk(node, ["flange", "left/link_2"], view)
    assert answer.error_code.val == CODES.SUCCESS
    assert answer.fk_link_names == ["flange", "left/link_2"]
    for message, link in zip(answer.pose_stamped, ("flange", "link_2"), strict=True):
        assert message.header.frame_id == (view or "left/base") and nanoseconds(message.header.stamp) == 5
        np.testing.assert_allclose(matrix(message.pose.position, message.pose.orientation),
                                   pose_inverse(ROBOT.fk(Q, origin)) @ ROBOT.fk(Q, link), atol=1e-12)


def test_without_links_the_tips_are_told(node):
    assert ask_fk(node).fk_link_names == ["flange", "link_4"]


@pytest.mark.parametrize("link", ["", "flange", "left/link_5"])
def test_a_solution_reaches_the_pose_near_the_seed(node, link):
    tip = link.removeprefix("left/") or "flange"
    T = ROBOT.fk(Q, tip)
    answer = ask_ik(node, [T], "left/base", ik_link_name=link)
    assert answer.error_code.val == CODES.SUCCESS and not answer.error_code.message
    found = answer.solution.joint_state
    assert found.name == NAMES
    np.testing.assert_allclose(ROBOT.fk(found.position, tip), T, atol=1e-4)
    assert np.linalg.norm(found.position - Q) < 1.0


def test_a_state_of_other_groups_says_nothing_about_the_arm(node):
    gripper = SimpleNamespace(joint_state=joint_state(["finger"], [0.02]))
    assert ask_ik(node, [ROBOT.fk(Q)], robot_state=gripper).error_code.val == CODES.SUCCESS


def test_a_state_without_names_is_refused(node):
    nameless = SimpleNamespace(joint_state=joint_state([], Q))
    answer = ask_ik(node, [ROBOT.fk(Q)], robot_state=nameless)
    assert answer.error_code.val != CODES.SUCCESS
    assert "no joint names" in answer.error_code.message


def test_several_links_are_reached_at_once(node):
    tips = ("flange", "link_4")
    targets = [ROBOT.fk(Q, tip) for tip in tips]
    answer = ask_ik(node, targets, ik_link_names=["flange", "left/link_4"])
    assert answer.error_code.val == CODES.SUCCESS
    for tip, T in zip(tips, targets, strict=True):
        np.testing.assert_allclose(ROBOT.fk(answer.solution.joint_state.position, tip), T, atol=1e-4)


FAR = pose_matrix(np.eye(3), np.array([100.0, 0.0, 0.0]))


@pytest.mark.parametrize(("code", "fields"), [
    ("NO_IK_SOLUTION", {}), ("COLLISION_CHECKING_UNAVAILABLE", {"avoid_collisions": True}),
    *(("INVALID_GOAL_CONSTRAINTS", {"constrained": [kind]}) for kind in moveit.CONSTRAINTS),
    ("INVALID_ROBOT_STATE", {"view": "left/link_4"}), ("INVALID_LINK_NAME", {"ik_link_name": "nose"}),
    ("FRAME_TRANSFORM_FAILURE", {"view": "moon"}), ("FAILURE", {"ik_link_names": ["flange", "link_4"]})])
def test_a_refusal_has_its_code_and_a_sentence_and_no_solution(node, code, fields):
    answer = ask_ik(node, [FAR], **fields)
    assert answer.error_code.val == getattr(CODES, code)
    assert answer.error_code.message and answer.error_code.source == "/dynamics"
    assert not answer.solution.joint_state.name


@pytest.mark.parametrize(("code", "links", "view"), [("INVALID_LINK_NAME", ["flange", "nose"], ""),
                                                     ("FRAME_TRANSFORM_FAILURE", ["flange"], "moon")])
def test_poses_of_or_in_what_the_robot_has_not_are_refused_by_moveits_codes(node, code, links, view):
    answer = ask_fk(node, links, view)
    assert answer.error_code.val == getattr(CODES, code) and not answer.pose_stamped
    assert links[-1] in answer.error_code.message or view in answer.error_code.message


def test_poses_of_a_state_that_nobody_has_measured_are_refused(node):
    answer = ask_fk(node, ["flange"], q=None)
    assert answer.error_code.val == CODES.INVALID_ROBOT_STATE and not answer.pose_stamped


def test_a_transform_is_the_pose_of_its_frame_with_the_stamp_of_the_state():
    T = ROBOT.fk(Q)
    numbers = np.concatenate((T[:3, 3], matrix_quaternion(T[:3, :3])))
    message = transform(3_000_000_007, "left/base", "left/flange", numbers)
    assert (message.header.frame_id, message.child_frame_id) == ("left/base", "left/flange")
    assert nanoseconds(message.header.stamp) == 3_000_000_007
    np.testing.assert_allclose(matrix(message.transform.translation, message.transform.rotation), T, atol=1e-12)
