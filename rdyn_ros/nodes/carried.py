"""The robots that the controller commands: loads that pass over one to another, under the gravity in force.

No ROS.
"""
from .tilted import Tilted

USED = ("inverse_dynamics", "gravity_torque", "mass_matrix", "coriolis_matrix", "friction_torque", "fk",
        "jacobian")


def carried(loaded, now):
    """(robot, ((weight, robot), ...)): the one that takes over, and those with a share left at `now` [s]."""
    if loaded.mounted_as_known and loaded.steady(now):
        return loaded.robot, ()
    gravity = loaded.gravity_at(now)
    *before, (_, robot) = ((weight, Tilted(load, gravity)) for weight, load in loaded.loads(now))
    return robot, tuple(before)
