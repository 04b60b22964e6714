"""The thread of joint states: it needs the interpreter only for odd messages, and ends and fails as it should."""
import ctypes
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from rdyn_interfaces.srv import GetMassMatrix
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from rdyn_ros.nodes import _answer, dynamics_node, dynamics_outputs, listening
from rdyn_ros.nodes._answer import Answer, Inlet
from rdyn_ros.nodes.dynamics_health import judge
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.side_thread import SideThread
from rdyn_ros.nodes.spin import make_executor, spin
from support.dynamics_peer import joint_state, stamp
from support.ros_peer import LIMIT, Listener

HELD = 0.3      # [s] for which the node's interpreter is held, again and again
BUSY = f"""
import ctypes
from rdyn_ros.nodes import dynamics_node as module
hold = ctypes.PyDLL(None).usleep    # which, called so, keeps the interpreter

class Busy(module.DynamicsNode):
    def activate(self):
        self.create_timer({HELD + 0.02}, lambda: hold({round(1e6 * HELD)}))

module.DynamicsNode = Busy
module.main(["--ros-args", "-r", "__ns:=/busy", "-p", "robot:=planar_2r", "-p", "command_topic:=commands",
             "-p", "tips:=[tool, upper]", "-p", "ramp_time:=0.0", "-p", "state_timeout:=2.0"])
"""
QUIET = {"robot": "planar_2r", "diagnostics_period": 60.0}
NAMES = ["shoulder", "elbow"]
usual = partial(joint_state, NAMES, [0.1, 0.2], [0.0, 0.1], (0.0, 0.0))


@pytest.mark.processes
def test_torques_poses_and_command_go_out_while_the_interpreter_of_the_node_is_held():
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        with Listener(namespace="/busy") as listener:
            torques = listener.listen(JointState, "dynamics/compensation")
            poses = listener.listen(PoseStamped, "dynamics/upper/pose")
            commands = listener.listen(Float64MultiArray, "commands")
            states = listener.publisher(JointState, "joint_states", qos=100)
            listener.ask(states, lambda: usual(time.monotonic_ns()), lambda: len(commands) > 10 and poses)
            late, served, first = [], [], len(commands)
            for _ in range(100):
                now = time.monotonic_ns()
                states.publish(usual(now))
                listener.wait(lambda now=now: stamp(torques[-1]) == stamp(poses[-1]) == now, "the answer")
                late.append(1e-9 * (time.monotonic_ns() - now))
                if len(late) % 10 == 0:     # meanwhile somebody asks what Python answers
                    begin = time.monotonic()
                    listener.call(GetMassMatrix, "dynamics/get_mass_matrix", GetMassMatrix.Request())
                    served.append(time.monotonic() - begin)
                time.sleep(0.01)
            listener.wait(lambda: len(commands) >= first + len(late), "the commands")
        assert max(served) > HELD / 3, "the interpreter was held"
        assert np.percentile(late, 90) < HELD / 10
        assert process.poll() is None
    finally:
        process.terminate()
        assert process.wait(LIMIT) == 0


@pytest.mark.usefixtures("handover")
def test_nothing_comes_out_once_the_node_is_inactive_and_all_again_when_it_is_active():
    with started(DynamicsNode, "-r", "__ns:=/pausing", **QUIET) as node, Listener(namespace="/pausing") as listener:
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)

        def send(many=1):
            for _ in range(many):
                states.publish(usual(time.monotonic_ns()))

        for _ in range(5):
            listener.wait(lambda: send() or (node._answering.inlet.answer and heard), "answers")
            send(50)
            node.trigger_deactivate()
            outputs, ended = node.monitor.outputs, time.monotonic_ns()
            send(50)
            known = node.monitor.inputs
            listener.wait(lambda known=known: send() or node.monitor.inputs > known + 5, "states that are taken")
            assert node.monitor.outputs == outputs and node._answering.inlet.answer is None
            assert all(stamp(message) <= ended for message in heard)
            heard.clear()
            node.trigger_activate()


