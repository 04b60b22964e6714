"""A robot mounted otherwise than it was read. No ROS."""
import numpy as np

from ..algorithms.momentum import total_mass

HEAVY = frozenset((     # what gravity changes, too, and nobody here needs
    "static_torque", "hybrid_dynamics", "joint_reactions", "regressor", "base_parameters",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "with_payload", "with_tool"))


class Tilted:
    """The robot of a Load under another gravity (3,) [m/s²], base axes.

    Gravity is an argument of the Load's kernel: no direction needs new machine code. All that gravity does
    not change is the robot's own.
    """

    def __init__(self, load, gravity):
        self._load, self._robot, self.gravity = load, load.robot, gravity

    def __getattr__(self, name):
        if name in HEAVY:
            raise AttributeError(f"{name} of a robot under another gravity; make one by with_gravity")
        return getattr(self._robot, name)

    def gravity_torque(self, q):
        """g(q) (n,) [N m or N]."""
        return self._load.terms(q, np.zeros(len(q)), self.gravity)[0]

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """M qdd + C qd + g - Σ Jᵀ f (n,) [N m or N]."""
        return self._robot.inverse_dynamics(q, qd, qdd, f_ext) + self._extra(q)

    def forward_dynamics(self, q, qd, tau, f_ext=None):
        """M⁻¹ (tau - C qd - g + Σ Jᵀ f) (n,) [rad/s² or m/s²]."""
        return self._robot.forward_dynamics(q, qd, tau - self._extra(q), f_ext)

    def energy(self, q, qd):
        """Kinetic and potential energy [J], zero for masses at the height of the base's origin."""
        own, extra = self._robot.energy(q, qd), self.gravity - self._robot.gravity
        return own._replace(potential=own.potential - total_mass(self.model) * extra @ self.com(q))

    def _extra(self, q):
        """What this gravity adds to the torque (n,) of the robot's own."""
        return self.gravity_torque(q) - self._robot.gravity_torque(q)
