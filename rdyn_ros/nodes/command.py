"""Torque for an effort controller: the compensation behind the safety filter of rdyn_ros.control."""
from dataclasses import replace
from math import inf

import numpy as np

from ..control.safety import Bounds, Phase, SafetyFilter


class Command:
    """Stream of torques that never jumps.

    It begins at what the motors are measured to give; at zero where that is not known, is not to be used, or holds
    the gravity that the driver compensates. After state_timeout without a torque it begins anew. `weak` (n,) tells
    which joints would need more than they may give: they are not held.
    """

    def __init__(self, limits, values):
        """limits (n,): largest efforts of the robot [N m or N]."""
        n = len(limits)
        self.adjust(limits, values)
        self._filter = None
        # shared with the way in C, which steps while the filter passes on the law
        self._output, self.weak = np.zeros(n), np.zeros(n, bool)
        self._stream = np.array([-inf, 0.0])    # when the last torque was given [s]; whether the law is passed on

    def adjust(self, limits, values):
        """Takes other limits and parameters without a jump; from any thread."""
        delta = np.full(len(limits), values.max_delta_tau or np.inf)
        self._settings = Bounds(values.effort_scale * limits, delta, values.ramp_time, 0.0), values

    def end(self):
        """The stream is over: the next torque begins a new one."""
        self._stream[0] = -inf

    @property
    def arrays(self):
        """What the way in C needs: last torque, its time and whether the law is passed on, weak, bounds."""
        bounds, _ = self._settings
        return self._output, self._stream, self.weak, bounds.effort, bounds.max_delta_tau

    def __call__(self, compensation, measured, now):
        """Next torque (n,) [N m or N] towards `compensation`; `measured` (n,) effort, nan where unknown."""
        (bounds, values), nothing = self._settings, np.zeros(len(compensation))
        if now - self._stream[0] >= values.state_timeout:
            use = values.use_measured_effort and not values.driver_compensates_gravity
            before = SafetyFilter(bounds, nothing).enable(now, measured if use else None)
        else:
            before = replace(self._filter, bounds=bounds, output=self._output.copy())
        self.weak[:] = abs(compensation) > bounds.effort
        self._filter = before.step(now, compensation, nothing)
        self._output[:] = self._filter.output
        self._stream[:] = now, self._filter.phase is Phase.ACTIVE
        return self._filter.output
