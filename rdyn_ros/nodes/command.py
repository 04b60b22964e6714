"""Torque for an effort controller: the compensation behind the safety filter of rdyn_ros.control."""
from dataclasses import replace
from math import inf

import numpy as np

from ..control.safety import Bounds, SafetyFilter


class Command:
    """Stream of torques that never jumps.

    It begins at what the motors are measured to give; at zero where that is not known, is not to be used, or holds
    the gravity that the driver compensates. After state_timeout without a torque it begins anew. `weak` (n,) tells
    which joints would need more than they may give: they are not held.
    """

    def __init__(self, limits, values):
        """limits (n,): largest efforts of the robot [N m or N]."""
        self.adjust(limits, values)
        self._filter, self._last = None, -inf   # when the last torque was given [s]
        self.weak = np.zeros(len(limits), bool)

    def adjust(self, limits, values):
        """Takes other limits and parameters without a jump; from any thread."""
        delta = np.full(len(limits), values.max_delta_tau or np.inf)
        self._settings = Bounds(values.effort_scale * limits, delta, values.ramp_time, 0.0), values

    def end(self):
        """The stream is over: the next torque begins a new one."""
        self._last = -inf

    def __call__(self, compensation, measured, now):
        """Next torque (n,) [N m or N] towards `compensation`; `measured` (n,) effort, nan where unknown."""
        (bounds, values), nothing = self._settings, np.zeros(len(compensation))
        if now - self._last >= values.state_timeout:
            use = values.use_measured_effort and not values.driver_compensates_gravity
            self._filter = SafetyFilter(bounds, nothing).enable(now, measured if use else None)
        self.weak = abs(compensation) > bounds.effort
        self._filter, self._last = replace(self._filter, bounds=bounds).step(now, compensation, nothing), now
        return self._filter.output
