"""A node that is told to end does so: while it starts, when its parent is dead, and when closing hangs."""
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from rdyn_ros.bringup import fleet
from rdyn_ros.bringup.fleet import _end_with
from rdyn_ros.control.safety import LONGEST_END
from rdyn_ros.nodes import process
from support.ros_peer import LIMIT, Listener, NodeProcess, node_process

WHILE_STARTING = """
import os, signal, time
from rdyn_ros.nodes import {module} as module, process
import rclpy
class Node(module.{name}):
    def {step}(self):
        os.kill(os.getpid(), signal.SIGTERM)
        while rclpy.ok():
            time.sleep(0.01)
        super().{step}()
module.{name} = Node
module.main(["--ros-args", "-p", "robot:=planar_2r"])
"""
HANGING = """
import os, signal, time
from rdyn_ros.nodes import dynamics_node as module, process
process.PATIENCE = 1
class Node(module.DynamicsNode):
    def activate(self):
        os.kill(os.getpid(), signal.SIGTERM)
    def cleanup(self):
        time.sleep(1000.0)
module.DynamicsNode = Node
module.main(["--ros-args", "-p", "robot:=planar_2r"])
"""


HALF_WAY = """
import os, signal, time
from rdyn_ros.nodes import dynamics_node as module
import rclpy
class Node(module.DynamicsNode):
    def configure(self):
        super().configure()
        os.kill(os.getpid(), signal.{signal})
        while rclpy.ok():
            time.sleep(0.01)
        raise {error}("met the shutdown")
module.DynamicsNode = Node
module.main(["--ros-args", "-p", "robot:=planar_2r"])
"""


TWICE = """
import os, signal, time
from rdyn_ros.nodes import dynamics_node as module
import rclpy
class Node(module.DynamicsNode):
    def configure(self):
        os.kill(os.getpid(), signal.SIGINT)
        while rclpy.ok():
            time.sleep(0.01)
        super().configure()
    def destroy_node(self):     # ROS shuts down
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
        super().destroy_node()
module.DynamicsNode = Node
module.main(["--ros-args", "-p", "robot:=planar_2r"])
"""


def run(text):
    """(exit code, what it said) of a Python text in a process of its own."""
    done = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=LIMIT)
    return done.returncode, done.stdout


@pytest.mark.processes
@pytest.mark.parametrize("name", ["DynamicsNode", "ControlNode", "SimulatorNode"])
@pytest.mark.parametrize("step", ["configure", "activate"])
def test_a_node_that_is_ended_while_it_starts_ends_without_a_word(name, step):
    module = name.removesuffix("Node").lower() + "_node"
    code, said = run(WHILE_STARTING.format(module=module, name=name, step=step))
    assert not code and not said, f"ended with {code}: {said}"


@pytest.mark.processes
def test_a_second_signal_while_it_ends_changes_nothing():
    assert run(TWICE) == (0, "")


@pytest.mark.processes
@pytest.mark.parametrize("error", ["RuntimeError", "KeyboardInterrupt"])
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_node_that_is_ended_when_its_threads_run_already_ends_them(number, error):
    code, said = run(HALF_WAY.format(signal=number, error=error))
    assert (code, said) == (0, "")


@pytest.mark.processes
@pytest.mark.parametrize(("number", "ends"), [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGHUP, False)])
def test_of_signals_that_a_shell_ignores_for_it_only_a_closed_terminal_stays_ignored(number, ends):
    """A script's `&` ignores SIGINT, nohup SIGHUP."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        process = NodeProcess("rdyn_ros.nodes.control_node", parameters={"robot": "planar_2r"})
    finally:
        signal.signal(number, before)
    try:
        end = time.monotonic() + LIMIT
        while "ready" not in process.output and time.monotonic() < end:
            time.sleep(0.02)
        process.send(number)
        if not ends:
            time.sleep(0.5)
            assert process.process.poll() is None
            process.send(signal.SIGTERM)
        assert process.wait() == 0
    finally:
        process.stop()


@pytest.mark.processes
def test_a_node_that_cannot_close_is_ended_all_the_same():
    code, said = run(HANGING)
    assert code == -signal.SIGALRM, said


def test_a_process_whose_parent_died_while_it_was_started_does_not_start():
    assert subprocess.run(["true"], preexec_fn=partial(_end_with, -1)).returncode == 1


def test_whoever_ends_a_node_waits_for_the_longest_end_of_torque():
    """0.5 s until the arm stands, 5 s to fade, 3 s for the rate limit."""
    assert LONGEST_END == 8.5
    assert LONGEST_END + 5.0 < process.PATIENCE < fleet.PATIENCE


@pytest.mark.processes
@pytest.mark.parametrize("name", ["dynamics", "control", "simulator", "viewer"])
def test_a_node_that_has_ended_is_gone_from_the_graph(name):
    with Listener() as listener, node_process(f"rdyn_ros.nodes.{name}_node", parameters={"robot": "planar_2r"},
                                              remap=[f"__node:=leaving_{name}"]) as node:
        def there():
            return f"leaving_{name}" in listener.node.get_node_names()
        listener.wait(lambda: there() and "[INFO]" in node.output, "the node")
        assert node.stop() == 0
        listener.wait(lambda: not there(), "its end", limit=10.0)       # of those that do not take leave DDS waits 20 s