@pytest.mark.usefixtures("handover")
def test_what_is_odd_between_usual_states_is_answered_by_python_in_its_turn():
    with started(DynamicsNode, "-r", "__ns:=/mixed", **QUIET, queue_depth=200) as node, \
            Listener(namespace="/mixed") as listener:
        gravity = listener.listen(JointState, "dynamics/gravity")
        coriolis = listener.listen(JointState, "dynamics/coriolis")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or coriolis, "the first answer")
        wanted = list(range(2, 102))
        for k in wanted:
            states.publish(usual(k) if k % 3 else joint_state(NAMES, [0.1, 0.2], effort=[0.0], stamp=k))
            time.sleep(0.001)
        listener.wait(lambda: gravity and stamp(gravity[-1]) == wanted[-1], "the last answer")
        assert [stamp(m) for m in gravity if stamp(m) > 1] == wanted
        assert [stamp(m) for m in coriolis if stamp(m) > 1] == [k for k in wanted if k % 3]
        assert node.monitor.counters == {"effort_wrong_length": len(wanted) // 3}
        assert node.monitor.inputs == node.monitor.outputs


@pytest.mark.usefixtures("handover")
def test_states_without_velocities_are_answered_in_c_and_counted():
    with started(DynamicsNode, "-r", "__ns:=/still", **QUIET) as node, Listener(namespace="/still") as listener:
        gravity = listener.listen(JointState, "dynamics/gravity")
        coriolis = listener.listen(JointState, "dynamics/coriolis")
        states = listener.publisher(JointState, "joint_states", qos=100)

        def still(k):
            return joint_state(NAMES, [0.1, 0.2], stamp=k)

        listener.wait(lambda: states.publish(still(1)) or (node._answering.inlet.answer and gravity), "an answer")
        for k in range(2, 12):
            states.publish(still(k))
        listener.wait(lambda: stamp(gravity[-1]) == 11, "the last answer")
        assert not coriolis
        assert node.monitor.counted() == {"count_velocity_missing": node.monitor.inputs}
        assert "velocities are missing" in judge(node)[1]


@pytest.mark.usefixtures("handover")
def test_lost_states_are_counted_in_c_and_one_with_a_long_header_is_a_usual_one():
    with started(DynamicsNode, "-r", "__ns:=/long", **QUIET) as node, Listener(namespace="/long") as listener:
        gravity = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=1)

        def long(k):
            message = usual(k)
            message.header.frame_id = 20_000 * "long"       # more than is kept for the next message
            return message

        listener.wait(lambda: states.publish(long(1)) or (node._answering.inlet.answer and gravity), "an answer")
        for k in range(2, 12):
            states.publish(long(k) if k % 2 else usual(k))
            listener.wait(lambda k=k: stamp(gravity[-1]) == k, "the answer")
        assert node.monitor.inputs == node.monitor.outputs and not node.monitor.counters
        states.publish(usual(12))
        listener.wait(lambda: stamp(gravity[-1]) == 12, "the answer")
        node.monitor.flow[2], before = 0, node.monitor.inputs
        with node._answering._lock:     # one that is odd holds the thread up, and those behind it are usual
            states.publish(joint_state(NAMES, [0.1, 0.2], effort=[0.0], stamp=13))
            time.sleep(0.1)
            for k in range(14, 114):
                states.publish(usual(k))
        listener.wait(lambda: stamp(gravity[-1]) == 113, "the last answer")
        listener.wait(lambda: node.monitor.inputs == node.monitor.outputs, "all to be answered")
        assert node.monitor.flow[2] == 101 - (node.monitor.inputs - before) > 0


