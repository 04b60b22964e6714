"""Node control: joint states in, effort commands out, through one law and the safety filter."""
import struct
import sys
from time import monotonic, sleep

from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from rdyn_interfaces.srv import SetMode

from ..control.controller import Controller
from ..control.motion import State
from ..control.safety import DRIVEN, Phase
from ..control.settings import MODES
from ..errors import RdynError
from .control_messages import reference, target_pose, trajectory_points
from .control_outputs import ControlOutputs
from .control_settings import control_settings
from .diagnostics import STEADY, Diagnostics, Monitor
from .joint_states import JointStates, Reason
from .lifecycle import RdynNode
from .messages import NANO, JointStateReader, nanoseconds
from .parameters import ControlParameters
from .process import run
from .robot_source import RobotSource


class ControlNode(RdynNode):
    """Answers every message of joint_states; a timer on the steady clock acts when there are none."""

    Parameters = ControlParameters

    def __init__(self):
        super().__init__("control")
        self.controller = self.states = self.outputs = None
        self._next = None               # the same three of a new robot, until they can take over
        self._outlets = {}

    def configure(self):
        """Makes robot, topics, services, watchdog and diagnostics."""
        self.monitor, self._read = Monitor(), JointStateReader()
        self._origin, self._reported, self._refused = None, 0.0, ""
        self._source = RobotSource(self, self._take_robot, self._refuse)
        qos = QoSProfile(depth=self.values.queue_depth, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._inlets = [
            self.create_subscription(JointState, "joint_states", self._on_state, qos, raw=True),
            self.create_subscription(JointTrajectory, "~/joint_trajectory", self._on_trajectory, 10),
            self.create_subscription(JointState, "~/reference", self._on_reference, 10),
            self.create_subscription(PoseStamped, "~/target_pose", self._on_target, 10)]
        self._served = [self.create_service(SetBool, "~/enable", self._on_enable),
                        self.create_service(SetMode, "~/set_mode", self._on_mode)]
        self._watchdog = self.create_timer(self.values.watchdog_period, self._on_watchdog, clock=STEADY)
        self._diagnostics = Diagnostics(self, self.values.diagnostics_period, self._judge)

    def deactivate(self):
        """Leads torque to zero before output ends."""
        if self.controller is not None:
            self.controller.disable(monotonic())
            while self.controller.filter.phase is not Phase.IDLE:
                self.controller.step(monotonic())
                self._send()
                sleep(self.values.watchdog_period)

    def cleanup(self):
        """Undoes configure."""
        self._source.close()
        self._diagnostics.close()
        self.destroy_timer(self._watchdog)
        for inlet in self._inlets:
            self.destroy_subscription(inlet)
        for service in self._served:
            self.destroy_service(service)
        for publisher in self._outlets.values():
            self.destroy_publisher(publisher)
        self._outlets.clear()
        self.controller = self.states = self.outputs = self._next = None

    def changed(self, values):
        """Takes live parameters."""
        if self.controller is not None:
            self.controller.set_settings(control_settings(values, self.controller.robot))
        if self._configured and values.diagnostics_period != self.values.diagnostics_period:
            self._diagnostics.every(values.diagnostics_period)

    def _take_robot(self, robot):
        if robot.nq != robot.nv:
            raise RdynError(f"robot '{robot.name}' has a floating base; the controller needs a fixed one")
        if self.values.gravity:
            robot = robot.with_gravity(self.values.gravity)
        controller = Controller(robot, control_settings(self.values, robot), self.values.mode)
        states = JointStates([self.values.joint_prefix + name for name in robot.joint_names])
        self._next = controller, states, ControlOutputs(robot, self.values, self._outlet)

    def _adopt(self):
        """A new robot takes over only while there is no torque."""
        if self._next and (self.controller is None or self.controller.filter.phase is Phase.IDLE):
            (self.controller, self.states, self.outputs), self._next = self._next, None

    def _outlet(self, message_type, topic):
        if topic not in self._outlets:
            self._outlets[topic] = self.create_publisher(message_type, topic, 10)
        return self._outlets[topic]

    def _on_state(self, data):
        """Answers one serialized JointState."""
        now, values, monitor = monotonic(), self.values, self.monitor
        monitor.inputs += 1
        self._adopt()
        states = self.states
        if states is None:
            monitor.counters["no_robot"] += 1
            return
        try:
            message = self._read(data)
        except (ValueError, struct.error):
            monitor.counters[Reason.UNREADABLE] += 1
            return
        odd = states.take(message, now, values.state_timeout,
                          values.velocity_cutoff if values.estimate_velocity else None)
        if odd is not None:
            monitor.counters[odd] += 1
        if odd is not None and odd is not Reason.VELOCITY_NOT_FINITE:
            return
        if states.age(now) >= values.state_timeout or not states.has_velocity.all():
            monitor.counters["incomplete"] += 1
            return
        if self.controller.take(now, self._time(states.stamp, now), self._state()) and self._send():
            monitor.answered(monotonic() - now)
        if self.active and now - self._reported >= 1.0 / values.report_rate:
            self._reported = now
            self.outputs.report(states.stamp, self.controller)

    def _state(self):
        """Copy of the measured state; effort only when all of it is known."""
        states = self.states
        effort = states.effort.copy()
        return State(states.q.copy(), states.qd.copy(), effort if (effort == effort).all() else None)

    def _time(self, stamp, now):
        """Time of a stamp [ns] in s since the first one; steady time where there are no stamps."""
        if not stamp:
            return now
        if self._origin is None:
            self._origin = stamp
        return (stamp - self._origin) / NANO

    def _send(self):
        if self.active or self.controller.filter.phase not in DRIVEN:
            self.outputs.command(self.states.stamp, self.controller.filter.output)
        return True

    def _on_watchdog(self):
        if self.controller is not None and self.controller.tick(monotonic()):
            self._send()
            self.monitor.counters["without_state"] += 1

    def _on_enable(self, request, response):
        if self.controller is None:
            reasons = ["no robot is loaded yet"]
        elif not request.data:
            self.controller.disable(monotonic())
            reasons = []
        else:
            reasons = self.controller.enable(monotonic()) if self.active else ["the node is not active"]
        response.success, response.message = not reasons, "; ".join(reasons)
        if reasons:
            self._refuse(f"enable: {response.message}")
        return response

    def _on_mode(self, request, response):
        response.modes = list(MODES)
        if self.controller is None:
            response.reason, response.message = response.NO_MODEL, "no robot is loaded yet"
            return response
        response.previous = self.controller.mode
        try:
            self.controller.set_mode(monotonic(), request.mode or self.controller.mode)
            response.success, response.reason = True, response.OK
        except RdynError as error:
            response.reason, response.message = response.BAD_INPUT, str(error)
        response.mode = self.controller.mode
        return response

    def _on_trajectory(self, message):
        def follow(names):
            times, points = trajectory_points(message, names)
            stamp = nanoseconds(message.header.stamp)
            at = self._time(stamp, 0.0) if stamp and self._origin is not None else None
            self.controller.follow(times, points, at)
        self._take("joint_trajectory", follow if message.points else lambda names: self.controller.stop())

    def _on_reference(self, message):
        self._take("reference", lambda names: self.controller.set_reference(
            reference(message, names, self.controller.reference)))

    def _on_target(self, message):
        self._take("target_pose", lambda names: self.controller.set_target(
            target_pose(message, self.outputs.base)))

    def _take(self, what, work):
        """Does the work with a message, or says why not."""
        try:
            if self.controller is None or self.controller.state is None:
                raise RdynError("no robot or no joint states yet")
            work(list(self.states.names))
        except RdynError as error:
            self.monitor.counters[f"{what}_refused"] += 1
            self._refuse(f"{what}: {error}")

    def _refuse(self, why):
        self._refused = why
        self.get_logger().warning(f"refused {why}")

    def _judge(self):
        report = self.monitor.report()
        if self.controller is None:
            return "WARN", "waiting for a robot", report
        safety = self.controller.filter
        values = {"robot": self.controller.robot.name, "mode": self.controller.mode,
                  "phase": safety.phase.value, "fault": safety.fault, "last_refusal": self._refused, **report}
        if safety.fault:
            return "ERROR", safety.fault, values
        if self.states.age(monotonic()) >= self.values.state_timeout:
            return "ERROR", "joint states are stale", values
        rate = float(report["input_rate_hz"])
        if rate < 0.9 * self.values.wanted_rate:
            wanted = f"wanted are {self.values.wanted_rate:.0f} Hz"
            return "WARN", f"joint states come at {rate:.0f} Hz, {wanted}", values
        return "OK", f"{self.controller.mode}, {safety.phase.value}", values


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(ControlNode, args))


if __name__ == "__main__":
    main()
