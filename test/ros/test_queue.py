"""The queue of joint_states, in one process, where nothing else is lost on the way."""
import pytest
import rclpy
from sensor_msgs.msg import JointState

from rdyn_ros.nodes.dynamics_health import judge
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from support.dynamics_peer import joint_state
from support.ros_peer import Listener


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("depth", [5, 30])
def test_a_busy_node_keeps_the_latest_queue_depth_states_and_counts_those_it_lost(depth):
    rclpy.init(args=["--ros-args", "-r", f"__ns:=/queue_{depth}", "-p", "robot:=planar_2r",
                     "-p", f"queue_depth:={depth}", "-p", "diagnostics_period:=60.0",
                     "-p", "state_timeout:=60.0"])
    node = DynamicsNode()
    try:
        node.start()
        with Listener(namespace=f"/queue_{depth}") as listener:
            states = listener.publisher(JointState, "joint_states", qos=100)

            def state(k):
                return joint_state(["shoulder", "elbow"], [0.1, 0.2], (), [0.0], stamp=k)       # odd: left to Python

            def taken(k):
                return node.serving.states.stamp == k

            listener.wait(lambda: states.publish(state(1)) or taken(1), "the first")    # until they are matched
            states.publish(state(2))
            listener.wait(lambda: taken(2), "what came before")
            assert not node.monitor.report().get("count_lost"), "states of before the first are not missed"
            known = node.monitor.inputs
            with node._answering._lock:     # busy: at most one is in its hands, the others wait
                for k in range(3, 43):
                    states.publish(state(k))
            listener.wait(lambda: taken(42), "the last one")
            listener.wait(lambda: node.monitor.outputs == node.monitor.inputs, "its answer")
        answered = node.monitor.inputs - known
        assert depth <= answered <= depth + 1
        assert node.monitor.counted()["count_lost"] == 40 - answered
        assert f"{40 - answered} x lost on the way" in judge(node)[1]
        assert "lost" not in judge(node)[1], "it is over"
    finally:
        node.close()
        rclpy.shutdown()