@pytest.mark.usefixtures("handover")
def test_gravity_that_turns_stays_on_the_way_in_c():
    with started(DynamicsNode, "-r", "__ns:=/turning", **QUIET) as node, Listener(namespace="/turning") as listener:
        gravity = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or (node._answering.inlet.answer and gravity), "an answer")
        answer = node._answering.inlet.answer
        for k, g in enumerate(([9.81, 0.0, 0.0], [0.0, 0.0, -1.62], [0.0, 3.0, 4.0]), start=2):
            node.change_loaded(lambda robot, g=g: robot.with_gravity(g, time.monotonic()))
            assert node._answering.inlet.answer is answer
            states.publish(usual(k))
            listener.wait(lambda k=k: stamp(gravity[-1]) == k, "the answer")
            wanted = node.serving.loaded.bare.with_gravity(g).gravity_torque([0.1, 0.2])
            np.testing.assert_allclose(gravity[-1].effort, wanted, rtol=1e-12, atol=1e-12)
        node.change_loaded(lambda robot: robot.with_gravity([0.0, 0.0, -9.81], time.monotonic(), 1000.0))
        assert node._answering.inlet.answer is None, "what passes over slowly is answered by Python"
        with pytest.raises(TypeError):
            answer.gravity = [1.0, 2.0, 3.0]


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("missing", ["C is not built", "the middleware tells of nothing"])
def test_where_there_can_be_no_such_thread_the_executor_serves_joint_states(monkeypatch, missing):
    def refuse(*_):
        raise RuntimeError(missing)

    monkeypatch.setattr(listening, "Inlet", None if missing.startswith("C") else refuse)
    with started(DynamicsNode, "-r", "__ns:=/served", **QUIET) as node, Listener(namespace="/served") as listener:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or executor.spin_once(0.01) or heard, "the answer")
        assert node._answering.inlet is None and not node.apart
        executor.remove_node(node)


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
        listener.wait(lambda: node.monitor.inputs == node.monitor.outputs, "all to be answered")
        known, calls[place] = calls[place], ctypes.cast(ctypes.CDLL(library).planted, ctypes.c_void_p).value
        try:
            answered = node.monitor.outputs
            listener.wait(lambda: states.publish(usual(2)) or node.monitor.counters["out_of_memory"], "the refusal")
            assert node.monitor.outputs == answered
        finally:
            calls[place] = known
        listener.wait(lambda: states.publish(usual(3)) or stamp(heard[-1]) == 3, "the answer")


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
            listener.node.destroy_publisher(states)


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("kind", ["events", "single"])
def test_an_executor_that_spins_meanwhile_does_not_take_the_states_away(kind):
    with started(DynamicsNode, "-r", f"__ns:=/spun_{kind}", **QUIET, autostart=False) as node, \
            Listener(namespace=f"/spun_{kind}") as listener:
        executor, done = make_executor(kind), Future()
        executor.add_node(node)
        thread = threading.Thread(target=spin, args=(executor, done))
        thread.start()
        try:
            states = listener.node.create_publisher(JointState, "joint_states", 100)
            for _ in range(15):
                node.trigger_configure()
                node.trigger_activate()
                listener.wait(lambda: states.publish(usual(time.monotonic_ns())) or node.monitor.outputs, "an answer")
                node.trigger_deactivate()
                node.trigger_cleanup()
        finally:
            done.set_result(None)
            executor.wake()
            thread.join()
            executor.remove_node(node)


@pytest.mark.usefixtures("handover")
def test_tf_is_told_the_last_poses_by_a_thread_of_its_own(monkeypatch):
    told = []
    monkeypatch.setattr(dynamics_node, "broadcaster", lambda node: lambda *message: told.append(message))
    with started(DynamicsNode, "-r", "__ns:=/told", **QUIET, publish_tf=True, tips="[tool, upper]") as node, \
            Listener(namespace="/told") as listener:
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or node._answering.inlet.answer, "the answer in C")
        for k in range(2, 5):
            states.publish(usual(k))
            listener.wait(lambda k=k: told and told[-1][0] == k, "TF")
        _, base, frames, poses = told[-1]
        assert (base, frames) == ("base", ["tool", "upper"])
        for pose, frame in zip(poses, frames, strict=True):
            np.testing.assert_allclose(pose[:3], node.serving.loaded.robot.fk([0.1, 0.2], frame)[:3, 3], atol=1e-14)


@pytest.mark.usefixtures("handover")
def test_where_rcl_cannot_be_called_from_c_python_answers(monkeypatch):
    def refuse(*_):
        raise RuntimeError("no rcl is loaded that has all that is needed")

    monkeypatch.setattr(dynamics_outputs, "Answer", refuse)
    with started(DynamicsNode, "-r", "__ns:=/slow", **QUIET) as node, Listener(namespace="/slow") as listener:
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or heard, "the answer")
        assert node._answering.inlet.answer is None


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


def test_what_is_no_subscription_or_answer_is_refused():
    rclpy.init(args=[])
    node = rclpy.create_node("inlet")
    try:
        subscription = node.create_subscription(JointState, "joint_states", print, 10, raw=True)
        flow, latency = np.zeros(4, np.int64), np.zeros(10)
        for wrong, error in (((None, flow, latency), AttributeError),
                             ((subscription.handle, flow[:2], latency), ValueError),
                             ((subscription.handle, flow, b"12345678"), BufferError)):
            with pytest.raises(error):
                Inlet(*wrong)
        inlet = Inlet(subscription.handle, flow, latency)
        with pytest.raises(TypeError):
            inlet.answer = "yes"
        with pytest.raises(TypeError):
            Answer()
        node.destroy_subscription(subscription)     # it stays until the inlet leaves it
        inlet.close()
        assert inlet.run(print) is None and inlet.poses() is None
        del inlet
        with pytest.raises(rclpy._rclpy_pybind11.InvalidHandle):
            Inlet(subscription.handle, flow, latency)
    finally:
        node.destroy_node()
        rclpy.shutdown()
