"""The thread of joint states ends when it should, and says why when it must."""
import ctypes
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from sensor_msgs.msg import JointState

from rdyn_ros.nodes import _answer, dynamics_node
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.numbered import Numbered
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.side_thread import SideThread
from rdyn_ros.nodes.spin import make_executor, spin
from support.dynamics_peer import stamp
from support.in_process import QUIET, usual
from support.ros_peer import LIMIT, Listener

FAILING = """
from rdyn_ros.nodes import dynamics_node as module

class Failing(module.Answering):
    def __call__(self, *_):
        raise ZeroDivisionError("planted")

module.Answering = Failing
module.main(["--ros-args", "-r", "__ns:=/failing", "-p", "robot:=planar_2r", "-p", "diagnostics_period:=0.1"])
"""


@pytest.mark.processes
def test_a_mistake_in_the_thread_ends_the_node_with_its_traceback():
    process = subprocess.Popen([sys.executable, "-c", FAILING],
                               stderr=subprocess.PIPE, text=True)
    with Listener(namespace="/failing") as listener:
        states = listener.publisher(JointState, "joint_states", qos=qos_profile_sensor_data)
        listener.wait(lambda: states.publish(usual(1)) or process.poll() is not None, "its end")
    assert process.returncode == 1
    assert "planted" in process.stderr.read()


@pytest.mark.usefixtures("handover")
def test_a_state_that_finds_no_memory_is_told_and_the_next_is_taken(monkeypatch):
    class Greedy(dynamics_node.Answering):
        def __call__(self, *message):
            if not self._node.monitor.counters["out_of_memory"]:
                raise MemoryError
            super().__call__(*message)

    monkeypatch.setattr(dynamics_node, "Answering", Greedy)
    with started(DynamicsNode, "-r", "__ns:=/greedy", **QUIET) as node, Listener(namespace="/greedy") as listener:
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or heard, "the answer")
        assert node.monitor.counters == {"out_of_memory": 1}


THROWING = """
#include <new>
extern "C" int planted(...) { throw std::bad_alloc(); }
"""


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("place", [0, 1], ids=["publish", "take"])
def test_memory_that_dds_does_not_find_is_told_and_the_next_state_is_answered(tmp_path, place):
    source, library = tmp_path / "throwing.cpp", tmp_path / "libthrowing.so"
    source.write_text(THROWING)
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, source], check=True)
    calls = (ctypes.c_void_p * 2).in_dll(ctypes.CDLL(_answer.__file__), "rcl")     # of publish and of take
    with started(DynamicsNode, "-r", "__ns:=/throwing", **QUIET) as node, Listener(namespace="/throwing") as listener:
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or heard, "the answer")
        states.publish(usual(2))        # the last: none is on its way any more once it is answered
        listener.wait(lambda: stamp(heard[-1]) == 2 and node.monitor.inputs == node.monitor.outputs, "the last answer")
        known, calls[place] = calls[place], ctypes.cast(ctypes.CDLL(library).planted, ctypes.c_void_p).value
        try:
            answered = node.monitor.outputs
            listener.wait(lambda: states.publish(usual(3)) or node.monitor.counters["out_of_memory"], "the refusal")
            assert node.monitor.outputs == answered
        finally:
            calls[place] = known
        listener.wait(lambda: states.publish(usual(4)) or stamp(heard[-1]) == 4, "the answer")


@pytest.mark.usefixtures("handover")
def test_where_the_refusal_fails_too_the_node_says_so_and_ends(monkeypatch):
    def refuse(*_):
        raise MemoryError

    monkeypatch.setattr(dynamics_node.Answering, "__call__", refuse)
    monkeypatch.setattr(DynamicsNode, "short_of_memory", refuse)
    with started(DynamicsNode, "-r", "__ns:=/poor", **QUIET) as node, Listener(namespace="/poor") as listener:
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or node.error, "the end")
        assert isinstance(node.error, MemoryError)


@pytest.mark.usefixtures("handover")
def test_a_configure_that_fails_half_way_leaves_nothing_behind():
    def parts(node):
        return [len(list(each)) for each in (node.all_subscriptions, node.publishers, node.services, node.timers)]

    def threads():
        return {thread.name for thread in threading.enumerate()} & {"joint_states", "services", "robot_description"}

    with started(DynamicsNode, "-r", "__ns:=/half", **QUIET, autostart=False) as node, \
            Listener(namespace="/half") as listener:
        begin, node.values = parts(node), replace(node.values, command_topic="commands")
        for missing in ("serve", "start"):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(SideThread, missing, lambda *_: 1 / 0)
                assert node.trigger_configure() == TransitionCallbackReturn.ERROR
            assert parts(node) == begin and not threads() and node.serving is None
        for _ in range(2):
            node.trigger_configure()
            node.trigger_activate()
            heard = listener.listen(JointState, "dynamics/gravity")
            states = listener.publisher(JointState, "joint_states", qos=100)
            listener.wait(lambda states=states, heard=heard: states.publish(usual(1)) or heard, "the answer")
            node.trigger_deactivate()
            node.trigger_cleanup()
            assert parts(node) == begin and not threads()
            listener.destroy(states)


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("kind", ["events", "single"])
def test_an_executor_that_spins_meanwhile_does_not_take_the_states_away(kind, monkeypatch):
    taken = []
    monkeypatch.setattr(Numbered, "__call__", lambda *message: taken.append(message))   # what an executor would call
    with started(DynamicsNode, "-r", f"__ns:=/spun_{kind}", **QUIET, autostart=False) as node, \
            Listener(namespace=f"/spun_{kind}") as listener:
        name, executor, done = f"/spun_{kind}/dynamics", make_executor(kind), Future()
        executor.add_node(node)
        thread = threading.Thread(target=spin, args=(executor, done))
        thread.start()
        try:
            states = listener.node.create_publisher(JointState, "joint_states", 100)
            for _ in range(15):
                assert all(listener.change_state(name, step) for step in ("configure", "activate"))
                listener.wait(lambda: states.publish(usual(time.monotonic_ns())) or node.monitor.outputs, "an answer")
                assert all(listener.change_state(name, step) for step in ("deactivate", "cleanup"))
            assert thread.is_alive() and not taken
        finally:
            done.set_result(None)
            executor.wake()
            thread.join()
            executor.remove_node(node)


DESTROYED = """
import rclpy
from rdyn_ros.nodes.dynamics_node import DynamicsNode
rclpy.init(args=["--ros-args", "-p", "robot:=planar_2r"])
node = DynamicsNode()
node.start()
node.destroy_node()
rclpy.shutdown()
"""


def test_a_node_that_is_destroyed_as_any_other_ends_its_threads():
    assert subprocess.run([sys.executable, "-c", DESTROYED], timeout=LIMIT).returncode == 0
