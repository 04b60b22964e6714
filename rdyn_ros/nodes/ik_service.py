"""Service compute_ik: from poses to joint positions, with most options and every reason of rdyn_ros.ik."""
import numpy as np
from rdyn_interfaces.srv import ComputeIK
from sensor_msgs.msg import JointState

from ..errors import RdynError
from ..ik.options import INDICES
from ..ik.rotation_error import pointing_vector, rotation_vector
from ..spatial import pose_matrix, quaternion_matrix
from .messages import NANO, nanoseconds, quaternion_of, vector_of
from .requests import RequestError, by_name, frame_of, measured_state, names_joints, pose_of

UNIT = 1e-3  # how far a quaternion may be from length 1


def compute_ik(_, here, request, response):
    """Solutions ranked by distance to the seed, their errors, and the reason when there is none."""
    robot = here.loaded.load.unlimited if request.ignore_limits else here.loaded.robot
    targets = _targets(here, request)
    middle = robot.ik_seed(tuple(targets))
    seed = _seed(here, request.seed, middle)
    near = middle if seed is None else seed
    solve = robot.ik_all if request.all_solutions else robot.ik
    only = next(iter(targets)) if len(targets) == 1 else None
    if not nanoseconds(request.timeout):
        robot.ik_prepare(tuple(targets))        # who names no time waits for the machine code of a first request
    result = solve(targets[only] if only else targets, only, seed=seed, **_options(here, request))
    found = result.solutions if result.success else result.q[None]
    found = found[:request.max_solutions] if request.max_solutions else found
    response.message = "" if result.success else result.message
    for q in found:
        position, rotation = _errors(robot, q, targets, request)
        response.solutions.append(JointState(name=list(here.states.names), position=q.tolist()))
        response.position_errors.append(position)
        response.orientation_errors.append(rotation)
        response.seed_distances.append(float(np.linalg.norm(q - near)))
    if result.success:
        response.singular = [bool(x) for x in result.singular[:len(found)]]
        response.indices = [int(sign) for named in result.indices[:len(found)] for sign in named.values()]
    response.distance_to_workspace = float(result.distance)
    outside = _outside(here, found[0]) if request.ignore_limits else {
        here.values.joint_prefix + name: excess for name, excess in result.violations.items()}
    response.limiting_joints, response.limit_excess = list(outside), list(map(float, outside.values()))
    response.iterations = int(result.iterations)
    response.elapsed.sec, response.elapsed.nanosec = divmod(int(result.time * NANO), NANO)
    return result.reason


SERVICES = (("~/compute_ik", ComputeIK, compute_ik),)


def _targets(here, request):
    """{frame: pose (4, 4) in the base}."""
    if len(request.targets) != (len(request.frames) or 1):
        named = f"{len(request.frames)} frames" if request.frames else "no frame, which means the tip"
        raise RdynError(f"{len(request.targets)} targets for {named}; give a target for each")
    frames = [frame_of(here, name) for name in (request.frames or [""])]
    if len(set(frames)) < len(frames):
        raise RdynError(f"a frame is named twice in {', '.join(frames)}")
    return {frame: _target(here, pose) for frame, pose in zip(frames, request.targets, strict=True)}


def _target(here, message):
    """Pose (4, 4) in the base of a PoseStamped in any frame; one that moves is taken where it is measured."""
    quaternion = quaternion_of(message.pose.orientation)
    length = np.linalg.norm(quaternion)
    if not abs(length - 1.0) < UNIT:
        raise RdynError(f"the quaternion {quaternion.tolist()} has length {length:g}; it must be 1")
    T = pose_matrix(quaternion_matrix(quaternion / length), vector_of(message.pose.position))
    return pose_of(here, message.header.frame_id) @ T


def _seed(here, message, middle):
    """Positions (n,) to start from: measured, else the middle, replaced where the request has any; None: no seed."""
    try:
        seed = measured_state(here).q
    except RequestError:
        seed = None
    if names_joints(message, "seed"):
        given = by_name(here, message.name, message.position, "position")
        named = np.isin(here.states.names, message.name)
        if not named.any():
            raise RdynError(f"seed of {', '.join(message.name)}: no such joint; the robot has "
                            f"{', '.join(here.states.names)}")
        seed = np.where(named, given, middle if seed is None else seed)
    return seed


def _outside(here, q):
    """{joint: by how much [rad or m] q (n,) leaves its limits}."""
    lower, upper = here.loaded.robot.limits[:2]
    excess = np.maximum(lower - q, q - upper)
    return {name: e for name, e in zip(here.states.names, excess.tolist(), strict=True) if e > 0.0}


def _options(here, request):
    """Options of robot.ik that the request asks for, the node's parameters for the rest."""
    values, axis = here.values, _axis(request)
    options = {"timeout": nanoseconds(request.timeout) / NANO or values.ik_timeout,
               "tolerance": (request.position_tolerance or values.ik_position_tolerance,
                             request.orientation_tolerance or values.ik_orientation_tolerance)}
    if request.position_only:
        options["position_only"] = True
    if axis.any():
        options["axis"] = tuple(axis.tolist())
    if names_joints(request.posture, "posture"):
        posture = request.posture
        wanted = by_name(here, posture.name, posture.position, "posture", every=True)
        options["posture"] = tuple(wanted.tolist())
    if len(request.indices):
        if len(request.indices) != len(INDICES):
            raise RdynError(f"{len(request.indices)} indices; give 3, of shoulder, elbow and wrist, or none")
        if not {*request.indices} <= {1, -1}:
            raise RdynError(f"indices are {list(request.indices)}; of shoulder, elbow and wrist each is 1 or -1")
        options["indices"] = tuple(zip(INDICES, (int(i) for i in request.indices), strict=True))
    return options


def _axis(request):
    """Unit vector of the pointing axis; zero when the whole orientation counts."""
    axis = vector_of(request.pointing_axis)
    return axis / (np.linalg.norm(axis) or 1.0)


def _errors(robot, q, targets, request):
    """Largest position [m] and orientation [rad] error of a solution over all targets."""
    position = rotation = 0.0
    axis = _axis(request)
    for frame, target in targets.items():
        T = robot.fk(q, frame)
        R, wanted = T[:3, :3], target[:3, :3]
        position = max(position, float(np.linalg.norm(T[:3, 3] - target[:3, 3])))
        turn = pointing_vector(R @ axis, wanted @ axis) if axis.any() else rotation_vector(R.T @ wanted)
        rotation = max(rotation, float(np.linalg.norm(turn)))
    return position, 0.0 if request.position_only else rotation
