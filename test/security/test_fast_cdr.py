"""Messages that announce more than there is: without the lock they end a process or take its memory, with it none."""
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from rdyn_ros.nodes import fast_cdr
from rdyn_ros.nodes.cdr import deserialized
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started

READ = """
from rclpy.serialization import deserialize_message
from rcl_interfaces.srv import GetParameters
from sensor_msgs.msg import JointState
refused = 0
heads = ((bytes((0, order, 0, padding)), padding) for order in (0, 1) for padding in (1, 2, 3))
for data in (head + bytes(n) for head, padding in heads for n in range(padding)):
    for kind in (GetParameters.Request, JointState):
        try:
            deserialize_message(data, kind)
        except RuntimeError:
            refused += 1
print(refused)
"""

LIE = """
import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.serialization import serialize_message
from bench.fuzz.raw_requests import RawRequests
from bench.memory import memory
rclpy.init()
node = rclpy.create_node("believer")
raw = RawRequests(node, SetParameters, "/believer/set_parameters")
answered = []
node.add_post_set_parameters_callback(lambda parameters: answered.append(parameters))
while not raw.get_subscription_count():
    rclpy.spin_once(node, timeout_sec=0.01)
before = memory("VmHWM")
raw.publish(bytes((0, 1, 0, 0)) + (500_000).to_bytes(4, "little") + bytes(22))
good = rclpy.parameter.Parameter("use_sim_time", value=False).to_parameter_msg()
raw.publish(serialize_message(SetParameters.Request(parameters=[good])))
while not answered:
    rclpy.spin_once(node, timeout_sec=0.01)
print(memory("VmHWM") - before)
"""


def run(script):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60.0,
                          cwd=Path(__file__).parents[2])


def test_the_lock_is_needed():
    """When this fails, Fast CDR has learnt to look, and `_fast_cdr.cpp` can go."""
    assert run(READ).returncode == -signal.SIGSEGV


def test_with_the_lock_every_such_message_is_refused():
    done = run("import rdyn_ros.nodes" + READ)
    assert (done.returncode, done.stdout) == (0, "24\n"), done.stderr


@pytest.mark.processes
def test_a_request_takes_no_room_for_what_it_announces_and_does_not_bring():
    """When nothing is believed without the lock either, ROS or Fast CDR has learnt to count, and `jump` can go."""
    believed, locked = run(LIE), run("import rdyn_ros.nodes" + LIE)
    assert believed.returncode == locked.returncode == 0, believed.stderr + locked.stderr
    assert float(believed.stdout) > 50.0        # [MB]
    assert float(locked.stdout) < 10.0
    assert "sequence size exceeds remaining buffer" in locked.stderr


@pytest.mark.parametrize("kind", [GetParameters.Request, JointState])
def test_messages_with_the_padding_that_they_announce_are_read(kind):
    message = kind()
    data = bytearray(serialize_message(message))
    data += bytes(-len(data) % 4 or 4)
    data[3] = 3
    assert deserialized(bytes(data), kind) == message


def test_a_node_without_the_lock_says_why(monkeypatch):
    assert fast_cdr.doubt("rmw_fastrtps_cpp") == ""
    monkeypatch.setattr(fast_cdr, "OPEN", fast_cdr.MISSING)
    assert "install the package fastcdr" in fast_cdr.doubt("rmw_fastrtps_cpp")
    assert fast_cdr.doubt("rmw_cyclonedds_cpp") == ""


def test_a_node_without_the_lock_says_so_though_it_is_not_started(monkeypatch, capfd):
    monkeypatch.setattr(fast_cdr, "OPEN", "planted")
    with started(DynamicsNode, robot="planar_2r", autostart=False):
        pass
    assert "can end this node: planted" in capfd.readouterr().err


def test_a_lock_that_comes_too_late_is_none():
    late = run("import rclpy, rdyn_ros.nodes.fast_cdr as lock; print(lock.doubt('rmw_fastrtps_cpp'))")
    assert "rclpy was imported before rdyn_ros.nodes" in late.stdout, late.stderr
