"""A controller and a simulated arm in one loop, without ROS and without clocks: the same run every time."""
from dataclasses import replace

import numpy as np

from rdyn_ros.control.controller import Controller
from rdyn_ros.control.motion import Reference
from rdyn_ros.nodes.control_settings import control_settings
from rdyn_ros.nodes.parameters import ControlParameters
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm

POSE = np.array([0.2, 0.5, -0.3, -1.2, 0.4, 0.8, 0.1])     # of arm_7r, away from limits and singularities


class Loop:
    """`arm` is driven by `controller`; `streams` keeps every torque sent."""

    def __init__(self, robot, mode="computed_torque", true=None, simulation=None, make_arm=SimulatedArm,
                 **parameters):
        self.settings = control_settings(ControlParameters(
            **{"use_friction": True, "ramp_time": 0.1, **parameters}), robot)
        self.controller = Controller(robot, self.settings, mode)
        self.arm = make_arm(true or robot, POSE[:robot.nv], simulation or ArmSettings(scheme="rk4"))
        self.streams, self.errors = [[]], []

    @property
    def now(self):
        return self.arm.time

    @property
    def phase(self):
        return self.controller.filter.phase.value

    def run(self, seconds, silent=False):
        """Runs on; a silent driver sends no states, so that only the watchdog acts, every 5 ms."""
        for i in range(round(seconds / self.arm.settings.step)):
            if silent:
                sent = i % 5 == 0 and self.controller.tick(self.now)
            else:
                sent = self.controller.take(self.now, self.now, self.arm.measure())
            if sent:
                self.arm.command(self.controller.filter.output)
                self.streams[-1].append(self.controller.filter.output)
            elif not silent and self.streams[-1]:
                self.streams.append([])
            if self.controller.reference is not None:
                self.errors.append(np.abs(self.controller.reference.q - self.arm.q).max())
            self.arm.advance()
        return self

    def enabled(self):
        """Runs until the law is in force."""
        self.run(0.01)
        assert self.controller.enable(self.now) == []
        self.run(self.settings.bounds.ramp_time + 0.1)
        assert self.phase == "active"
        return self

    def move(self, way, seconds):
        """Sends a trajectory of one point, `way` [rad] from where the arm is."""
        nothing = np.full((1, len(self.arm.q)), np.nan)
        self.controller.follow([seconds], Reference((self.arm.q + way)[None], nothing, nothing))
        return self

    def largest_step(self):
        """Largest change of a torque from one command to the next."""
        return max(np.abs(np.diff(stream, axis=0)).max() for stream in self.streams if len(stream) > 1)


def frictionless(robot):
    """The robot without friction in its joints."""
    return with_friction(robot, 0.0, 0.0)


def with_friction(robot, viscous, coulomb):
    """The robot with this friction in all its joints."""
    def rubbed(body):
        return replace(body, joint=body.joint and replace(body.joint, viscous=viscous, coulomb=coulomb))
    return type(robot)(robot.model.replace(bodies=tuple(rubbed(body) for body in robot.model.bodies)))
