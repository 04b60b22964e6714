"""The queue of joint_states, in one process, where nothing else is lost on the way."""
import sys

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState

from rdyn_ros.nodes.dynamics_health import judge
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from support.dynamics_peer import joint_state
from support.ros_peer import Listener


@pytest.fixture
def handover():
    """Puts the switch interval back that a node in this process shortens."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("depth", [5, 30])
def test_a_busy_node_keeps_the_latest_queue_depth_states_and_counts_those_it_lost(depth):
    rclpy.init(args=["--ros-args", "-r", f"__ns:=/queue_{depth}", "-p", "robot:=planar_2r",
                     "-p", f"queue_depth:={depth}", "-p", "diagnostics_period:=60.0",
                     "-p", "state_timeout:=60.0"])
    node, executor = DynamicsNode(), SingleThreadedExecutor()
    try:
        node.start()
        executor.add_node(node)
        with Listener(namespace=f"/queue_{depth}") as listener:
            states = listener.publisher(JointState, "joint_states", qos=100)

            def state(k):
                return joint_state(["shoulder", "elbow"], [0.1, 0.2], [0.0, 0.0], stamp=k)

            def drain():
                for _ in range(100):
                    executor.spin_once(0.0)
                return node.serving.states.stamp

            listener.wait(lambda: states.publish(state(1)) or drain() == 1, "the first")    # until they are matched
            assert not node.monitor.counters, "states of before the first are not missed"
            known = node.monitor.inputs
            for k in range(2, 42):      # nobody takes them yet
                states.publish(state(k))
            listener.wait(lambda: drain() == 41, "the last one")
        assert node.monitor.inputs == known + depth
        assert node.monitor.counters == {"lost": 40 - depth}
        assert f"odd input: {40 - depth} x lost on the way" in judge(node)[1]
        assert "lost" not in judge(node)[1], "it is over"
    finally:
        executor.remove_node(node)
        node.close()
        rclpy.shutdown()
