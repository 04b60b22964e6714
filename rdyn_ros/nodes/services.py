"""Services that answer questions about the robot at a state: one function each."""
from geometry_msgs.msg import Pose, Twist
from rdyn_interfaces.srv import (
    ComputeFK,
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetDynamics,
    GetJacobian,
    GetMassMatrix,
)

from ..errors import RdynError
from ..spatial import matrix_quaternion
from .messages import fill_pose, fill_twist
from .requests import by_name, frame_of, stamp_header, state_of, wrenches_of


def compute_fk(_, here, request, response):
    """Poses of frames in the base, and their twists when velocities are known."""
    state, robot = state_of(here, request.state), here.loaded.robot
    frames = [frame_of(here, name) for name in request.frames] or list(here.outputs.tips)
    for frame in frames:
        T, pose = robot.fk(state.q, frame), Pose()
        fill_pose(pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
        response.poses.append(pose)
        if state.qd is not None:
            twist = Twist()
            fill_twist(twist, robot.velocity(state.q, state.qd, frame))
            response.twists.append(twist)
    response.frames = frames
    stamp_header(here, response.header, state)


def get_jacobian(_, here, request, response):
    """Jacobian of a frame, with its time derivative when asked."""
    state, robot = state_of(here, request.state), here.loaded.robot
    response.frame = frame = frame_of(here, request.frame)
    response.axes = axes = request.axes or GetJacobian.Request.BASE
    J = robot.jacobian(state.q, frame, axes)
    response.rows, response.columns = J.shape
    response.jacobian = J.ravel()
    if request.derivative:
        response.jacobian_dot = robot.jacobian_dot(state.q, _moving(state), frame, axes).ravel()
    _about(here, response, state)


def get_mass_matrix(_, here, request, response):
    """M(q)."""
    state = state_of(here, request.state)
    response.mass_matrix = here.loaded.robot.mass_matrix(state.q).ravel()
    response.size = len(state.q)
    _about(here, response, state)


def get_dynamics(_, here, request, response):
    """M, C, C qd, g, friction and energies at once."""
    state, robot = state_of(here, request.state), here.loaded.aimed
    q, qd = state.q, _moving(state)
    response.mass_matrix = robot.mass_matrix(q).ravel()
    response.coriolis_matrix = robot.coriolis_matrix(q, qd).ravel()
    response.coriolis, response.gravity = robot.coriolis_torque(q, qd), robot.gravity_torque(q)
    response.friction = robot.friction_torque(qd)
    response.kinetic_energy, response.potential_energy = map(float, robot.energy(q, qd))
    response.size = len(q)
    _about(here, response, state)


def compute_inverse_dynamics(_, here, request, response):
    """tau = M qdd + C qd + g - J^T f (+ friction)."""
    state, robot = state_of(here, request.state), here.loaded.aimed
    qd = _moving(state, rest=bool(request.state.name))
    qdd = by_name(here, request.joint_names, request.accelerations, "accelerations", extras=False)
    tau = robot.inverse_dynamics(state.q, qd, qdd, wrenches_of(here, request.wrench_frames, request.wrenches))
    response.efforts = tau + robot.friction_torque(qd) if request.include_friction else tau
    _about(here, response, state)


def compute_forward_dynamics(_, here, request, response):
    """qdd = M^-1 (tau - C qd - g + J^T f (- friction))."""
    state, robot = state_of(here, request.state), here.loaded.aimed
    qd = _moving(state, rest=bool(request.state.name))
    tau = by_name(here, request.joint_names, request.efforts, "efforts", extras=False)
    if request.include_friction:
        tau = tau - robot.friction_torque(qd)
    f_ext = wrenches_of(here, request.wrench_frames, request.wrenches)
    response.accelerations = robot.forward_dynamics(state.q, qd, tau, f_ext)
    _about(here, response, state)


SERVICES = (
    ("~/compute_fk", ComputeFK, compute_fk),
    ("~/get_jacobian", GetJacobian, get_jacobian),
    ("~/get_mass_matrix", GetMassMatrix, get_mass_matrix),
    ("~/get_dynamics", GetDynamics, get_dynamics),
    ("~/compute_inverse_dynamics", ComputeInverseDynamics, compute_inverse_dynamics),
    ("~/compute_forward_dynamics", ComputeForwardDynamics, compute_forward_dynamics),
)


def _moving(state, rest=False):
    """Velocities of a state; zero when the request's own state leaves them out and `rest` allows it."""
    if state.qd is not None:
        return state.qd
    if rest:
        return 0.0 * state.q
    raise RdynError("velocities are needed and not known; give a state with velocity")


def _about(here, response, state):
    response.joint_names = list(here.states.names)
    stamp_header(here, response.header, state)
