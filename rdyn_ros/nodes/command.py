"""Torque for an effort controller: the compensation behind the safety filter of rdyn_ros.control."""
from dataclasses import replace

import numpy as np

from ..control.safety import Bounds, SafetyFilter


class Command:
    """Stream of torques that begins at what the motors are measured to give (else zero) and never jumps."""

    def __init__(self, limits, values):
        self._limits = limits
        n = len(limits)
        self._filter = SafetyFilter(self._bounds(values), np.zeros(n))
        self._begun = False

    def adjust(self, values):
        """Takes new parameters without a jump."""
        self._filter = replace(self._filter, bounds=self._bounds(values))

    def end(self):
        """The stream is over: the next torque begins a new one."""
        self._begun = False

    def __call__(self, compensation, measured, now):
        """Next torque (n,) [N m or N] towards `compensation`; `measured` (n,) effort, nan where unknown."""
        if not self._begun:
            idle = SafetyFilter(self._filter.bounds, np.zeros(len(compensation)))
            self._filter, self._begun = idle.enable(now, measured), True
        self._filter = self._filter.step(now, compensation, np.zeros(len(compensation)))
        return self._filter.output

    def _bounds(self, values):
        n = len(self._limits)
        delta = values.max_delta_tau or np.inf
        return Bounds(values.effort_scale * self._limits, np.full(n, delta), values.ramp_time, 0.0)
