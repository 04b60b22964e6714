"""Torque for an effort controller: the compensation behind the safety filter of rdyn_ros.control."""
from dataclasses import replace

import numpy as np

from ..control.safety import Bounds, SafetyFilter


class Command:
    """Stream of torques that begins at what the motors are measured to give (else zero) and never jumps."""

    def __init__(self, limits, values):
        """limits (n,): largest efforts of the robot [N m or N]."""
        self.adjust(limits, values)
        self._filter, self._begun = None, False

    def adjust(self, limits, values):
        """Takes other limits and parameters without a jump; from any thread."""
        delta = np.full(len(limits), values.max_delta_tau or np.inf)
        self._bounds = Bounds(values.effort_scale * limits, delta, values.ramp_time, 0.0)

    def end(self):
        """The stream is over: the next torque begins a new one."""
        self._begun = False

    def __call__(self, compensation, measured, now):
        """Next torque (n,) [N m or N] towards `compensation`; `measured` (n,) effort, nan where unknown."""
        bounds, nothing = self._bounds, np.zeros(len(compensation))
        if not self._begun:
            self._filter, self._begun = SafetyFilter(bounds, nothing).enable(now, measured), True
        self._filter = replace(self._filter, bounds=bounds).step(now, compensation, nothing)
        return self._filter.output
