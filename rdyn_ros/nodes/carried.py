"""The robot that the controller commands, with what it carries, as it passes over from one to another.

No ROS.
"""
from typing import NamedTuple

from .loaded_robot import Ramp

USED = ("inverse_dynamics", "gravity_torque", "mass_matrix", "coriolis_matrix", "fk", "jacobian")


class Carried(NamedTuple):
    """`robot` takes over from `before` ((weight, robot), ...) along `ramp`."""

    robot: object
    before: tuple = ()
    ramp: Ramp = Ramp()

    def parts(self, now):
        """Robot, and ((weight, robot), ...) that still have a share at steady time `now` [s]."""
        left = 1.0 - self.ramp.at(now)
        return self.robot, tuple((left * weight, robot) for weight, robot in self.before if left)

    def changed(self, before, after, now):
        """After a change of the LoadedRobot `before` to `after`, with machine code ready."""
        robot, ramp = after.robot, after.ramp if after.load is not before.load else after.gravity_ramp
        if (after.gravity != robot.gravity).any():
            robot = robot.with_gravity(after.gravity)
        robot.compile(*USED)
        last, others = self.parts(now)
        share = 1.0 - sum(weight for weight, _ in others)
        return Carried(robot, (*others, (share, last)), ramp)
