"""Services that answer questions about the robot at a state: one function each."""
from time import monotonic

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


def compute_fk(node, robot, request, response):
    """Poses of frames in the base, and their twists when velocities are known."""
    state, robot = state_of(node, request.state), robot.robot
    frames = [frame_of(node, name) for name in request.frames] or list(node.outputs.tips)
    for frame in frames:
        T, pose = robot.fk(state.q, frame), Pose()
        fill_pose(pose, T[:3, 3], matrix_quaternion(T[:3, :3]))
        response.poses.append(pose)
        if state.qd is not None:
            twist = Twist()
            fill_twist(twist, robot.velocity(state.q, state.qd, frame))
            response.twists.append(twist)
    response.frames = frames
    stamp_header(node, response.header, state)


def get_jacobian(node, robot, request, response):
    """Jacobian of a frame, with its time derivative when asked."""
    state, robot = state_of(node, request.state), robot.robot
    response.frame = frame = frame_of(node, request.frame)
    response.axes = axes = request.axes or GetJacobian.Request.BASE
    J = robot.jacobian(state.q, frame, axes)
    response.rows, response.columns = J.shape
    response.jacobian = J.ravel()
    if request.derivative:
        response.jacobian_dot = robot.jacobian_dot(state.q, _moving(state), frame, axes).ravel()
    _about(node, response, state)


def get_mass_matrix(node, robot, request, response):
    """M(q)."""
    state = state_of(node, request.state)
    response.mass_matrix = robot.robot.mass_matrix(state.q).ravel()
    response.size = len(state.q)
    _about(node, response, state)


def get_dynamics(node, robot, request, response):
    """M, C, C qd, g, friction and energies at once."""
    state, now = state_of(node, request.state), monotonic()
    q, qd, r = state.q, _moving(state), robot.robot
    response.mass_matrix = r.mass_matrix(q).ravel()
    response.coriolis_matrix = r.coriolis_matrix(q, qd).ravel()
    terms = robot.terms(q, qd, now)
    response.coriolis, response.gravity, response.friction = terms.coriolis, terms.gravity, terms.friction
    response.kinetic_energy, response.potential_energy = map(float, robot.energy(q, qd, now))
    response.size = len(q)
    _about(node, response, state)


def compute_inverse_dynamics(node, robot, request, response):
    """tau = M qdd + C qd + g - J^T f (+ friction)."""
    state = state_of(node, request.state)
    qd = _moving(state, rest=bool(request.state.name))
    qdd = by_name(node, request.joint_names, request.accelerations, "accelerations")
    f_ext = wrenches_of(node, request.wrench_frames, request.wrenches)
    tau = robot.robot.inverse_dynamics(state.q, qd, qdd, f_ext)
    tau = tau + robot.extra_gravity_torque(state.q, monotonic())
    response.efforts = tau + robot.robot.friction_torque(qd) if request.include_friction else tau
    _about(node, response, state)


def compute_forward_dynamics(node, robot, request, response):
    """qdd = M^-1 (tau - C qd - g + J^T f (- friction))."""
    state = state_of(node, request.state)
    given = bool(request.state.name)
    qd = _moving(state, rest=given)
    tau = state.effort - robot.extra_gravity_torque(state.q, monotonic())
    if not given and (tau != tau).any():
        raise RdynError("no state is given and the measured one has no efforts; give a state with effort")
    if request.include_friction:
        tau = tau - robot.robot.friction_torque(qd)
    f_ext = wrenches_of(node, request.wrench_frames, request.wrenches)
    response.accelerations = robot.robot.forward_dynamics(state.q, qd, tau, f_ext)
    _about(node, response, state)


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


def _about(node, response, state):
    response.joint_names = list(node.states.names)
    stamp_header(node, response.header, state)
