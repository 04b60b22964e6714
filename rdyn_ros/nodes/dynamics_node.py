"""Node dynamics: joint states in; gravity, Coriolis and friction torques and the tool pose out; services."""
import struct
import sys
from threading import Lock
from time import monotonic

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import Imu, JointState

from . import ik_service, services, setup_services
from .command import Command
from .diagnostics import STEADY, Diagnostics, Monitor
from .dynamics_health import judge
from .dynamics_outputs import Outputs, check_names
from .imu import ImuGravity
from .joint_states import JointStates, Reason
from .lifecycle import RdynNode
from .loaded_robot import loaded
from .messages import JointStateReader
from .parameters import DynamicsParameters
from .process import run
from .requests import answering
from .robot_source import RobotSource
from .side_thread import SideThread
from .tf import broadcaster

QOS = QoSOverridingOptions.with_default_policies()


class DynamicsNode(RdynNode):
    """Answers every message of joint_states.

    loaded (LoadedRobot), states, outputs and command belong to one robot; they are replaced under `lock`, by
    the thread that reads robots, by services and by parameters; the topics only read them.
    """

    Parameters = DynamicsParameters

    def __init__(self):
        super().__init__("dynamics")
        self.lock = Lock()
        self.loaded = self.states = self.outputs = self.command = None
        self.refused = ""  # why the last robot_description was not taken
        self.stale = True
        self._outlets = {}

    def configure(self):
        """Makes robot, topics, services and diagnostics."""
        values = self.values
        self.monitor, self._read = Monitor(), JointStateReader()
        self._tf = broadcaster(self) if values.publish_tf else None
        self._source = RobotSource(self, self._take_robot, self._refuse_robot)
        self._subscriptions_made = [self.create_subscription(
            JointState, "joint_states", self._on_state,
            QoSProfile(depth=values.queue_depth, reliability=ReliabilityPolicy.BEST_EFFORT), raw=True,
            qos_overriding_options=QOS)]
        if values.imu_topic:
            self._subscriptions_made.append(self.create_subscription(
                Imu, values.imu_topic, ImuGravity(self),
                QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT), qos_overriding_options=QOS))
        self._diagnostics = Diagnostics(self, values.diagnostics_period, lambda: judge(self))
        self._watchdog = self.create_timer(values.state_timeout / 2.0, self._watch, clock=STEADY)
        self._side = SideThread(self)
        for name, service_type, handler in services.SERVICES + ik_service.SERVICES + setup_services.SERVICES:
            self._side.serve(service_type, name, answering(self, handler))
        self._side.start()

    def deactivate(self):
        """Ends publishing; a later command begins anew."""
        if self.command is not None:
            self.command.end()

    def cleanup(self):
        """Undoes configure."""
        self._side.close()
        self._source.close()
        self._diagnostics.close()
        self.destroy_timer(self._watchdog)
        for subscription in self._subscriptions_made:
            self.destroy_subscription(subscription)
        for publisher in self._outlets.values():
            self.destroy_publisher(publisher)
        self._outlets.clear()
        self.loaded = self.states = self.outputs = self.command = None

    def changed(self, values):
        """Takes new live parameters."""
        if self.loaded is None:
            return
        if values.gravity != self.values.gravity:
            with self.lock:
                gravity = values.gravity or self.loaded.bare.gravity
                self.loaded = self.loaded.with_gravity(gravity, monotonic())
        self.command.adjust(values)
        if values.diagnostics_period != self.values.diagnostics_period:
            self._diagnostics.every(values.diagnostics_period)
        if values.state_timeout != self.values.state_timeout:
            self.destroy_timer(self._watchdog)
            self._watchdog = self.create_timer(values.state_timeout / 2.0, self._watch, clock=STEADY)

    def _outlet(self, message_type, topic):
        """Publisher of a topic, made when first asked for."""
        if topic not in self._outlets:
            self._outlets[topic] = self.create_publisher(message_type, topic, 10, qos_overriding_options=QOS)
        return self._outlets[topic]

    def _take_robot(self, robot):
        """Serves `robot` from now on. Gravity that was set stays, and payloads on frames that still exist."""
        values, before = self.values, self.loaded
        check_names("optional_joints", values.optional_joints, robot.joint_names)
        outputs = Outputs(robot, values, self._outlet, self._tf)
        names = tuple(values.joint_prefix + name for name in robot.joint_names)
        optional = [values.joint_prefix + name for name in values.optional_joints]
        gravity, payloads = values.gravity or None, {}
        if before is not None:
            gravity = None if np.array_equal(before.gravity, before.bare.gravity) else before.gravity
            payloads = {name: p for name, p in before.payloads.items() if p.frame in robot.frame_names}
            self.get_logger().info(f"robot {robot.name} takes over from {before.bare.name}")
        following = loaded(robot, outputs.tips[0], gravity, payloads)
        with self.lock:
            if self.states is None or self.states.names != names:
                self.states = JointStates(names, optional)
            self.command = Command(robot.limits.effort, values)
            self.loaded, self.outputs, self.refused = following, outputs, ""

    def _refuse_robot(self, why):
        self.refused = " ".join(why.split())
        self.get_logger().error(f"robot_description is refused, nothing changes: {self.refused}")

    def _on_state(self, data):
        """Answers one serialized JointState."""
        now, values, monitor, robot = monotonic(), self.values, self.monitor, self.loaded
        monitor.inputs += 1
        if robot is None:
            monitor.counters["no_robot"] += 1
            return
        states = self.states
        try:
            message = self._read(data)
        except (ValueError, struct.error):
            monitor.counters[Reason.UNREADABLE] += 1
            return
        odd = states.take(message, now, values.state_timeout,
                          values.velocity_cutoff if values.estimate_velocity else None)
        if odd is not None:
            monitor.counters[odd] += 1
            if odd is not Reason.VELOCITY_NOT_FINITE:
                return
        if states.age(now) >= values.state_timeout:
            monitor.counters["incomplete"] += 1
        elif self.active:
            bad = self.outputs.publish(robot, states, now, values, self._commanded)
            if bad:
                monitor.counters["result_not_finite"] += bad
            monitor.answered(monotonic() - now)

    def _commanded(self, compensation):
        return self.command(compensation, self.states.effort, monotonic())

    def _watch(self):
        """Watchdog on the steady clock: tells at once when input gets stale and when it is back."""
        stale = self.states is None or self.states.age(monotonic()) >= self.values.state_timeout
        if stale and not self.stale:
            self.command.end()
            self.get_logger().error("joint states are stale, output has stopped")
        elif self.stale and not stale:
            self.get_logger().info("joint states are fresh, output goes on")
        if stale != self.stale:
            self.stale = stale
            self._diagnostics.publish()


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(DynamicsNode, args))


if __name__ == "__main__":
    main()
