"""compute_ik and compute_fk with MoveIt's types, offered where moveit_msgs is installed."""
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
from geometry_msgs.msg import PoseStamped
from rdyn_interfaces.srv import ComputeIK
from sensor_msgs.msg import JointState

from ..errors import RdynError
from ..spatial import matrix_quaternion, pose_inverse
from .ik_service import compute_ik
from .messages import fill_pose, time_message
from .requests import RequestError, frame_of, service_callback, state_of

CODES = {"ok": "SUCCESS", "converged": "SUCCESS", "singular": "SUCCESS", "timeout": "TIMED_OUT",
         "out_of_reach": "NO_IK_SOLUTION", "limits": "NO_IK_SOLUTION", "no_state": "INVALID_ROBOT_STATE",
         "stale_state": "ROBOT_STATE_STALE", "collisions": "COLLISION_CHECKING_UNAVAILABLE",
         "constraints": "INVALID_GOAL_CONSTRAINTS", "unknown_link": "INVALID_LINK_NAME",
         "unknown_frame": "FRAME_TRANSFORM_FAILURE"}  # of MoveItErrorCodes; any other reason is FAILURE
CONSTRAINTS = ("joint_constraints", "position_constraints", "orientation_constraints", "visibility_constraints")


def services(node):
    """(name, type, callback) of each service; none without moveit_msgs."""
    if find_spec("moveit_msgs") is None:
        return ()
    types = import_module("moveit_msgs.srv")
    return (("compute_ik", types.GetPositionIK, _judged(node, get_position_ik)),
            ("compute_fk", types.GetPositionFK, _judged(node, get_position_fk)))


def get_position_ik(node, here, request, answer):
    """The solution nearest to robot_state, or to the measured state where that says nothing."""
    wanted = request.ik_request
    if wanted.avoid_collisions:
        raise RequestError("collisions", "collisions are not checked here; set avoid_collisions to false")
    if any(getattr(wanted.constraints, kind) for kind in CONSTRAINTS):
        raise RequestError("constraints", "constraints are not obeyed here; leave them empty")
    state = wanted.robot_state.joint_state
    others = state.name and not {*state.name} & {*here.states.names}           # joints of other groups say nothing
    seed = JointState() if others else state
    links = list(wanted.ik_link_names) or [wanted.ik_link_name]
    targets = list(wanted.pose_stamped_vector) or [wanted.pose_stamped]
    _check_names(here, links, [target.header.frame_id for target in targets])
    ours, found = ComputeIK.Request(targets=targets, frames=[k for k in links if k], seed=seed,
                                    timeout=wanted.timeout), ComputeIK.Response()
    reason = compute_ik(node, here, ours, found)
    answer.message = found.message
    if not found.message:
        answer.response.solution.joint_state = found.solutions[0]
    return reason


def get_position_fk(_, here, request, answer):
    """Poses of links in the frame of the header; empty is the base."""
    state, robot = state_of(here, request.robot_state.joint_state), here.loaded.robot
    names = list(request.fk_link_names) or list(here.outputs.tips)
    view = request.header.frame_id or here.outputs.base
    _check_names(here, names, [view])
    origin = np.eye(4) if view == here.outputs.base else robot.fk(state.q, frame_of(here, view))
    for name in names:
        T, message = pose_inverse(origin) @ robot.fk(state.q, frame_of(here, name)), PoseStamped()
        message.header.stamp, message.header.frame_id = time_message(state.stamp), view
        fill_pose(message.pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
        answer.response.pose_stamped.append(message)
    answer.response.fk_link_names = names


def _check_names(here, links, frames):
    """RequestError when the robot has not all of these links and frames; the base may have another name, too."""
    for names, reason in ((links, "unknown_link"), (frames, "unknown_frame")):
        for name in {*names} - {"", here.outputs.base}:
            try:
                here.loaded.robot.model.frame(frame_of(here, name))
            except RdynError as error:
                raise RequestError(reason, str(error)) from None


def _judged(node, handler):
    """Service callback around handler(node, here, request, answer), with MoveIt's code for its reason."""
    answered = service_callback(node, handler)

    def callback(request, response):
        answer = answered(request, SimpleNamespace(response=response, message=""))
        code = response.error_code
        code.val = getattr(code, CODES.get(answer.reason, "FAILURE"))
        if hasattr(code, "message"):  # since 2024
            code.message, code.source = answer.message, node.get_fully_qualified_name()
        return response
    return callback
