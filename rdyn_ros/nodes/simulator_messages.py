"""Messages out of the simulator, laid out once: only their numbers are rewritten."""
import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from .messages import HEAD, NANO, STAMP


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
