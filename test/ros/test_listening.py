"""The thread of joint states needs the interpreter only for odd messages, and publishes nothing that is out of date."""
import subprocess
import sys
import time

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rdyn_interfaces.srv import GetMassMatrix, SetGravity, SetPayload
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from rdyn_ros.nodes import dynamics_node, dynamics_outputs, listening
from rdyn_ros.nodes._answer import Answer, Inlet
from rdyn_ros.nodes.dynamics_health import judge
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from support.dynamics_peer import joint_state, stamp
from support.in_process import NAMES, QUIET, usual
from support.ros_peer import LIMIT, Listener

HELD = 0.3      # [s] for which the node's interpreter is held, again and again
BUSY = f"""
import ctypes, sys
from rdyn_ros.nodes import dynamics_node as module
hold = ctypes.PyDLL(None).usleep    # which, called so, keeps the interpreter

class Busy(module.DynamicsNode):
    def activate(self):
        self.create_timer({HELD + 0.02}, lambda: hold({round(1e6 * HELD)}))

module.DynamicsNode = Busy
module.main(["--ros-args", "-r", "__ns:=/busy", "-p", "robot:=planar_2r", "-p", "command_topic:=commands",
             "-p", "tips:=[tool, upper]", "-p", "state_timeout:=2.0", *sys.argv[1:]])
"""


def long_changes(listener):
    """Payload, gravity and torque of the node pass over for longer than a test lasts."""
    payload, gravity = SetPayload.Request(), SetGravity.Request()
    payload.inertia.m, gravity.gravity.vector.z = 1.0, -1.62
    payload.transition.sec = gravity.transition.sec = 1000
    assert listener.call(SetPayload, "dynamics/set_payload", payload).success
    assert listener.call(SetGravity, "dynamics/set_gravity", gravity).success


@pytest.mark.processes
@pytest.mark.parametrize("passing", [False, True], ids=["all is settled", "all passes over, velocities are estimated"])
def test_torques_poses_and_command_go_out_while_the_interpreter_of_the_node_is_held(passing):
    ramp, estimate = ("ramp_time:=60.0", "estimate_velocity:=true") if passing else ("ramp_time:=0.0",) * 2
    process = subprocess.Popen([sys.executable, "-c", BUSY, "-p", ramp, "-p", estimate])

    def state(now):
        return joint_state(NAMES, [0.1, 0.2], stamp=now) if passing else usual(now)

    try:
        with Listener(namespace="/busy") as listener:
            torques = listener.listen(JointState, "dynamics/compensation")
            poses = listener.listen(PoseStamped, "dynamics/upper/pose")
            commands = listener.listen(Float64MultiArray, "commands")
            states = listener.publisher(JointState, "joint_states", qos=100)
            if passing:
                long_changes(listener)
            listener.ask(states, lambda: state(time.monotonic_ns()), lambda: len(commands) > 10 and poses)
            late, served, first = [], [], len(commands)
            for _ in range(100):
                now = time.monotonic_ns()
                states.publish(state(now))
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
        listener.wait(lambda: all(some and stamp(some[-1]) == wanted[-1] for some in (gravity, coriolis)),
                      "the last answers")
        assert [stamp(m) for m in gravity if stamp(m) > 1] == wanted
        assert [stamp(m) for m in coriolis if stamp(m) > 1] == [k for k in wanted if k % 3]
        assert node.monitor.counters == {"effort_wrong_length": len(wanted) // 3}
        listener.wait(lambda: node.monitor.inputs == node.monitor.outputs, "all to be counted as answered")


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
        listener.wait(lambda: node.monitor.inputs == node.monitor.outputs, "all to be counted as answered")
        assert not node.monitor.counters
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
        assert node._answering.inlet.answer is answer


@pytest.mark.usefixtures("handover")
def test_parameters_take_over_between_two_states_on_the_way_in_c(monkeypatch):
    told = told_to_tf(monkeypatch)
    with started(DynamicsNode, "-r", "__ns:=/scaled", **QUIET, publish_tf=True) as node, \
            Listener(namespace="/scaled") as listener:
        torques = listener.listen(JointState, "dynamics/compensation")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or (node._answering.inlet.answer and torques), "an answer")
        g = node.serving.loaded.bare.gravity_torque([0.1, 0.2])
        for k in range(2, 202):
            before = node._answering.inlet.answer
            node.set_parameters([Parameter("gravity_scale", value=0.001 * k)])
            assert node._answering.inlet.answer not in (None, before)
            states.publish(usual(k))
            if k % 20 == 0:
                listener.wait(lambda k=k: stamp(torques[-1]) == k, "the answer")
                c = node.serving.loaded.bare.coriolis_torque([0.1, 0.2], [0.0, 0.1])
                np.testing.assert_allclose(torques[-1].effort, 0.001 * k * g + c, rtol=1e-12)
        listener.wait(lambda: told[-1][0] == 201, "TF")
        assert not node.monitor.counters
    assert 0 not in [each[0] for each in told], "an answer that has not answered yet tells nothing"


@pytest.mark.usefixtures("handover")
@pytest.mark.parametrize("missing", ["C is not built", "the middleware tells of nothing"])
def test_where_there_can_be_no_such_thread_the_executor_serves_joint_states(monkeypatch, missing):
    def refuse(*_):
        raise RuntimeError(missing)

    told = told_to_tf(monkeypatch)
    monkeypatch.setattr(listening, "Inlet", None if missing.startswith("C") else refuse)
    with started(DynamicsNode, "-r", "__ns:=/served", **QUIET, publish_tf=True) as node, \
            Listener(namespace="/served") as listener:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        heard = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or executor.spin_once(0.01) or heard, "the answer")
        assert node._answering.inlet is None and not node.apart
        assert told and told[0][0] == 1
        executor.remove_node(node)


def told_to_tf(monkeypatch):
    """List of what nodes that start from now on tell TF: (stamp, base, frames, poses)."""
    told = []
    monkeypatch.setattr(dynamics_node, "broadcaster", lambda node: lambda *message: told.append(message))
    return told


@pytest.mark.usefixtures("handover")
def test_tf_is_told_of_the_first_state_and_of_none_twice(monkeypatch):
    told = told_to_tf(monkeypatch)
    with started(DynamicsNode, "-r", "__ns:=/once", **QUIET, publish_tf=True), Listener(namespace="/once") as listener:
        gravity = listener.listen(JointState, "dynamics/gravity")
        states = listener.publisher(JointState, "joint_states", qos=100)
        listener.wait(lambda: states.publish(usual(1)) or gravity, "the first answer")
        for k in range(2, 1002):
            states.publish(usual(k))
            time.sleep(0.0002)
        listener.wait(lambda: told[-1][0] == stamp(gravity[-1]) == 1001, "the last")
    stamps = [each[0] for each in told]
    assert stamps[0] == 1 and (np.diff(stamps)[stamps.count(1) - 1:] > 0).all()


@pytest.mark.usefixtures("handover")
def test_tf_is_told_the_last_poses_by_a_thread_of_its_own(monkeypatch):
    told = told_to_tf(monkeypatch)
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
