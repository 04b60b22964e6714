"""The robots that the controller commands: loads that pass over one to another, under the gravity in force.

No ROS.
"""
import numpy as np

USED = ("inverse_dynamics", "gravity_torque", "mass_matrix", "coriolis_matrix", "fk", "jacobian")


class Tilted:
    """The robot of a Load under another gravity (3,) [m/s²], base axes.

    Gravity is an argument of the Load's kernel: no direction needs new machine code. All that gravity does
    not change is the robot's own.
    """

    def __init__(self, load, gravity):
        self._load, self._robot, self.gravity = load, load.robot, gravity

    def __getattr__(self, name):
        return getattr(self._robot, name)

    def gravity_torque(self, q):
        """g(q) (n,) [N m or N]."""
        return self._load.terms(q, np.zeros(len(q)), self.gravity)[0]

    def inverse_dynamics(self, q, qd, qdd):
        """M qdd + C qd + g (n,) [N m or N]."""
        own = self._robot.inverse_dynamics(q, qd, qdd) - self._robot.gravity_torque(q)
        return own + self.gravity_torque(q)


def carried(loaded, now):
    """(robot, ((weight, robot), ...)): the one that takes over, and those with a share left at `now` [s]."""
    if loaded.mounted_as_known and loaded.steady(now):
        return loaded.robot, ()
    gravity = loaded.gravity_at(now)
    *before, (_, robot) = ((weight, Tilted(load, gravity)) for weight, load in loaded.loads(now))
    return robot, tuple(before)
