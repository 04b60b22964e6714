"""One robot under simulation with all that belongs to it."""
from dataclasses import dataclass

import numpy as np

from ..errors import RdynError
from ..simulation.arm import ArmSettings, SimulatedArm
from .cdr import JointStateWriter
from .dynamics_outputs import check_names


@dataclass(eq=False)
class SimulatedRobot:
    """The robot without payload, its arm, where commands go, how states are written.

    A node replaces it as a whole: a callback that has begun with one ends with it.
    """

    bare: object
    arm: SimulatedArm
    order: np.ndarray           # (n,): command k is for joint order[k] of the robot
    write: JointStateWriter
    origin: int = 0             # stamp [ns] of the arm's time 0
    failure: str = ""           # why its motion could not be followed

    def command(self, tau):
        """Takes an effort command (n,) in the order of the parameter `joints`."""
        command = np.empty(len(tau))
        command[self.order] = tau
        self.arm.command(command)


def simulated(robot, values, make_arm):
    """SimulatedRobot of the parameters; make_arm(robot, q, ArmSettings) gives the arm."""
    v = values
    joints = v.joints or robot.joint_names
    check_names("joints", joints, robot.joint_names)
    if len(joints) != robot.nv:
        raise RdynError(f"parameter 'joints' has {len(joints)} names; the robot has {robot.nv} joints")
    if v.start and len(v.start) != robot.nv:
        raise RdynError(f"parameter 'start' has {len(v.start)} numbers; the robot has {robot.nv} joints")
    bare = robot.with_gravity(v.gravity) if v.gravity else robot
    q = np.array(v.start or np.clip(np.zeros(robot.nv), robot.limits.lower, robot.limits.upper))
    arm = make_arm(with_payload(bare, v), q, ArmSettings(
        step=v.step, scheme=v.scheme, friction=v.friction, stops=v.stops, brakes=v.brakes,
        actuator_delay=v.actuator_delay, actuator_noise=v.actuator_noise, command_timeout=v.command_timeout,
        position_noise=v.position_noise, velocity_noise=v.velocity_noise, position_resolution=v.position_resolution,
        driver_compensates_gravity=v.driver_compensates_gravity, seed=v.seed))
    return SimulatedRobot(bare, arm, np.array([robot.joint_names.index(name) for name in joints], dtype=int),
                          JointStateWriter([v.joint_prefix + name for name in robot.joint_names]))


def with_payload(robot, values):
    """The robot with the payload of the parameters."""
    return robot.with_payload(values.payload_mass, values.payload_com) if values.payload_mass else robot
