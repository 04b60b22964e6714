"""Heads that announce more padding than there are bytes: without the lock they end a process, with it none."""
import signal
import subprocess
import sys

import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from rdyn_ros.nodes import fast_cdr
from rdyn_ros.nodes.cdr import deserialized

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


def run(script):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)


def test_the_lock_is_needed():
    """When this fails, Fast CDR has learnt to look, and `_fast_cdr.cpp` can go."""
    assert run(READ).returncode == -signal.SIGSEGV


def test_with_the_lock_every_such_message_is_refused():
    done = run("import rdyn_ros.nodes" + READ)
    assert (done.returncode, done.stdout) == (0, "24\n"), done.stderr


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


def test_a_lock_that_comes_too_late_is_none():
    late = run("import rclpy, rdyn_ros.nodes.fast_cdr as lock; print(lock.doubt('rmw_fastrtps_cpp'))")
    assert "rclpy was imported before rdyn_ros.nodes" in late.stdout, late.stderr
