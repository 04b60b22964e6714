"""A bad connection: joint states go through it and get lost, late, doubled or out of order."""

import threading
import time
from collections import deque

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState


class Relay:
    """From topic `source` to `target`; damage(...) sets how bad it is, damage() repairs it."""

    def __init__(self, source, target, seed=1):
        self._random, self._held, self._late = np.random.default_rng(seed), None, deque()
        self.damage()
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node("relay", context=self._context)
        self._out = self._node.create_publisher(JointState, target, 100)
        self._node.create_subscription(JointState, source, self._take, 100, raw=True)
        self._node.create_timer(0.002, self._hand_on)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

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

    def close(self):
        """Ends the thread and the node."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)
