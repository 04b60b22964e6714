"""Node simulator: effort commands in, joint states out, as a driver of a real arm would."""
import sys
from threading import Lock
from time import monotonic

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from ..errors import RdynError
from ..simulation.arm import SimulatedArm
from .diagnostics import STEADY, Diagnostics, Monitor
from .lifecycle import RdynNode
from .messages import NANO, time_message, wrench_of
from .parameters import SimulatorParameters
from .process import run
from .qos import OVERRIDABLE
from .robot_source import RobotSource
from .simulated_robot import simulated, with_payload

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
        self.serving = None
        self._lock = Lock()     # held while `serving` or its payload is replaced: by robots and parameters

    def configure(self):
        """Makes robot, arm, topics, service and diagnostics."""
        v = self.values
        self.monitor = Monitor()
        self._substeps = max(1, round(1.0 / (v.rate * v.step)))
        self._period = self._substeps * v.step
        self._done, self._begin = 0, monotonic()
        self._source = self.ends(RobotSource(self, self._take_robot, self.get_logger().error))
        self._states = self.create_publisher(JointState, "joint_states", 10, qos_overriding_options=OVERRIDABLE)
        self._clock_topic = self.create_publisher(Clock, "/clock", 10) if v.publish_clock else None
        self.listen(Float64MultiArray, v.command_topic, self._on_command, 10)
        self.listen(WrenchStamped, "~/external_wrench", self._on_wrench, 10)
        self.create_service(Trigger, "~/step", self._on_step)
        timers = {"clock": (min(self._period / v.real_time_factor, 0.01), self._on_timer),
                  "lockstep": (PATIENCE, self._on_silence), "stepped": (1.0, lambda: None)}
        self.create_timer(*timers[v.pace], clock=STEADY)
        self._diagnostics = Diagnostics(self, self._judge)

    def activate(self):
        """Time begins to run."""
        self._begin, self._done, self._commanded = monotonic(), 0, -np.inf
        if self.serving is not None:
            self._keep_time(self.serving)

    def cleanup(self):
        """Undoes configure."""
        self.serving = None

    def changed(self, values):
        """Takes live parameters."""
        with self._lock:
            if (here := self.serving) and _payload(values) != _payload(self.values):
                here.arm.robot = with_payload(here.bare, values)
            self.values = values    # a robot that comes meanwhile takes them, too

    def _take_robot(self, robot):
        """Simulates `robot` from now on, from its start."""
        values = self.values
        fresh = simulated(robot, values, self._make_arm)
        with self._lock:
            if _payload(values) != _payload(self.values):
                fresh.arm.robot = with_payload(fresh.bare, self.values)
            if before := self.serving:      # a clock must not go back; two periods may be under way
                fresh.origin = before.origin + round((before.arm.time + BURST * self._period) * NANO)
            self._keep_time(fresh)
            self.serving = fresh

    def _keep_time(self, here):
        """From now on stamps are those of the ROS clock, unless this node publishes the clock."""
        if not self.values.publish_clock:
            here.origin = self.get_clock().now().nanoseconds - round(here.arm.time * NANO)

    def _on_timer(self):
        """Simulates up to now."""
        here = self._running()
        if here is None:
            return
        period = self._period / self.values.real_time_factor
        due = int((monotonic() - self._begin) / period) - self._done
        if due * period > BEHIND:
            self.monitor.counters["slipped_periods"] += due - 1
            self._done, due = self._done + due - 1, 1
            if not self.monitor.inputs:     # nobody is moving it yet: all are still starting
                self._keep_time(here)
        for _ in range(min(due, BURST)):
            self._simulate(here)

    def _on_silence(self):
        """Lockstep: no command came for a while; the next state asks for one."""
        here = self._running()
        if here and monotonic() - self._commanded > PATIENCE:
            self._simulate(here)

    def _on_step(self, request, response):
        here = self.serving
        if self.values.pace != "stepped" or not self.active or here is None:
            response.message = "not stepped: set pace to stepped, and activate the node with a robot"
            return response
        if not here.failure:
            self._simulate(here)
        response.success, response.message = not here.failure, here.failure or f"time {here.arm.time:.6f} s"
        return response

    def _running(self):
        """What is simulated; None while time stands."""
        here = self.serving
        return here if self.active and here is not None and not here.failure else None

    def _on_command(self, message):
        here = self.serving
        if here is None:
            self.monitor.counters["no_robot"] += 1
            return
        tau = np.array(message.data)
        if tau.shape != here.order.shape or not np.all(np.isfinite(tau)):
            self.monitor.counters["command_refused"] += 1
            return
        self.monitor.inputs += 1
        here.command(tau)
        if self.values.pace == "lockstep" and self.active and not here.failure:
            self._commanded = monotonic()
            self._simulate(here)

    def _on_wrench(self, message):
        """External wrench on a frame (frame_id; empty: the tip), in base axes, until the next one for it."""
        wrench, here = wrench_of(message.wrench), self.serving
        try:
            if here is None or not np.all(np.isfinite(wrench)):
                raise RdynError(f"external wrench is {wrench.tolist()}; it needs finite numbers, and a robot")
            frame = here.bare.model.frame(message.header.frame_id or None).name
            here.arm.wrenches = {**here.arm.wrenches, frame: wrench}
        except RdynError as error:
            self.monitor.counters["wrench_refused"] += 1
            self.get_logger().warning(str(error))

    def _simulate(self, here):
        """One period of joint_states; a motion that cannot be followed stops the simulation, not the node."""
        begin = monotonic()
        try:
            for _ in range(self._substeps):
                here.arm.advance()
        except RdynError as error:
            here.failure = f"{error}; then configure the node anew"
            self.get_logger().error(here.failure)
            return
        self._done += 1
        stamp = here.origin + round(here.arm.time * NANO)
        if self._clock_topic is not None:
            self._clock_topic.publish(Clock(clock=time_message(stamp)))
        self._states.publish(here.write(stamp, *here.arm.measure()))
        self.monitor.answered(monotonic() - begin)

    def _judge(self):
        report, here = self.monitor.report(), self.serving
        if here is None:
            return "WARN", "waiting for a robot", report
        values = {"robot": here.bare.name, "time_s": f"{here.arm.time:.3f}", **report}
        if here.failure:
            return "ERROR", here.failure, values
        wanted = self.values.real_time_factor / self._period if self.values.pace == "clock" else 0.0
        if float(report["output_rate_hz"]) < 0.9 * wanted:
            return "WARN", "simulated time runs slower than wanted", values
        return "OK", "running", values


def _payload(values):
    return values.payload_mass, values.payload_com


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(SimulatorNode, args))


if __name__ == "__main__":
    main()
