"""Packages that only a whole ROS 2 installation has: used when there; missing, named or silently left out."""
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped

from rdyn_ros.errors import RdynError
from rdyn_ros.nodes import moveit
from rdyn_ros.nodes.messages import fill_pose
from rdyn_ros.nodes.tf import broadcaster
from rdyn_ros.spatial import matrix_quaternion, pose_inverse, pose_matrix, quaternion_matrix
from support.dynamics_peer import DynamicsPeer, joint_state, stamp

HAS_TF = find_spec("tf2_ros") is not None
HAS_MOVEIT = find_spec("moveit_msgs") is not None
needs_tf = pytest.mark.skipif(not HAS_TF, reason="tf2_ros is not installed")
needs_moveit = pytest.mark.skipif(not HAS_MOVEIT, reason="moveit_msgs is not installed")

Q, QD = np.array([0.4, 0.7, -0.3, -1.2, 0.5, 0.9, 0.2]), np.linspace(0.3, -0.3, 7)
NAMES = [f"joint_{i}" for i in range(1, 8)]


def test_tf_without_tf2_ros_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "tf2_ros", None)
    with pytest.raises(RdynError, match=r"publish_tf.*tf2_ros"):
        broadcaster(None)


def test_without_moveit_msgs_its_services_are_silently_left_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "moveit_msgs", None)
    assert moveit.services(None) == ()


@pytest.fixture(scope="module")
def whole():
    """Peer of a node that uses what is installed."""
    peer = DynamicsPeer({"robot": "arm_7r", "tips": "[flange, link_4]", "frame_prefix": "left/", "state_timeout": 5.0,
                         "publish_tf": str(HAS_TF).lower()}, "/whole")
    try:
        yield peer
    finally:
        peer.close()


def pose(position, orientation):
    """Pose (4, 4) of a message's vector and quaternion."""
    p, o = position, orientation
    return pose_matrix(quaternion_matrix(np.array([o.x, o.y, o.z, o.w])), np.array([p.x, p.y, p.z]))


@needs_tf
@pytest.mark.processes
def test_tips_are_on_tf_with_prefix_and_the_stamp_of_the_state(whole):
    from tf2_msgs.msg import TFMessage
    heard = whole.listener.listen(TFMessage, "/tf")
    whole.listener.ask(whole.states, lambda: whole.message(Q, QD), lambda: heard, "transforms")
    last = heard[-1].transforms
    assert [t.child_frame_id for t in last] == ["left/flange", "left/link_4"]
    for transform, tip in zip(last, ("flange", "link_4"), strict=True):
        assert transform.header.frame_id == "left/base"
        assert 0 < stamp(transform) <= whole.stamp
        T = pose(transform.transform.translation, transform.transform.rotation)
        np.testing.assert_allclose(T, whole.robot.fk(Q, tip), atol=1e-12)


def moveit_ik(whole, T, frame="", **fields):
    """Answer of MoveIt's compute_ik and the code of success."""
    from moveit_msgs.srv import GetPositionIK
    request = GetPositionIK.Request()
    wanted = request.ik_request
    for name, value in {"timeout": wanted.timeout, **fields}.items():
        setattr(wanted, name, value)
    wanted.timeout.sec = 30
    wanted.robot_state.joint_state = joint_state(NAMES, Q + 0.2)
    wanted.pose_stamped = PoseStamped()
    wanted.pose_stamped.header.frame_id = frame
    fill_pose(wanted.pose_stamped.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
    return whole.listener.call(GetPositionIK, "/whole/compute_ik", request)


@needs_moveit
@pytest.mark.processes
@pytest.mark.parametrize("link", ["", "flange", "left/link_4"])
def test_moveit_clients_get_a_solution_for_any_link(whole, link):
    tip = link.removeprefix("left/") or "flange"
    T = whole.robot.fk(Q, tip)
    answer = moveit_ik(whole, T, group_name="arm", ik_link_name=link)
    assert answer.error_code.val == answer.error_code.SUCCESS
    assert answer.solution.joint_state.name == NAMES
    np.testing.assert_allclose(whole.robot.fk(answer.solution.joint_state.position, tip), T, atol=1e-4)


@needs_moveit
@pytest.mark.processes
def test_moveit_clients_are_told_why_there_is_no_solution(whole):
    from moveit_msgs.msg import Constraints, JointConstraint
    T = whole.robot.fk(Q)
    far = T.copy()
    far[0, 3] += 100.0
    cases = (("NO_IK_SOLUTION", far, {}), ("COLLISION_CHECKING_UNAVAILABLE", T, {"avoid_collisions": True}),
             ("INVALID_GOAL_CONSTRAINTS", T, {"constraints": Constraints(joint_constraints=[JointConstraint()])}),
             ("INVALID_LINK_NAME", T, {"ik_link_name": "nose"}))
    for name, target, fields in cases:
        answer = moveit_ik(whole, target, **fields)
        assert answer.error_code.val == getattr(answer.error_code, name), name
        assert not answer.solution.joint_state.name, name
        assert getattr(answer.error_code, "message", "not before 2024"), name


@needs_moveit
@pytest.mark.processes
@pytest.mark.parametrize("view", ["", "left/base", "left/link_4"])
def test_moveit_clients_get_poses_of_links_in_the_frame_they_ask_for(whole, view):
    from moveit_msgs.srv import GetPositionFK
    request = GetPositionFK.Request(fk_link_names=["flange", "left/link_2"])
    request.header.frame_id = view
    request.robot_state.joint_state = joint_state(NAMES, Q)
    answer = whole.listener.call(GetPositionFK, "/whole/compute_fk", request)
    assert answer.error_code.val == answer.error_code.SUCCESS
    assert answer.fk_link_names == ["flange", "left/link_2"]
    origin = whole.robot.fk(Q, "link_4") if view == "left/link_4" else np.eye(4)
    for message, link in zip(answer.pose_stamped, ("flange", "link_2"), strict=True):
        assert message.header.frame_id == (view or "left/base")
        np.testing.assert_allclose(pose(message.pose.position, message.pose.orientation),
                                   pose_inverse(origin) @ whole.robot.fk(Q, link), atol=1e-12)
