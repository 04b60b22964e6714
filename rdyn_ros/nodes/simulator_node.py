"""Node simulator: effort commands in, joint states out, as a driver of a real arm would."""
import sys
from time import monotonic

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from ..errors import RdynError
from ..simulation.arm import ArmSettings, SimulatedArm
from .diagnostics import STEADY, Diagnostics, Monitor
from .dynamics_outputs import check_names
from .lifecycle import RdynNode
from .messages import NANO, time_message
from .parameters import SimulatorParameters
from .process import run
from .robot_source import RobotSource
from .simulator_messages import JointStateWriter

BURST = 2           # periods at most in one callback: commands must get their turn
BEHIND = 0.1        # [s] of real time after which the simulation no longer tries to catch up
PATIENCE = 0.02     # [s] that lockstep waits for a command


class SimulatorNode(RdynNode):
    """Steps an arm; on a machine that is too slow, simulated time runs slower instead of skipping.

    make_arm(robot, q, ArmSettings) gives the arm; another simulator can stand in (see examples/).
    """

    Parameters = SimulatorParameters

    def __init__(self, make_arm=SimulatedArm):
        super().__init__("simulator")
        self._make_arm = make_arm
        self.arm, self._failure = None, ""

    def configure(self):
        """Makes robot, arm, topics, service and diagnostics."""
        v = self.values
        self.monitor = Monitor()
        self._substeps = max(1, round(1.0 / (v.rate * v.step)))
        self._period = self._substeps * v.step
        self._done, self._begin = 0, monotonic()
        self._origin = 0            # stamp [ns] of the arm's time 0
        self._source = RobotSource(self, self._take_robot, self.get_logger().error)
        self._states = self.create_publisher(JointState, "joint_states", 10)
        self._clock_topic = self.create_publisher(Clock, "/clock", 10) if v.publish_clock else None
        self._inlets = [self.listen(Float64MultiArray, v.command_topic, self._on_command, 10),
                        self.listen(WrenchStamped, "~/external_wrench", self._on_wrench, 10)]
        self._service = self.create_service(Trigger, "~/step", self._on_step)
        timers = {"clock": (min(self._period / v.real_time_factor, 0.01), self._on_timer),
                  "lockstep": (PATIENCE, self._on_silence), "stepped": (1.0, lambda: None)}
        self._timer = self.create_timer(*timers[v.pace], clock=STEADY)
        self._diagnostics = Diagnostics(self, self._judge)

    def activate(self):
        """Time begins to run."""
        self._begin, self._done, self._commanded = monotonic(), 0, -np.inf
        self._keep_time()

    def cleanup(self):
        """Undoes configure."""
        self._source.close()
        self._diagnostics.close()
        self.destroy_timer(self._timer)
        self.destroy_service(self._service)
        for inlet in self._inlets:
            self.destroy_subscription(inlet)
        for publisher in (self._states, self._clock_topic):
            if publisher is not None:
                self.destroy_publisher(publisher)
        self.arm = None

    def changed(self, values):
        """Takes live parameters."""
        before = self.values
        payload_changed = (values.payload_mass, values.payload_com) != (before.payload_mass, before.payload_com)
        if self.arm is not None and payload_changed:
            self.arm.robot = with_payload(self._bare, values)

    def _take_robot(self, robot):
        v = self.values
        joints = v.joints or robot.joint_names
        check_names("joints", joints, robot.joint_names)
        if len(joints) != robot.nv:
            raise RdynError(f"parameter 'joints' has {len(joints)} names; the robot has {robot.nv} joints")
        self._order = np.array([robot.joint_names.index(name) for name in joints], dtype=int)
        self._bare = robot.with_gravity(v.gravity) if v.gravity else robot
        if v.start and len(v.start) != robot.nv:
            raise RdynError(f"parameter 'start' has {len(v.start)} numbers; the robot has {robot.nv} joints")
        q = np.array(v.start or np.clip(np.zeros(robot.nv), robot.limits.lower, robot.limits.upper))
        self._failure = ""
        self._write = JointStateWriter([v.joint_prefix + name for name in robot.joint_names])
        self.arm = self._make_arm(with_payload(self._bare, v), q, ArmSettings(
            step=v.step, scheme=v.scheme, friction=v.friction, stops=v.stops, brakes=v.brakes,
            actuator_delay=v.actuator_delay, actuator_noise=v.actuator_noise,
            command_timeout=v.command_timeout,
            position_noise=v.position_noise, velocity_noise=v.velocity_noise,
            position_resolution=v.position_resolution,
            driver_compensates_gravity=v.driver_compensates_gravity, seed=v.seed))
        self._keep_time()

    def _keep_time(self):
        """From now on stamps are those of the ROS clock, unless this node publishes the clock."""
        if self.arm is not None and not self.values.publish_clock:
            self._origin = self.get_clock().now().nanoseconds - round(self.arm.time * NANO)

    def _on_timer(self):
        """Simulates up to now."""
        if not self._running():
            return
        period = self._period / self.values.real_time_factor
        due = int((monotonic() - self._begin) / period) - self._done
        if due * period > BEHIND:
            self.monitor.counters["slipped_periods"] += due - 1
            self._done, due = self._done + due - 1, 1
            if not self.monitor.inputs:     # nobody is moving it yet: all are still starting
                self._keep_time()
        for _ in range(min(due, BURST)):
            self._simulate()

    def _on_silence(self):
        """Lockstep: no command came for a while; the next state asks for one."""
        if self._running() and monotonic() - self._commanded > PATIENCE:
            self._simulate()

    def _on_step(self, request, response):
        if self.values.pace != "stepped" or not self.active or self.arm is None:
            response.message = "not stepped: set pace to stepped, and activate the node with a robot"
            return response
        if self._running():
            self._simulate()
        response.success, response.message = not self._failure, self._failure or f"time {self.arm.time:.6f} s"
        return response

    def _running(self):
        return self.active and self.arm is not None and not self._failure

    def _on_command(self, message):
        if self.arm is None:
            return
        tau = np.array(message.data)
        if tau.shape != self._order.shape or not np.all(np.isfinite(tau)):
            self.monitor.counters["command_refused"] += 1
            return
        self.monitor.inputs += 1
        command = np.empty(len(tau))
        command[self._order] = tau
        self.arm.command(command)
        if self.values.pace == "lockstep" and self._running():
            self._commanded = monotonic()
            self._simulate()

    def _on_wrench(self, message):
        """External wrench on a frame (frame_id; empty: the tip), in base axes, until the next one for it."""
        f, m = message.wrench.force, message.wrench.torque
        wrench = np.array([f.x, f.y, f.z, m.x, m.y, m.z])
        try:
            if self.arm is None or not np.all(np.isfinite(wrench)):
                raise RdynError(f"external wrench is {wrench.tolist()}; it needs finite numbers, and a robot")
            frame = self._bare.model.frame(message.header.frame_id or None).name
            self.arm.wrenches = {**self.arm.wrenches, frame: wrench}
        except RdynError as error:
            self.monitor.counters["wrench_refused"] += 1
            self.get_logger().warning(str(error))

    def _simulate(self):
        """One period of joint_states; a motion that cannot be followed stops the simulation, not the node."""
        begin = monotonic()
        try:
            for _ in range(self._substeps):
                self.arm.advance()
        except RdynError as error:
            self._failure = f"{error}; then configure the node anew"
            self.get_logger().error(self._failure)
            return
        self._done += 1
        stamp = self._origin + round(self.arm.time * NANO)
        if self._clock_topic is not None:
            self._clock_topic.publish(Clock(clock=time_message(stamp)))
        self._states.publish(self._write(stamp, *self.arm.measure()))
        self.monitor.answered(monotonic() - begin)

    def _judge(self):
        report = self.monitor.report()
        if self.arm is None:
            return "WARN", "waiting for a robot", report
        values = {"robot": self._bare.name, "time_s": f"{self.arm.time:.3f}", **report}
        if self._failure:
            return "ERROR", self._failure, values
        wanted = self.values.real_time_factor / self._period if self.values.pace == "clock" else 0.0
        if float(report["output_rate_hz"]) < 0.9 * wanted:
            return "WARN", "simulated time runs slower than wanted", values
        return "OK", "running", values


def with_payload(robot, values):
    """The robot with the payload of the parameters."""
    return robot.with_payload(values.payload_mass, values.payload_com) if values.payload_mass else robot


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(SimulatorNode, args))


if __name__ == "__main__":
    main()
