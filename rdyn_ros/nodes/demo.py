"""What the demo sees of the other nodes and asks of them; it shows nothing."""
import time
from dataclasses import dataclass, field

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import GetDynamics, SetMode
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..errors import RdynError
from .process import init

PATIENCE = 60.0  # [s] for anything that must happen at all, on a machine however slow
SHORTEST = 0.5  # [s] from which on a pace can be told
POINT = ("positions", "velocities", "accelerations")


@dataclass
class Seen:
    """Latest news, and what is gathered from all."""

    state: ControllerState | None = None
    terms: GetDynamics.Response | None = None
    health: dict = field(default_factory=dict)  # node: (level, sentence, {key: value})
    stage: str = ""                             # what goes on now
    samples: int = 0                            # numbers below `squares`
    squares: float = 0.0                        # sum of the squared tracking errors while moving
    worst: float = 0.0                          # largest tracking error while moving [rad or m]
    origin: np.ndarray | None = None            # positions (n,) at which floating began
    drift: float | None = None                  # largest way of a joint from there [rad or m]
    peak: float = 0.0                           # largest effort commanded [N m or N]
    faults: dict = field(default_factory=dict)  # sentences with which the controller gave up torque, as keys
    times: list = field(default_factory=list)   # (steady time, time of the robot) [s] of the first and latest motion

    def time(self):
        """Time of the robot's latest state [s]; it passes slowly where simulation is slow."""
        stamp = self.state.header.stamp
        return stamp.sec + stamp.nanosec * 1e-9

    def follows(self):
        """Whether computed torque alone decides about the torque."""
        return (self.state.mode, self.state.phase) == (SetMode.Request.COMPUTED_TORQUE, ControllerState.ACTIVE)

    def begin(self, stage):
        """Another stage from now on."""
        self.stage, self.origin = stage, None

    def pace(self):
        """Seconds of the robot in one of the clock while it moved and floated; None when that was too short."""
        if len(self.times) < 2:
            return None
        (then, before), (now, after) = self.times
        return (after - before) / (now - then) if now - then >= SHORTEST else None

    def take(self, message, now):
        """A ControllerState at steady time `now` [s]."""
        self.state = message
        if self.stage in ("moving", "floating"):
            self.times[1:] = [(now, self.time())]
        if message.fault:
            self.faults[message.fault] = True
        self.peak = max(self.peak, *map(abs, message.output.effort))
        if self.stage == "moving":
            error = np.array(message.error.positions)
            self.samples, self.squares = self.samples + error.size, self.squares + error @ error
            self.worst = max(self.worst, np.max(np.abs(error)))
        elif self.stage == "floating":
            q = np.array(message.feedback.positions)
            self.origin = q if self.origin is None else self.origin
            self.drift = np.max(np.abs(q - self.origin))


class DemoPeer:
    """A node that talks to `control` and `dynamics`; use it with `with`."""

    def __init__(self):
        self._context = Context()
        init([], self._context)
        self._node = rclpy.create_node("demo", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self.seen = Seen()
        self._node.create_subscription(ControllerState, "control/controller_state",
                                       lambda message: self.seen.take(message, time.monotonic()), 10)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._trajectory = self._node.create_publisher(JointTrajectory, "control/joint_trajectory", 10)
        self._mode = self._node.create_client(SetMode, "control/set_mode")
        self._enable = self._node.create_client(SetBool, "control/enable")
        self._dynamics = self._node.create_client(GetDynamics, "dynamics/get_dynamics")
        self._asked = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def listen(self, seconds):
        """Takes what comes within the time, and asks the dynamics node for the terms of the torque."""
        end = time.monotonic() + seconds
        if self._asked is None and self._dynamics.service_is_ready():
            self._asked = self._dynamics.call_async(GetDynamics.Request())
        while (left := end - time.monotonic()) > 0:
            self._executor.spin_once(left)
        if self._asked is not None and self._asked.done():
            if self._asked.result().success:
                self.seen.terms = self._asked.result()
            self._asked = None

    def is_ready(self):
        """Whether robot, controller and dynamics are there."""
        return (self.seen.state is not None and self.seen.terms is not None
                and self._trajectory.get_subscription_count() > 0)

    def set_mode(self, mode):
        """Chooses the control law."""
        response = self._call(self._mode, SetMode.Request(mode=mode))
        if not response.success:
            raise RdynError(f"mode {mode} is refused: {response.message}")

    def enable(self, on):
        """Torque on, or off."""
        response = self._call(self._enable, SetBool.Request(data=on))
        if on and not response.success:
            raise RdynError(f"torque is refused: {response.message}")

    def move(self, joint_names, times, positions, velocities, accelerations):
        """Sends a trajectory: times (k,) [s] from now, the rest (k, n)."""
        message = JointTrajectory(joint_names=list(joint_names))
        for t, *values in zip(times, positions, velocities, accelerations, strict=True):
            point = JointTrajectoryPoint(**dict(zip(POINT, map(np.ndarray.tolist, values), strict=True)))
            point.time_from_start.sec, point.time_from_start.nanosec = int(t), int(t % 1 * 1e9)
            message.points.append(point)
        self._trajectory.publish(message)

    def _call(self, client, request):
        if not client.wait_for_service(PATIENCE):
            raise RdynError(f"no service {client.srv_name} within {PATIENCE:.0f} s")
        future = client.call_async(request)
        self._executor.spin_until_future_complete(future, PATIENCE)
        if not future.done():
            raise RdynError(f"no answer of {client.srv_name} within {PATIENCE:.0f} s")
        return future.result()

    def _on_diagnostics(self, message):
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            level = ("OK", "WARN", "ERROR", "STALE")[ord(status.level)]
            self.seen.health[status.name] = level, status.message, values
