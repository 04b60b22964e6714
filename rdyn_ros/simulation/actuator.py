"""The drive of a simulated arm.

Commands act after a delay, with noise, and lose their force when they stop coming.
"""
from collections import deque

import numpy as np


class Actuator:
    """Torque in force from commands (n,) [N m or N].

    delay [s] until a command acts; noise [N m] standard deviation; a command older than timeout [s] fades to
    zero over another timeout, and the brakes hold meanwhile; timeout 0 keeps the last command for ever.
    """

    def __init__(self, n, delay, noise, timeout, rng):
        self.delay, self.noise, self.timeout, self.rng = delay, noise, timeout, rng
        self.pending = deque()
        self.tau, self.since = np.zeros(n), None        # command in force and the time it came into force

    def command(self, t, tau):
        """Takes a command at time t [s]; of those that come while time stands the last counts."""
        due = t + self.delay
        if self.pending and self.pending[-1][0] == due:
            self.pending.pop()
        self.pending.append((due, np.array(tau, float)))

    def torque(self, t):
        """Torque (n,) in force at time t, and whether commands still come."""
        while self.pending and self.pending[0][0] <= t + 1e-12:
            self.since, self.tau = self.pending.popleft()
        if self.since is None:
            return np.zeros(len(self.tau)), False
        age = t - self.since
        share = 1.0 if self.timeout == 0.0 else float(np.clip(2.0 - age / self.timeout, 0.0, 1.0))
        noise = self.rng.normal(0.0, self.noise, len(self.tau)) if self.noise else 0.0
        return share * (self.tau + noise), share == 1.0
