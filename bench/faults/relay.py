"""A bad connection: joint states go through it and get lost, late, doubled, out of order or another stamp."""
import struct
import time
from collections import deque

import numpy as np
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from ..spinning import Spinning

SOURCES = {"joint_states": "driver_states", "/clock": "/driver_clock"}  # target: where the driver publishes
STAMP = struct.Struct("<i")  # seconds of a serialized message: after 4 bytes
AHEAD = 2000  # [s] of all that it hands on, so that a time near zero can step back


class Relay(Spinning):
    """Hands on what comes from SOURCES; damage(...) sets how bad it is, damage() repairs it."""

    def __init__(self, seed=1):
        super().__init__("relay")
        self._random, self._held, self._late = np.random.default_rng(seed), None, deque()
        self.damage()
        self._out = self.node.create_publisher(JointState, "joint_states", 100)
        self._clock = self.node.create_publisher(Clock, "/clock", 100)
        self.node.create_subscription(JointState, SOURCES["joint_states"], self._take, 100, raw=True)
        self.node.create_subscription(Clock, SOURCES["/clock"],
                                      lambda data: self._clock.publish(self._stamped(data)), 100, raw=True)
        self.node.create_timer(0.002, self._hand_on)
        self.spin()

    def damage(self, loss=0.0, delay=0.0, double=0.0, reorder=0.0, step=0):
        """Probabilities, a delay [s], and a step of all times [s]."""
        self._loss, self._delay, self._double, self._reorder, self._step = loss, delay, double, reorder, step

    def _take(self, data):
        self._late.append((time.monotonic() + self._delay, self._stamped(data)))

    def _stamped(self, data):
        message = bytearray(data)
        STAMP.pack_into(message, 4, STAMP.unpack_from(data, 4)[0] + AHEAD + self._step)
        return bytes(message)

    def _hand_on(self):
        while self._late and self._late[0][0] <= time.monotonic():
            self._send(self._late.popleft()[1])

    def _send(self, data):
        if self._random.random() < self._loss:
            return
        if self._held is not None:
            self._out.publish(data)
            self._out.publish(self._held)
            self._held = None
        elif self._random.random() < self._reorder:
            self._held = data
        else:
            self._out.publish(data)
            if self._random.random() < self._double:
                self._out.publish(data)
