"""Parameters of the simulator: each reaches the arm. The node is in this process, so that its arm can be seen."""
import time
from dataclasses import asdict

import numpy as np
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from rdyn_ros.simulation.arm import ArmSettings
from support.ros_peer import Listener

SETTINGS = {"step": 5e-4, "scheme": "rk4", "friction": False, "stops": False, "brakes": False,
            "actuator_delay": 0.003, "actuator_noise": 0.25, "command_timeout": 0.75, "position_noise": 0.125,
            "velocity_noise": 0.5, "position_resolution": 0.0625, "driver_compensates_gravity": True, "seed": 7}


def simulator(**parameters):
    """A started simulator of the planar arm."""
    return started(SimulatorNode, "-r", "__ns:=/simulator_parameters", robot="planar_2r", **parameters)


def test_every_setting_of_the_arm_is_a_parameter():
    assert not {name for name, value in asdict(ArmSettings()).items() if SETTINGS[name] == value}
    with simulator(**SETTINGS) as node:
        assert asdict(node.arm.settings) == SETTINGS


def test_start_gravity_and_payload_are_those_given():
    with simulator(start="[0.25, -0.5]", gravity="[0.0, 0.0, -1.5]", payload_mass=2.0,
                   payload_com="[0.0, 0.1, 0.2]") as node:
        np.testing.assert_array_equal(node.arm.q, [0.25, -0.5])
        robot = rdyn.load("planar_2r").with_gravity([0.0, 0.0, -1.5]).with_payload(2.0, [0.0, 0.1, 0.2])
        q = np.array([0.3, 0.4])
        np.testing.assert_allclose(node.arm.robot.gravity_torque(q), robot.gravity_torque(q), rtol=1e-12)


def test_simulated_time_runs_at_the_real_time_factor():
    with simulator(real_time_factor=0.05) as node:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        begin, start = time.monotonic(), node.arm.time
        while node.arm.time < start + 0.02:
            executor.spin_once(0.1)
        assert node.arm.time - start < 0.1 * (time.monotonic() - begin) + 0.01
        executor.remove_node(node)


def test_stamps_are_those_of_the_clock_however_long_the_start_took():
    with simulator(autostart="false") as node, Listener(namespace="/simulator_parameters") as listener:
        heard = listener.listen(JointState, "joint_states")
        node.trigger_configure()
        time.sleep(0.1)
        activated = time.time_ns()
        node.trigger_activate()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        listener.wait(lambda: executor.spin_once(0.0) or heard, "a state")
        stamp = heard[0].header.stamp
        assert stamp.sec * 10**9 + stamp.nanosec > activated
        executor.remove_node(node)
