"""What a simulated arm lets others see: the true state with noise and in steps of the encoder."""
import numpy as np


class Sensor:
    """Noise: standard deviations of position [rad or m] and velocity; resolution: step of the position, 0 = none."""

    def __init__(self, position_noise, velocity_noise, position_resolution, rng):
        self.position_noise, self.velocity_noise = position_noise, velocity_noise
        self.resolution, self.rng = position_resolution, rng

    def read(self, q, qd):
        """Measured positions and velocities (n,) of the true ones."""
        q = self._noisy(q, self.position_noise)
        if self.resolution:
            q = np.round(q / self.resolution) * self.resolution
        return q, self._noisy(qd, self.velocity_noise)

    def _noisy(self, x, deviation):
        return x + self.rng.normal(0.0, deviation, len(x)) if deviation else x
