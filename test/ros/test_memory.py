"""What asks for more memory than a node may have is refused; the node goes on."""
import subprocess
import sys
import time

import pytest
import rclpy
from rclpy.node import Node
from rclpy.task import Future
from rdyn_interfaces.srv import ComputeIK

from bench.fuzz.raw_requests import RawRequests
from bench.memory import memory
from rdyn_ros.nodes import memory as bounds
from rdyn_ros.nodes.spin import make_executor, spin
from support.ros_peer import LIMIT, Listener, node_process

LIES = {"brings nothing": (100_000_000, 80), "brings a byte for each": (2_000_000, 2_000_000)}  # targets, bytes


@pytest.mark.processes
@pytest.mark.parametrize("executor", ["events", "single"])
@pytest.mark.parametrize("kind", LIES)
def test_a_request_that_lies_about_the_length_of_a_list_takes_no_memory(kind, executor):
    targets, size = LIES[kind]
    listener, parameters = Listener("liar"), {"robot": "planar_2r", "executor": executor}
    lie = bytes((0, 1, 0, 0)) + targets.to_bytes(4, "little") + bytes(size)
    try:
        with node_process("rdyn_ros.nodes.dynamics_node", parameters=parameters) as node:
            listener.call(ComputeIK, "/dynamics/compute_ik", ComputeIK.Request())
            before = memory("VmRSS", node.process.pid)
            raw, end = RawRequests(listener.node, ComputeIK, "/dynamics/compute_ik"), time.monotonic() + LIMIT
            while not (raw.get_subscription_count() and raw.publish(lie)):
                assert time.monotonic() < end, "nobody serves compute_ik"
                time.sleep(0.01)
            for _ in range(20):     # none is lost, though the first may come together with the lie
                assert not listener.call(ComputeIK, "/dynamics/compute_ik", ComputeIK.Request()).success
            raw.close()
            assert memory("VmHWM", node.process.pid) < before + 1e-6 * bounds.MORE
    finally:
        listener.close()


EARLY = """
import resource
from rdyn_ros import RdynError
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import run

class Early(DynamicsNode):
    def configure(self):
        super().configure()     # its services answer from here on
        print(resource.getrlimit(resource.RLIMIT_DATA)[0] != resource.RLIM_INFINITY, flush=True)
        raise RdynError("enough")

run(Early, ["--ros-args", "-p", "robot:=planar_2r"])
"""


def test_memory_is_bounded_before_services_answer():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, timeout=60.0)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("kind", ["events", "single"])
def test_where_a_callback_finds_no_memory_it_is_told_and_the_next_is_served(kind):
    rclpy.init(args=[])
    try:
        node, executor, done, told, served = Node("greedy"), make_executor(kind), Future(), [], []
        executor.add_node(node)

        def ask():
            served.append(None)
            if len(served) < 3:
                bytearray(1 << 60)
            done.set_result(None)

        node.create_timer(0.01, ask)
        spin(executor, done, lambda: told.append(None))
        assert len(told) == 2 and len(served) >= 3
        executor.shutdown()
        node.destroy_node()
    finally:
        rclpy.shutdown()
