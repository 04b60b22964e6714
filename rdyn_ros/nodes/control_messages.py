"""Messages in of the control node -> arrays in the robot's order of joints; RdynError refuses them."""
import numpy as np

from ..control.motion import Reference
from ..errors import RdynError
from ..spatial import pose_matrix, quaternion_matrix
from .messages import NANO, nanoseconds, quaternion_of, vector_of


def trajectory_points(message, names):
    """JointTrajectory -> times (k,) [s] and Reference of (k, n) arrays, NaN where nothing is given."""
    columns = joint_columns(message.joint_names, names)
    shape = (len(message.points), len(names))
    points = Reference(*(np.full(shape, np.nan) for _ in range(3)))
    for row, point in enumerate(message.points):
        _fill(points.q[row], point.positions, columns, f"positions of point {row}", needed=True)
        _fill(points.qd[row], point.velocities, columns, f"velocities of point {row}")
        _fill(points.qdd[row], point.accelerations, columns, f"accelerations of point {row}")
    times = np.array([nanoseconds(point.time_from_start) / NANO for point in message.points])
    return times, points


def reference(message, names, present):
    """JointState -> Reference; joints and velocities that are not given stay at the present ones and at 0."""
    columns = joint_columns(message.name, names)
    q, qd = np.array(present.q), np.zeros(len(names))
    _fill(q, message.position, columns, "position", needed=True)
    _fill(qd, message.velocity, columns, "velocity")
    return Reference(q, qd, np.zeros(len(names)))


def target_pose(message, base):
    """PoseStamped in the base -> (4, 4)."""
    if message.header.frame_id not in ("", base):
        raise RdynError(f"target pose is in frame '{message.header.frame_id}'; give it in '{base}'")
    numbers = np.concatenate((vector_of(message.pose.position), quaternion_of(message.pose.orientation)))
    length = np.linalg.norm(numbers[3:])
    if not np.all(np.isfinite(numbers)) or abs(length - 1.0) > 1e-3:
        raise RdynError(f"target pose is {numbers.tolist()}; it needs finite numbers and a unit quaternion")
    return pose_matrix(quaternion_matrix(numbers[3:] / length), numbers[:3])


def joint_columns(given, names):
    """Places of the given joint names in `names`."""
    unknown = [name for name in given if name not in names]
    if unknown or not given or len(set(given)) < len(given):
        raise RdynError(f"joints are {list(given)}; each must be one of {', '.join(names)}, and none twice")
    return [names.index(name) for name in given]


def _fill(row, values, columns, what, needed=False):
    if not len(values) and not needed:
        return
    if len(values) != len(columns) or not np.all(np.isfinite(values)):
        raise RdynError(f"{what} are {list(values)}; {len(columns)} finite numbers belong there")
    row[columns] = values
