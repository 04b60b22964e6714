"""The simulator node with MuJoCo inside instead of our own dynamics: same topics, same parameters.

Needs the package mujoco. Run it in place of simulator_node, with the other nodes as usual:

    python examples/mujoco_adapter.py --ros-args -p robot:=arm_7r -p start:="[0., .5, 0., -1.2, 0., .8, 0.]"
    control_node --ros-args -p robot:=arm_7r -p mode:=computed_torque -p use_friction:=true
"""
import sys
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from rdyn_ros.control.motion import State
from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.process import run
from rdyn_ros.nodes.simulator_node import SimulatorNode
from rdyn_ros.simulation.actuator import Actuator
from rdyn_ros.simulation.arm import ArmSettings
from rdyn_ros.simulation.sensor import Sensor
from rdyn_ros.spatial import matrix_quaternion


class MujocoArm:
    """Stands in for rdyn_ros.simulation.arm.SimulatedArm; MuJoCo chooses the scheme of integration."""

    def __init__(self, robot, q, settings=None):
        s = self.settings = settings or ArmSettings()
        rng = np.random.default_rng(s.seed)
        self.actuator = Actuator(robot.nv, s.actuator_delay, s.actuator_noise, s.command_timeout, rng)
        self.sensor = Sensor(s.position_noise, s.velocity_noise, s.position_resolution, rng)
        self.wrenches = {}                              # {frame: (6,) at its origin, base axes}
        self.data = None
        self.robot = robot
        self.data.qpos[:] = q
        self.effort = np.zeros(robot.nv)

    @property
    def robot(self):
        """The robot simulated; another one (a payload) takes over the state."""
        return self._robot

    @robot.setter
    def robot(self, robot):
        model = mujoco.MjModel.from_xml_string(mjcf(robot, self.settings))
        data = mujoco.MjData(model)
        if self.data is not None:
            data.qpos[:], data.qvel[:], data.time = self.data.qpos, self.data.qvel, self.data.time
        mujoco.mj_forward(model, data)
        self._robot, self.model, self.data = robot, model, data

    @property
    def q(self):
        """True joint positions (n,)."""
        return self.data.qpos.copy()

    @property
    def qd(self):
        """True joint velocities (n,)."""
        return self.data.qvel.copy()

    @property
    def time(self):
        """Simulated time [s]."""
        return self.data.time

    def command(self, tau):
        """Effort command (n,) from now on."""
        self.actuator.command(self.time, tau)

    def measure(self):
        """Measured state."""
        return State(*self.sensor.read(self.q, self.qd), self.effort)

    def advance(self):
        """One step of time; without commands the brakes hold the arm where it is."""
        data, settings = self.data, self.settings
        tau, driven = self.actuator.torque(self.time)
        if settings.brakes and not driven:
            data.qvel[:] = 0.0
            mujoco.mj_forward(self.model, data)
            self.effort = np.zeros(len(tau)) if settings.driver_compensates_gravity else data.qfrc_bias.copy()
            data.time += settings.step
            return
        data.qfrc_applied[:] = tau
        for frame, wrench in self.wrenches.items():
            site = self.model.site(frame)
            mujoco.mj_applyFT(self.model, data, wrench[:3], wrench[3:], data.site(site.id).xpos,
                              site.bodyid[0], data.qfrc_applied)
        if settings.driver_compensates_gravity:
            data.qfrc_applied[:] += self._robot.gravity_torque(self.q)
        mujoco.mj_step(self.model, data)
        self.effort = tau


def mjcf(robot, settings):
    """MuJoCo's description of a robot: the same bodies, joints, rotor inertias, friction and limits."""
    model = robot.model
    if robot.nq != robot.nv or model.has_mimic:
        raise RdynError(f"robot '{robot.name}' has a floating base or mimic joints; MujocoArm knows neither")
    root = ET.Element("mujoco", model=robot.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", gravity=numbers(robot.gravity), timestep=str(settings.step),
                  integrator="implicitfast", iterations="50", tolerance="1e-10")
    nodes = [ET.SubElement(root, "worldbody")]
    for i, body in enumerate(model.bodies):
        if i:
            nodes.append(ET.SubElement(nodes[body.parent], "body", name=body.name, pos=numbers(body.p),
                                       quat=quaternion(body.R)))
            ET.SubElement(nodes[i], "joint", joint_attributes(body.joint, settings))
            tensor = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            ET.SubElement(nodes[i], "inertial", mass=repr(float(body.mass)), pos=numbers(body.com),
                          fullinertia=numbers(tensor))
        for frame in model.frames:
            if frame.body == i:
                ET.SubElement(nodes[i], "site", name=frame.name, pos=numbers(frame.p),
                              quat=quaternion(frame.R))
    return ET.tostring(root, encoding="unicode")


def joint_attributes(joint, settings):
    """Attributes of MuJoCo's element <joint>."""
    attributes = {"name": joint.name, "axis": numbers(joint.axis),
                  "type": "slide" if joint.kind == "prismatic" else "hinge",
                  "armature": repr(float(joint.rotor_inertia * joint.gear_ratio**2))}
    if settings.friction:
        attributes |= {"damping": repr(float(joint.viscous)), "frictionloss": repr(float(joint.coulomb))}
    if settings.stops and np.isfinite([joint.lower, joint.upper]).all():
        attributes["range"] = numbers([joint.lower, joint.upper])
    return attributes


def quaternion(R):
    """Quaternion of a rotation in MuJoCo's order w x y z."""
    return numbers(np.roll(matrix_quaternion(R), 1))


def numbers(values):
    """Numbers as text, exactly."""
    return " ".join(repr(float(value)) for value in values)


if __name__ == "__main__":
    sys.exit(run(lambda: SimulatorNode(MujocoArm)))
