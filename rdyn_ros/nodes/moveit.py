"""compute_ik and compute_fk with MoveIt's types, offered where moveit_msgs is installed."""
from importlib import import_module
from importlib.util import find_spec

from geometry_msgs.msg import PoseStamped
from rdyn_interfaces.srv import ComputeFK, ComputeIK

from .ik_service import compute_ik
from .requests import answering
from .services import compute_fk

CODES = {"ok": "SUCCESS", "converged": "SUCCESS", "singular": "SUCCESS", "timeout": "TIMED_OUT",
         "out_of_reach": "NO_IK_SOLUTION", "limits": "NO_IK_SOLUTION", "no_state": "INVALID_ROBOT_STATE",
         "stale_state": "ROBOT_STATE_STALE"}  # of MoveItErrorCodes; any other reason is FAILURE


def services(node):
    """(name, type, callback) of each service; none without moveit_msgs."""
    if find_spec("moveit_msgs") is None:
        return ()
    types = import_module("moveit_msgs.srv")
    ik, fk = answering(node, compute_ik), answering(node, compute_fk)

    def get_position_ik(request, response):
        wanted = request.ik_request
        if wanted.avoid_collisions:
            response.error_code.val = response.error_code.COLLISION_CHECKING_UNAVAILABLE
            return response
        links = list(wanted.ik_link_names) or [wanted.ik_link_name]
        answer = ik(ComputeIK.Request(
            targets=list(wanted.pose_stamped_vector) or [wanted.pose_stamped], frames=[k for k in links if k],
            seed=wanted.robot_state.joint_state, timeout=wanted.timeout), ComputeIK.Response())
        if answer.success:
            response.solution.joint_state = answer.solutions[0]
        return _judged(response, answer)

    def get_position_fk(request, response):
        ours = ComputeFK.Request(state=request.robot_state.joint_state, frames=list(request.fk_link_names))
        answer = fk(ours, ComputeFK.Response())
        response.fk_link_names = answer.frames
        response.pose_stamped = [PoseStamped(header=answer.header, pose=pose) for pose in answer.poses]
        return _judged(response, answer)

    return (("compute_ik", types.GetPositionIK, get_position_ik),
            ("compute_fk", types.GetPositionFK, get_position_fk))


def _judged(response, answer):
    """The response with MoveIt's code for the reason of our answer."""
    response.error_code.val = getattr(response.error_code, CODES.get(answer.reason, "FAILURE"))
    return response
