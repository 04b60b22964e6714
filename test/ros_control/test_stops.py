"""The control node in this process: how it stops and starts, which clock and which parameters it goes by."""
import time
from threading import Thread

import numpy as np
import pytest
import rclpy
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import rdyn_ros
from rdyn_ros.control.motion import Reference
from rdyn_ros.nodes.control_node import ONE_WISH, ControlNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
from support.in_process import planar_state as state
from support.in_process import spin, tell

JOINTS = ["shoulder", "elbow"]
START = np.array([0.3, 0.5])
PLANAR = {"robot": "planar_2r", "mode": "computed_torque", "state_timeout": 1.0}


class Driver(Thread):
    """A weightless arm that sends its states by topic and obeys the controller of a node in this process."""

    def __init__(self, node):
        super().__init__(daemon=True)
        robot = rdyn_ros.load("planar_2r").with_gravity((0.0, 0.0, 0.0))
        self.arm = SimulatedArm(robot, START, ArmSettings(step=2e-3, scheme="semi_implicit_euler", friction=False,
                                                          command_timeout=0.0))
        self._node, self._context = node, rclpy.Context()       # the driver outlives the node
        rclpy.init(context=self._context)
        self._own = rclpy.create_node("driver", context=self._context)
        self._states = self._own.create_publisher(JointState, "joint_states", 10)
        self.speeds, self.goes = [], True

    def run(self):
        while self.goes:
            if self._node.serving is not None:
                self.arm.command(self._node.serving.controller.filter.output)
            self.arm.advance()
            self.speeds.append(self.arm.qd[0])
            self._states.publish(state(self.arm.q, self.arm.qd, round(1e9 + 1e9 * self.arm.time)))
            time.sleep(2e-3)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.goes = False
        self.join()
        self._own.destroy_node()
        rclpy.shutdown(context=self._context)


def moving(node, driver):
    """Enables torque and waits until the shoulder turns; returns the controller."""
    spin(node, lambda: node.serving and not node.serving.controller.enable(time.monotonic()))
    controller = node.serving.controller
    spin(node, lambda: controller.filter.phase == "active")
    nothing = np.full((1, 2), np.nan)
    controller.follow([2.0], Reference((START + [1.5, 0.0])[None], nothing, nothing))
    spin(node, lambda: driver.speeds[-1] > 0.8)
    return controller


WEIGHTLESS = {**PLANAR, "gravity": "[0.0,0.0,0.0]", "preflight": "false"}


@pytest.mark.processes      # no process, but a driver that must keep its pace
def test_deactivating_a_moving_arm_brakes_it_by_its_states():
    with started(ControlNode, **WEIGHTLESS) as node, Driver(node) as driver:
        controller = moving(node, driver)
        before = len(driver.speeds)
        node.trigger_deactivate()
        speeds = driver.speeds[before:]
        assert controller.filter.phase == "idle" and not controller.filter.output.any()
        assert min(speeds) > -0.1 and abs(speeds[-1]) < 0.15


@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_leaves_word_and_the_watchdog_stops_the_arm(times):
    """One Ctrl-C comes twice when `launch` hands it on."""
    with started(ControlNode, **WEIGHTLESS) as node, Driver(node) as driver:
        controller = moving(node, driver)
        before, finished = controller.filter, []
        node.finish = lambda: finished.append(True)
        for _ in range(times):
            node.end()
        assert rclpy.ok()
        assert controller.filter is before      # a cycle may be under way
        spin(node, lambda: finished)
        assert controller.filter.phase == "idle" and not controller.filter.output.any()


def test_a_second_signal_ends_the_process_at_once():
    with started(ControlNode, **WEIGHTLESS) as node, Driver(node) as driver:
        moving(node, driver)
        node.end()
        time.sleep(1.1 * ONE_WISH)      # nobody spins meanwhile
        node.end()
        assert not rclpy.ok()


@pytest.mark.parametrize("kind", [ControlNode, SimulatorNode])
def test_a_robot_that_is_refused_leaves_no_topics_behind(kind):
    def topics(node):
        return sorted([s.topic_name for s in node.subscriptions] + [p.topic_name for p in node.publishers])
    with started(kind, autostart="false", robot="none_such") as node:
        bare = topics(node)
        for _ in range(2):
            assert node.trigger_configure().name == "FAILURE"
            assert topics(node) == bare


def test_parameters_set_before_the_first_state_are_in_force_with_it():
    with started(ControlNode, **PLANAR) as node:
        assert node.set_parameters([Parameter("effort_scale", value=0.5)])[0].successful
        tell(node, "/joint_states", state())
        limits = rdyn_ros.load("planar_2r").limits
        np.testing.assert_array_equal(node.serving.controller.settings.bounds.effort, 0.5 * limits.effort)
        refused = node.set_parameters([Parameter("effort_scale", value=0.0)])[0]
        assert not refused.successful and "0.01" in refused.reason


def test_a_stamped_trajectory_is_timed_by_the_ros_clock_when_states_bear_no_stamps():
    with started(ControlNode, **PLANAR) as node:
        for _ in range(2):
            tell(node, "/joint_states", state())
        controller = node.serving.controller
        assert controller.enable(time.monotonic()) == []
        point = JointTrajectoryPoint(positions=[0.4, 0.5])
        point.time_from_start.sec = 1
        message = JointTrajectory(joint_names=JOINTS, points=[point])
        message.header.stamp.sec = time.time_ns() // 10**9 + 100
        tell(node, "/control/joint_trajectory", message)
        assert not node.monitor.counters["joint_trajectory_refused"]
        assert 60.0 < controller.motion.start - controller.t < 101.0


@pytest.mark.parametrize("measured", [True, False])
def test_effort_speaks_against_the_model_only_where_it_is_measured(measured):
    with started(ControlNode, **PLANAR, use_measured_effort=str(measured).lower()) as node:
        tell(node, "/joint_states", state(effort=(0.0, 0.0)))     # nothing holds the arm, says the driver
        faults = node.serving.controller.enable(time.monotonic())
        assert any("measured" in fault for fault in faults) is measured, faults


def test_without_states_the_watchdog_acts_once_a_period():
    with started(ControlNode, **WEIGHTLESS | {"state_timeout": 0.05}, stop_time=2.0, watchdog_period=0.1) as node:
        tell(node, "/joint_states", state(qd=(0.01, 0.0)))
        assert node.serving.controller.enable(node.serving.controller.seen) == []
        tell(node, "/joint_states", state(qd=(0.01, 0.0)))
        begin = time.monotonic()
        spin(node, lambda: node.monitor.counters["without_state"] >= 4)
        assert time.monotonic() - begin > 0.2       # the first may be due already


def test_stamps_that_leap_are_counted():
    with started(ControlNode, **PLANAR) as node:
        for stamp in (10**9, 2 * 10**9, 9 * 10**9):
            tell(node, "/joint_states", state(stamp=stamp))
        assert node.monitor.counters["stamp_jump"] == 1
