"""Parameters of the simulator: each reaches the arm. The node is in this process, so that its arm can be seen."""
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

import rdyn_ros as rdyn
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from rdyn_ros.simulation.arm import ArmSettings, SimulatedArm
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
        assert asdict(node.serving.arm.settings) == SETTINGS


def test_start_gravity_and_payload_are_those_given():
    with simulator(start="[0.25, -0.5]", gravity="[0.0, 0.0, -1.5]", payload_mass=2.0,
                   payload_com="[0.0, 0.1, 0.2]") as node:
        np.testing.assert_array_equal(node.serving.arm.q, [0.25, -0.5])
        robot = rdyn.load("planar_2r").with_gravity([0.0, 0.0, -1.5]).with_payload(2.0, [0.0, 0.1, 0.2])
        q = np.array([0.3, 0.4])
        np.testing.assert_allclose(node.serving.arm.robot.gravity_torque(q), robot.gravity_torque(q), rtol=1e-12)


def test_simulated_time_runs_at_the_real_time_factor():
    with simulator(real_time_factor=0.05) as node:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        begin, start = time.monotonic(), node.serving.arm.time
        while node.serving.arm.time < start + 0.02:
            executor.spin_once(0.1)
        assert node.serving.arm.time - start < 0.1 * (time.monotonic() - begin) + 0.01
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


def test_a_robot_by_topic_takes_over_as_a_whole_and_time_never_goes_back():
    """A step in the middle of the change is one of the robot before."""
    steps = []

    def step():
        answer = node._on_step(Trigger.Request(), Trigger.Response())
        steps.append((len(node.serving.order), node.serving.origin + node.serving.arm.time * 1e9))
        return answer.success

    def make_arm(robot, q, settings):
        assert not steps or step()
        return SimulatedArm(robot, q, settings)

    robots = Path(__file__).parents[2] / "config/robots"
    texts = [(robots / f"{name}.yaml").read_text() for name in ("planar_2r", "arm_7r")]
    with started(lambda: SimulatorNode(make_arm), pace="stepped", publish_clock="true") as node:
        for text, size in zip(3 * texts, 3 * (2, 7), strict=True):
            node._source._read(text)
            assert step() and steps[-1][0] == size
            node._on_command(Float64MultiArray(data=[0.0] * size))
            assert step() and not node.monitor.counters["command_refused"]
        sizes, stamps = zip(*steps, strict=True)
        assert sizes == (2, 2, 2) + 2 * (7, 7, 7, 2, 2, 2) + (7, 7)
        assert (np.diff(stamps) > 0).all()
