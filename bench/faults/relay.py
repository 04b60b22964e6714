"""A bad connection: joint states go through it and get lost, late, doubled or out of order."""

import time
from collections import deque

import numpy as np
from sensor_msgs.msg import JointState

from ..spinning import Spinning


class Relay(Spinning):
    """From topic `source` to `target`; damage(...) sets how bad it is, damage() repairs it."""

    def __init__(self, source, target, seed=1):
        super().__init__("relay")
        self._random, self._held, self._late = np.random.default_rng(seed), None, deque()
        self.damage()
        self._out = self.node.create_publisher(JointState, target, 100)
        self.node.create_subscription(JointState, source, self._take, 100, raw=True)
        self.node.create_timer(0.002, self._hand_on)
        self.spin()

    def damage(self, loss=0.0, delay=0.0, double=0.0, reorder=0.0):
        """Probabilities, and a delay [s]."""
        self._loss, self._delay, self._double, self._reorder = loss, delay, double, reorder

    def _take(self, data):
        self._late.append((time.monotonic() + self._delay, data))

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
