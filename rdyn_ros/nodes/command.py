"""Torque for an effort controller: the compensation behind the safety filter of rdyn_ros.control."""
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
        # the state of the filter lies in arrays that the way in C goes on with, and leaves
        self._output, self._origin, self.weak = np.zeros(n), np.zeros(n), np.zeros(n, bool)
        # [s] when the last torque was given; when its ramp began, -inf once it is over; how long it takes
        self._stream = np.array([-inf, -inf, 0.0])

    def adjust(self, limits, values):
        """Takes other limits and parameters without a jump; from any thread."""
        delta = np.full(len(limits), values.max_delta_tau or inf)
        self._settings = Bounds(values.effort_scale * limits, delta, values.ramp_time, 0.0), values

    def end(self):
        """The stream is over: the next torque begins a new one."""
        self._stream[0] = -inf

    @property
    def shared(self):
        """What the way in C needs: state of the filter, weak, bounds, ramp [s], whether measured effort is used."""
        bounds, values = self._settings
        return (self._output, self._origin, self._stream, self.weak, bounds.effort, bounds.max_delta_tau,
                bounds.ramp_time, _measures(values))

    def __call__(self, compensation, measured, now):
        """Next torque (n,) [N m or N] towards `compensation`; `measured` (n,) effort, nan where unknown."""
        (bounds, values), nothing, (last, since, length) = self._settings, np.zeros(len(compensation)), self._stream
        if now - last >= values.state_timeout:
            before = SafetyFilter(bounds, nothing).enable(now, measured if _measures(values) else None)
            self._origin[:] = before.output
        else:
            phase = Phase.ACTIVE if since == -inf else Phase.RAMPING
            before = SafetyFilter(bounds, self._output.copy(), phase, since, length)
        after = before.step(now, compensation, nothing, self._origin)
        self.weak[:] = abs(compensation) > bounds.effort
        self._output[:] = after.output
        self._stream[:] = now, -inf if after.phase is Phase.ACTIVE else before.since, before.ramp_time
        return after.output


def _measures(values):
    """Whether a stream begins at the measured effort."""
    return values.use_measured_effort and not values.driver_compensates_gravity
