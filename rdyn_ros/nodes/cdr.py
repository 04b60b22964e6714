"""Serialized messages (CDR) <-> arrays, for the hot path.

A raw subscription or publisher carries the serialized message (XCDR1): a 4-byte head, then the fields, each
aligned to its size counted from the end of the head. A message out is laid out once; then only its numbers
are rewritten.
"""
from struct import Struct, error, unpack_from

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..spatial import matrix_quaternion
from .joint_states import Measured
from .messages import NANO, fill_pose, fill_twist, measured

HEAD = 4
LITTLE_ENDIAN = b"\x00\x01"
EMPTY = np.zeros(0)
STAMP = Struct("<iI")


def deserialized(data, message_type):
    """Message of serialized bytes, read by ROS; ValueError when they are none."""
    try:
        return deserialize_message(data, message_type)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


class JointStateReader:
    """Serialized JointState -> Measured; remembers the last names, for they seldom change."""

    def __init__(self):
        self._block, self._names = b"no names yet", ()

    def __call__(self, data):
        """Measured of the bytes of a message; ValueError when they are not one."""
        try:
            return self._read(data) if data[:2] == LITTLE_ENDIAN else measured(deserialized(data, JointState))
        except error as reason:
            raise ValueError(f"not a JointState: {reason}") from reason

    def _read(self, data):
        sec, nanosec, length = unpack_from("<iII", data, HEAD)
        if nanosec >= NANO:
            raise ValueError(f"a stamp with {nanosec} nanoseconds")
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
        if at > len(data):
            raise ValueError("a JointState that ends within its names")
        self._block, self._names = data[start:at], tuple(names)
        return at


class _Writer:
    """Serialized message whose doubles are rewritten in place; given filled with 1.0, 2.0, ... n."""

    def __init__(self, message, n):
        self._data = bytearray(serialize_message(message))
        self.place = self._data.index(np.arange(1.0, n + 1.0).tobytes())  # of the first double
        self._numbers = np.frombuffer(self._data, "<f8", n, self.place)

    @property
    def layout(self):
        """Bytes of the message as it was last."""
        return bytes(self._data)

    def numbers(self, message):
        """Numbers (n,) in the bytes of such a message."""
        return np.frombuffer(message, "<f8", len(self._numbers), self.place)

    def __call__(self, stamp, numbers):
        """Bytes of the message with stamp [ns] and numbers (n,)."""
        STAMP.pack_into(self._data, HEAD, *divmod(stamp, NANO))
        self._numbers[:] = numbers
        return bytes(self._data)


class JointEffortWriter(_Writer):
    """Serialized JointState with names and effort (n,) [N m or N]."""

    def __init__(self, names):
        n = len(names)
        super().__init__(JointState(name=list(names), effort=[i + 1.0 for i in range(n)]), n)


class PoseWriter(_Writer):
    """Serialized PoseStamped; its numbers are position and quaternion x y z w."""

    def __init__(self, frame_id):
        message = PoseStamped()
        message.header.frame_id = frame_id
        fill_pose(message.pose, np.arange(1.0, 4.0), np.arange(4.0, 8.0))
        super().__init__(message, 7)

    def __call__(self, stamp, T):
        """Bytes of the message with stamp [ns] and pose T (4, 4)."""
        return super().__call__(stamp, pose_numbers(T))


def pose_numbers(T):
    """Position and quaternion x y z w of a pose (4, 4)."""
    return np.concatenate((T[:3, 3], matrix_quaternion(T[:3, :3])))


class TwistWriter(_Writer):
    """Serialized TwistStamped: vx vy vz wx wy wz."""

    def __init__(self, frame_id):
        message = TwistStamped()
        message.header.frame_id = frame_id
        fill_twist(message.twist, np.arange(1.0, 7.0))
        super().__init__(message, 6)


class CommandWriter(_Writer):
    """Serialized Float64MultiArray with n numbers, which has no stamp."""

    def __init__(self, n):
        super().__init__(Float64MultiArray(data=[i + 1.0 for i in range(n)]), n)

    def __call__(self, numbers):
        """Bytes of the message with numbers (n,)."""
        self._numbers[:] = numbers
        return bytes(self._data)


class JointStateWriter:
    """Serialized JointState with positions, velocities and efforts of one set of joints."""

    def __init__(self, names):
        n = len(names)
        zeros = [0.0] * n
        self._data = bytearray(serialize_message(JointState(name=list(names), position=zeros, velocity=zeros,
                                                            effort=zeros)))
        size = 8 * n + 8                            # of a sequence: its length, padded, and its numbers
        starts = [len(self._data) - 8 * n - k * size for k in (2, 1, 0)]
        self._parts = [np.frombuffer(self._data, "<f8", n, start) for start in starts]

    def __call__(self, stamp, q, qd, effort):
        """Bytes of the message with stamp [ns]."""
        STAMP.pack_into(self._data, HEAD, *divmod(stamp, NANO))
        for part, numbers in zip(self._parts, (q, qd, effort), strict=True):
            part[:] = numbers
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
