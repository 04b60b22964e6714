"""Gravity of the base, live from an IMU on the robot."""
from math import exp, pi
from time import monotonic

import numpy as np

from ..errors import RdynError
from .messages import nanoseconds
from .requests import pose_of

TOLERANCE = 0.2  # |acceleration| may differ from gravity by this part; else the robot is being shaken


class ImuGravity:
    """Callback for sensor_msgs/Imu: gravity points against the low-pass filtered acceleration at rest.

    Direction from the IMU, strength from the gravity that was set before. header.frame_id must be a frame of
    the robot, or the base.
    """

    def __init__(self, node):
        self._node = node
        self._mean, self._stamp = None, 0

    def __call__(self, message):
        """Takes one message."""
        node, here = self._node, self._node.serving
        if here is None:
            return
        a = message.linear_acceleration
        a = np.array([a.x, a.y, a.z])
        strength = np.linalg.norm(here.loaded.gravity) or 9.81
        if not abs(np.linalg.norm(a) - strength) < TOLERANCE * strength:
            node.monitor.counters["imu_not_gravity"] += 1
            return
        frame, stamp = message.header.frame_id, nanoseconds(message.header.stamp)
        try:
            a = pose_of(here, frame)[:3, :3] @ a
        except RdynError:
            node.monitor.counters["imu_frame_unknown"] += 1
            return
        self._mean = a if self._mean is None else self._filtered(a, stamp)
        self._stamp = stamp
        gravity = -strength * self._mean / np.linalg.norm(self._mean)
        node.change_loaded(lambda robot: robot.with_gravity(gravity, monotonic()))

    def _filtered(self, acceleration, stamp):
        dt = max(0.0, (stamp - self._stamp) * 1e-9)
        gain = 1.0 - exp(-2.0 * pi * self._node.values.imu_cutoff * dt)
        return self._mean + gain * (acceleration - self._mean)
