"""Gravity of the base, live from an IMU on the robot."""
from math import exp, inf, pi
from time import monotonic

import numpy as np

from ..errors import RdynError
from .messages import nanoseconds, vector_of
from .requests import RequestError, pose_of

TOLERANCE = 0.2  # |acceleration| may differ from gravity by this part; else the robot is being shaken


class ImuGravity:
    """Callback for sensor_msgs/Imu: gravity points against the low-pass filtered acceleration at rest.

    Direction from the IMU, strength from the gravity that was set before. header.frame_id must be a frame of
    the robot, or the base. Time is that of the stamps; steady time where there are none.
    """

    def __init__(self, node):
        self._node = node
        self._mean, self._stamp, self._taken = None, 0, -inf

    def age(self, now):
        """Time [s] since the IMU last told where gravity points; inf before it did."""
        return now - self._taken

    def __call__(self, message):
        """Takes one message."""
        node, here, now = self._node, self._node.serving, monotonic()
        if here is None:
            node.monitor.counters["no_robot"] += 1
            return
        a = vector_of(message.linear_acceleration)
        strength = np.linalg.norm(here.loaded.gravity) or 9.81
        if not abs(np.linalg.norm(a) - strength) < TOLERANCE * strength:
            node.monitor.counters["imu_not_gravity"] += 1
            return
        frame, stamp = message.header.frame_id, nanoseconds(message.header.stamp)
        try:
            a = pose_of(here, frame)[:3, :3] @ a
        except RdynError as error:
            stale = isinstance(error, RequestError)
            node.monitor.counters["imu_without_state" if stale else "imu_frame_unknown"] += 1
            return
        dt = (stamp - self._stamp) * 1e-9 if stamp and self._stamp else self.age(now)
        gain = 1.0 - exp(-2.0 * pi * node.values.imu_cutoff * max(0.0, dt))
        self._mean = a if self._mean is None else self._mean + gain * (a - self._mean)
        self._stamp, self._taken = stamp, now
        gravity = -strength * self._mean / np.linalg.norm(self._mean)
        node.change_loaded(lambda robot: robot.with_gravity(gravity, now))
