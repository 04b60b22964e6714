"""Messages in of the control node -> arrays in the robot's order of joints; RdynError refuses them."""
from math import isfinite

import numpy as np

from ..control.motion import Reference
from ..errors import RdynError
from ..spatial import pose_matrix, quaternion_matrix
from .messages import NANO, nanoseconds, quaternion_of, vector_of


def trajectory_points(message, names):
    """JointTrajectory -> times (k,) [s] and Reference of (k, n) arrays, NaN where nothing is given."""
    columns, points = joint_columns(message.joint_names, names), message.points
    times = np.array([nanoseconds(point.time_from_start) / NANO for point in points])
    fields = "positions", "velocities", "accelerations"
    return times, Reference(*(_table(points, field, columns, len(names)) for field in fields))


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


def _table(points, field, columns, n):
    """(k, n) of a field of k points, whose numbers belong to the columns; NaN elsewhere. Only positions are needed."""
    rows, table = [getattr(point, field) for point in points], np.full((len(points), n), np.nan)
    given = [k for k, row in enumerate(rows) if field == "positions" or len(row)]
    for k in given:
        _check(rows[k], columns, f"{field} of point {k}")
    if given:
        table[np.ix_(given, columns)] = [rows[k] for k in given]
    return table


def _fill(row, values, columns, what, needed=False):
    if len(values) or needed:
        _check(values, columns, what)
        row[columns] = values


def _check(values, columns, what):
    if len(values) != len(columns) or not all(map(isfinite, values)):
        raise RdynError(f"{what} are {list(values)}; {len(columns)} finite numbers belong there")
