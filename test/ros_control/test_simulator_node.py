"""The simulator node alone: stepped, clocked, seeded, and careful with its input."""
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from support.ros_peer import Listener, node_process

pytestmark = pytest.mark.processes
NOISY = {"robot": "planar_2r", "start": "[0.3,0.5]", "rate": 100.0, "pace": "stepped",
         "publish_clock": "true", "position_noise": 0.001, "brakes": "false", "seed": 7}


def stepped(count):
    """Joint states after each of some steps of a fresh simulator, and the clock."""
    with node_process("rdyn_ros.nodes.simulator_node", parameters=NOISY), Listener() as listener:
        states, clock = listener.listen(JointState, "joint_states"), listener.listen(Clock, "/clock")
        command = listener.publisher(Float64MultiArray, "effort_controller/commands")
        command.publish(Float64MultiArray(data=[np.nan, 0.0]))          # refused
        command.publish(Float64MultiArray(data=[0.0]))                  # refused
        for k in range(1, count + 1):
            answer = listener.call(Trigger, "simulator/step", Trigger.Request())
            assert answer.success and answer.message == f"time {0.01 * k:.6f} s"
            listener.wait(lambda k=k: len(states) >= k and len(clock) >= k, "a state and the time")
    return states, clock


def test_equal_seeds_give_equal_runs_and_time_is_simulated():
    (first, clock), (second, _) = stepped(5), stepped(5)
    assert [s.position.tolist() for s in first] == [s.position.tolist() for s in second]
    assert [t.clock.nanosec for t in clock] == [10_000_000 * k for k in range(1, 6)]
    assert [s.header.stamp.nanosec for s in first] == [t.clock.nanosec for t in clock]
    assert first[0].name == ["shoulder", "elbow"]
    assert all(len(part) == 2 for part in (first[0].velocity, first[0].effort))


def test_lockstep_waits_for_each_command_and_runs_faster_than_the_clock():
    parameters = {**NOISY, "pace": "lockstep", "publish_clock": "false", "position_noise": 0.0}
    with node_process("rdyn_ros.nodes.simulator_node", parameters=parameters), Listener() as listener:
        states = listener.listen(JointState, "joint_states")
        command = listener.publisher(Float64MultiArray, "effort_controller/commands")
        listener.wait(lambda: states, "a state without any command")
        for _ in range(20):
            count = len(states)
            command.publish(Float64MultiArray(data=[-30.0, -5.0]))
            listener.wait(lambda count=count: len(states) > count, "the state that answers a command")
        stamps = np.array([s.header.stamp.sec + 1e-9 * s.header.stamp.nanosec for s in states])
        np.testing.assert_allclose(np.diff(stamps), 0.01, atol=1e-6)
        answer = listener.call(Trigger, "simulator/step", Trigger.Request())
        assert not answer.success and "stepped" in answer.message


def test_commands_before_there_is_a_robot_are_counted():
    with started(SimulatorNode, "-r", "__ns:=/nobody") as node:
        node._on_command(Float64MultiArray(data=[0.0]))
        assert node.monitor.counters == {"no_robot": 1}


@pytest.mark.parametrize(("wrong", "says"), [
    ({"start": "[0.0]"}, "parameter 'start' has 1 numbers; the robot has 2 joints"),
    ({"joints": "[shoulder]"}, "parameter 'joints' has 1 names"),
    ({"scheme": "euler"}, "parameter 'scheme'"),
])
def test_wrong_parameters_end_the_node_with_one_sentence(wrong, says):
    with node_process("rdyn_ros.nodes.simulator_node", parameters={**NOISY, **wrong}) as process:
        assert process.wait() == 2
        assert says in process.output


STIFF = """<robot name='stiff'><link name='b'/><link name='a'><inertial><mass value='0.01'/>
<inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='j' type='continuous'><parent link='b'/><child link='a'/><axis xyz='0 0 1'/>
<dynamics damping='1.0'/></joint></robot>"""


def test_a_motion_that_cannot_be_followed_is_told_in_one_line_and_on_diagnostics(tmp_path):
    (tmp_path / "stiff.urdf").write_text(STIFF)
    parameters = {"robot": tmp_path / "stiff.urdf", "pace": "stepped", "scheme": "rk4", "diagnostics_period": 0.1}
    with node_process("rdyn_ros.nodes.simulator_node", parameters=parameters) as process, Listener() as listener:
        reports = listener.listen(DiagnosticArray, "/diagnostics")
        for _ in range(2):
            answer = listener.call(Trigger, "simulator/step", Trigger.Request())
            assert not answer.success and "viscous friction is too stiff for rk4" in answer.message
        listener.wait(lambda: any(s.level == DiagnosticStatus.ERROR and s.message == answer.message
                                  for report in reports for s in report.status), "ERROR on /diagnostics")
        assert process.output.count("too stiff") == 1 and "Traceback" not in process.output
        assert process.stop() == 0
