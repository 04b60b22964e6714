"""A simulated arm: forward dynamics with a fixed step behind a drive and sensors.

Equal seeds give equal runs.
"""
from dataclasses import dataclass, fields

import numpy as np

from ..boundary import vector
from ..control.motion import State
from ..errors import RdynError
from .actuator import Actuator
from .contact import impulses
from .integrators import SCHEMES
from .sensor import Sensor

STOP_RECOVERY = 0.2        # part of the penetration of a joint stop that one step undoes


@dataclass(frozen=True)
class ArmSettings:
    """Everything that a run depends on, beside the robot, the start and the commands.

    Units: s, rad or m, N m or N.
    """

    step: float = 1e-3
    scheme: str = "gauss_legendre"
    friction: bool = True                       # the robot's viscous and Coulomb friction
    stops: bool = True                          # joints stop at their position limits
    brakes: bool = True                         # hold the arm while no commands come
    actuator_delay: float = 0.0
    actuator_noise: float = 0.0
    command_timeout: float = 0.1                # 0 = the last command acts for ever
    position_noise: float = 0.0
    velocity_noise: float = 0.0
    position_resolution: float = 0.0
    driver_compensates_gravity: bool = False
    seed: int = 0

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is float and not (0.0 <= value < np.inf and (value > 0.0 or field.name != "step")):
                sign = "> 0" if field.name == "step" else ">= 0"
                raise RdynError(f"{field.name} is {value!r}; it must be a finite number {sign}")


class SimulatedArm:
    """Arm on a fixed base at joint positions q (n,), at rest, at time 0: command, advance, measure."""

    def __init__(self, robot, q, settings=None):
        settings = settings or ArmSettings()
        if robot.nq != robot.nv:
            raise RdynError(f"robot '{robot.name}' has a floating base; the simulated arm needs a fixed one")
        if settings.scheme not in SCHEMES:
            raise RdynError(f"scheme is '{settings.scheme}'; it can be {', '.join(SCHEMES)}")
        rng = np.random.default_rng(settings.seed)
        s = self.settings = settings
        self.robot, self.time, self.steps = robot, 0.0, 0
        self.q, self.qd = np.array(self._vector("q", q)), np.zeros(robot.nv)
        self.effort = np.zeros(robot.nv)                    # what a joint sensor feels of drive and brakes
        self.wrenches = {}                                  # {frame: (6,) at its origin, base axes}
        self.actuator = Actuator(robot.nv, s.actuator_delay, s.actuator_noise, s.command_timeout, rng)
        self.sensor = Sensor(s.position_noise, s.velocity_noise, s.position_resolution, rng)
        if s.brakes:
            self.effort = self._gravity_share(self.q)

    def command(self, tau):
        """Effort command (n,) from now on."""
        self.actuator.command(self.time, self._vector("tau", tau))

    def measure(self):
        """Measured state: positions and velocities through the sensors, effort of drive and brakes."""
        return State(*self.sensor.read(self.q, self.qd), self.effort)

    def advance(self):
        """One step of time; RdynError when the motion cannot be followed with this step and scheme."""
        h = self.settings.step
        tau, driven = self.actuator.torque(self.time)
        viscous, M_inv, Z = self.robot.model.viscous, None, None
        if self.settings.friction and viscous.any():
            M_inv = np.linalg.inv(self.robot.mass_matrix(self.q))
            Z = h * M_inv * viscous
        try:
            step = SCHEMES[self.settings.scheme](self._acceleration(tau), self.q, self.qd, h, Z)
        except RdynError as error:
            raise RdynError(f"simulation stopped at {self.time:.6g} s: {error}") from error
        braking = np.zeros(len(tau))
        if self.settings.brakes and not driven:
            braking = self.robot.limits.effort * h
        self.q, self.qd, held = self._with_impulses(step, M_inv, braking)
        self.effort = tau + np.clip(held, -braking, braking) / h
        self.steps += 1
        self.time = self.steps * h

    def energy(self):
        """Kinetic and potential energy [J] of the true state."""
        return self.robot.energy(self.q, self.qd)

    def _vector(self, name, value):
        return vector(self.robot.model, name, value, self.robot.nv, many=False)

    def _acceleration(self, tau):
        """Function a(q, v) of one state or a stack of them.

        Outer wrenches act as at the beginning of the step.
        """
        for frame, wrench in self.wrenches.items():
            tau = tau + self.robot.jacobian(self.q, frame).T @ wrench
        viscous = self.robot.model.viscous if self.settings.friction else 0.0

        def acceleration(q, v):
            load = tau - viscous * v
            if self.settings.driver_compensates_gravity:
                load = load + self.robot.gravity_torque(q)
            return self.robot.forward_dynamics(q, v, load)
        return acceleration

    def _with_impulses(self, step, M_inv, braking):
        """State after dry friction, stops and brakes (impulses up to `braking`), and those impulses."""
        h, limits, q, qd = self.settings.step, self.robot.limits, step.q, step.v
        dry = braking + (self.robot.model.coulomb * h if self.settings.friction else 0.0)
        over = np.clip(q, limits.lower, limits.upper) - q if self.settings.stops else np.zeros(len(q))
        if not dry.any() and not over.any():
            return q, qd, np.zeros(len(q))
        lower, upper = np.where(over < 0.0, -np.inf, -dry), np.where(over > 0.0, np.inf, dry)
        target = STOP_RECOVERY * over / h
        M = self.robot.mass_matrix(self.q) if M_inv is None else np.linalg.inv(step.phi @ M_inv)
        p, after = impulses(M, qd, lower, upper, target)
        after = np.where(np.abs(after - target) < 1e-9, target, after)
        stuck = (self.qd == 0.0) & (after == 0.0)
        undamped = after - qd if M_inv is None else M_inv @ p         # what p adds to qd without viscous friction
        return np.where(stuck, self.q, q + h * np.dot(step.psi, undamped)), after, p

    def _gravity_share(self, q):
        return np.zeros(len(q)) if self.settings.driver_compensates_gravity else self.robot.gravity_torque(q)
