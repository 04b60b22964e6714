"""Messages <-> arrays, only here: by joint name, and as raw CDR bytes on the hot path.

A raw subscription or publisher carries the serialized message (XCDR1): a 4-byte head, then the fields, each
aligned to its size counted from the end of the head. A message out is laid out once; then only its numbers
are rewritten.
"""
from struct import Struct, unpack_from

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..spatial import matrix_quaternion
from .joint_states import Measured

HEAD = 4
LITTLE_ENDIAN = b"\x00\x01"
NANO = 1_000_000_000
EMPTY = np.zeros(0)
STAMP = Struct("<iI")


def measured(message):
    """JointState -> Measured."""
    return Measured(nanoseconds(message.header.stamp), tuple(message.name), np.array(message.position),
                    np.array(message.velocity), np.array(message.effort))


def nanoseconds(stamp):
    """builtin_interfaces/Time or Duration -> [ns]."""
    return stamp.sec * NANO + stamp.nanosec


def time_message(stamp):
    """[ns] -> builtin_interfaces/Time."""
    return Time(sec=stamp // NANO, nanosec=stamp % NANO)


class JointStateReader:
    """Serialized JointState -> Measured; remembers the last names, for they seldom change."""

    def __init__(self):
        self._block, self._names = b"\0", ()

    def __call__(self, data):
        """`data`: bytes of the message; ValueError or struct.error when they are not one."""
        if data[:2] != LITTLE_ENDIAN:
            return measured(deserialize_message(data, JointState))
        sec, nanosec, length = unpack_from("<iII", data, HEAD)
        at = _aligned(HEAD + 12 + length, 4)
        if data.startswith(self._block, at):
            at += len(self._block)
        else:
            at = self._read_names(data, at)
        position, at = _doubles(data, at)
        velocity, at = _doubles(data, at)
        effort, _ = _doubles(data, at)
        return Measured(sec * NANO + nanosec, self._names, position, velocity, effort)

    def _read_names(self, data, start):
        (count,), at = unpack_from("<I", data, start), start + 4
        names = []
        for _ in range(count):
            at = _aligned(at, 4)
            (length,) = unpack_from("<I", data, at)
            names.append(data[at + 4:at + 3 + length].decode())
            at += 4 + length
        self._block, self._names = data[start:at], tuple(names)
        return at


class JointEffortWriter:
    """Serialized JointState with names and effort, for one set of joints."""

    def __init__(self, names, frame_id=""):
        message = JointState(name=list(names), effort=[0.0] * len(names))
        message.header.frame_id = frame_id
        self._data = bytearray(serialize_message(message))
        self._effort = np.frombuffer(self._data, "<f8", len(names), len(self._data) - 8 * len(names))

    def __call__(self, stamp, effort):
        """Bytes of the message with stamp [ns] and effort (n,) [N m or N]."""
        STAMP.pack_into(self._data, HEAD, *divmod(stamp, NANO))
        self._effort[:] = effort
        return bytes(self._data)


class _StampedWriter:
    """Serialized message of a header followed by `size` doubles."""

    size = 0
    message_type = None

    def __init__(self, frame_id):
        message = self.message_type()
        message.header.frame_id = frame_id
        self._data = bytearray(serialize_message(message))
        self._start = len(self._data) - 8 * self.size
        self._numbers = np.frombuffer(self._data, "<f8", self.size, self._start)

    def _write(self, stamp):
        STAMP.pack_into(self._data, HEAD, *divmod(stamp, NANO))
        return bytes(self._data)


class PoseWriter(_StampedWriter):
    """Serialized PoseStamped."""

    size, message_type = 7, PoseStamped

    def __call__(self, stamp, T):
        """Bytes of the message with stamp [ns] and pose T (4, 4)."""
        self._numbers[:3] = T[:3, 3]
        self._numbers[3:] = matrix_quaternion(T[:3, :3])
        return self._write(stamp)


class TwistWriter(_StampedWriter):
    """Serialized TwistStamped."""

    size, message_type = 6, TwistStamped

    def __call__(self, stamp, twist):
        """Bytes of the message with stamp [ns] and twist (6,): vx vy vz wx wy wz."""
        self._numbers[:] = twist
        return self._write(stamp)


class CommandWriter:
    """Serialized Float64MultiArray with n numbers."""

    def __init__(self, n):
        self._data = bytearray(serialize_message(Float64MultiArray(data=[0.0] * n)))
        self._numbers = np.frombuffer(self._data, "<f8", n, len(self._data) - 8 * n)

    def __call__(self, effort):
        """Bytes of the message with effort (n,)."""
        self._numbers[:] = effort
        return bytes(self._data)


def _aligned(at, size):
    return HEAD + (at - HEAD + size - 1) // size * size


def _doubles(data, at):
    """Sequence of float64 at `at` -> array and the place behind it; an empty one is not padded to 8 bytes."""
    at = _aligned(at, 4)
    (count,) = unpack_from("<I", data, at)
    if count == 0:
        return EMPTY, at + 4
    at = _aligned(at + 4, 8)
    return np.frombuffer(data, "<f8", count, at), at + 8 * count
