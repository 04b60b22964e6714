"""Fields of messages <-> arrays and numbers, only here; cdr.py does the same for serialized messages."""
import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Inertia

from .joint_states import Measured

NANO = 1_000_000_000


def measured(message):
    """JointState -> Measured; ValueError when its stamp is none."""
    if message.header.stamp.nanosec >= NANO:
        raise ValueError(f"a stamp with {message.header.stamp.nanosec} nanoseconds")
    return Measured(nanoseconds(message.header.stamp), tuple(message.name), np.array(message.position),
                    np.array(message.velocity), np.array(message.effort))


def by_name(message, field, names):
    """Values (n,) of a JointState's field in the order of names, NaN where missing; None without any."""
    values = getattr(message, field) if message is not None else ()
    if len(values) == 0 or len(values) != len(message.name):
        return None
    found = dict(zip(message.name, values, strict=True))
    return np.array([found.get(name, np.nan) for name in names])


def nanoseconds(stamp):
    """builtin_interfaces/Time or Duration -> [ns]."""
    return stamp.sec * NANO + stamp.nanosec


def time_message(stamp):
    """[ns] -> builtin_interfaces/Time."""
    return Time(sec=stamp // NANO, nanosec=stamp % NANO)


def vector_of(message):
    """geometry_msgs/Vector3 or Point -> (3,)."""
    return np.array([message.x, message.y, message.z])


def quaternion_of(message):
    """geometry_msgs/Quaternion -> (x, y, z, w), of any length."""
    return np.array([message.x, message.y, message.z, message.w])


def wrench_of(message):
    """geometry_msgs/Wrench -> fx fy fz tx ty tz."""
    return np.concatenate((vector_of(message.force), vector_of(message.torque)))


def inertia_of(message):
    """geometry_msgs/Inertia -> mass [kg], centre of mass (3,) [m], inertia (3, 3) about it [kg m^2]."""
    i = message
    return i.m, vector_of(i.com), np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])


def inertia_message(mass, com, inertia):
    """The way back from `inertia_of`."""
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertia.tolist()
    message = Inertia(m=mass, ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz)
    fill_vector(message.com, com)
    return message


def fill_vector(message, v):
    """Writes v (3,) into a geometry_msgs/Vector3 or Point."""
    message.x, message.y, message.z = map(float, v)


def fill_quaternion(message, quaternion):
    """Writes (x, y, z, w) into a geometry_msgs/Quaternion."""
    message.x, message.y, message.z, message.w = map(float, quaternion)


def fill_pose(message, p, quaternion):
    """Writes position (3,) and quaternion (x, y, z, w) into a geometry_msgs/Pose."""
    fill_vector(message.position, p)
    fill_quaternion(message.orientation, quaternion)


def fill_transform(message, p, quaternion):
    """Writes position (3,) and quaternion (x, y, z, w) into a geometry_msgs/Transform."""
    fill_vector(message.translation, p)
    fill_quaternion(message.rotation, quaternion)


def fill_twist(message, twist):
    """Writes vx vy vz wx wy wz into a geometry_msgs/Twist."""
    fill_vector(message.linear, twist[:3])
    fill_vector(message.angular, twist[3:])


def fill_wrench(message, wrench):
    """Writes fx fy fz tx ty tz into a geometry_msgs/Wrench."""
    fill_vector(message.force, wrench[:3])
    fill_vector(message.torque, wrench[3:])
