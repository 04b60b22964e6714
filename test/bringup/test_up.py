"""`rdyn up` with real processes: they start together and end together."""
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from rdyn_interfaces.msg import ControllerState

from support.ros_peer import Listener
from support.section_orders import FILES

pytestmark = pytest.mark.processes
LIMIT = 60.0  # [s]


@contextmanager
def up(*words):
    """`rdyn up ...` in a process of its own."""
    process = subprocess.Popen([sys.executable, "-m", "rdyn_ros.cli.main", "up", *words], text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)


def children(process):
    """{pid: node module} of the processes that a process started."""
    task = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    pids = [int(word) for word in task.read_text().split()] if task.exists() else []
    words = {pid: Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in pids if alive(pid)}
    return {pid: given[2] for pid, given in words.items() if len(given) > 2 and given[1] == "-m"}


def alive(pid):
    """Whether a process still runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait(condition, what):
    """Value of `condition()` once it is true."""
    end = time.monotonic() + LIMIT
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {LIMIT} s in vain for {what}"
        time.sleep(0.05)
    return value


def test_a_bring_up_does_what_its_arguments_say_and_ctrl_c_ends_all_of_it():
    given = ("robot:=planar_2r", "namespace:=left", "params_file:=simulator", "use_sim_time:=true",
             "joint_states_topic:=js", "command_topic:=torque/commands", "viewer:=false")
    with Listener() as listener, up("simulation", *given) as process:
        states = listener.listen(ControllerState, "/left/control/controller_state")
        listener.wait(lambda: states, "the controller's state", LIMIT)
        assert len(states[0].joint_names) == 2
        graph = listener.node
        assert [peer.node_name for peer in graph.get_publishers_info_by_topic("/left/js")] == ["simulator"]
        assert [peer.node_name for peer in graph.get_publishers_info_by_topic("/clock")] == ["simulator"]
        commanded = graph.get_subscriptions_info_by_topic("/left/torque/commands")
        assert [peer.node_name for peer in commanded] == ["simulator"]
        assert listener.get_parameter("/left/simulator", "pace").string_value == "lockstep"
        assert listener.get_parameter("/left/control", "use_sim_time").bool_value
        nodes = children(process)
        assert {module.rpartition(".")[2] for module in nodes.values()} == {
            "simulator_node", "dynamics_node", "control_node"}
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0
        assert not any(alive(pid) for pid in nodes)
        said = process.stderr.read()
        assert "ready; torque is off" in said
        assert "Traceback" not in said and "FATAL" not in said, said


@pytest.mark.parametrize("first", FILES)
def test_a_named_argument_counts_more_than_a_file_in_whatever_order_its_sections_are(tmp_path, first):
    path = tmp_path / "mine.yaml"
    path.write_text(FILES[first])
    with Listener() as listener, up("dynamics", "robot:=arm_6r", f"params_file:={path}"):
        assert listener.get_parameter("/dynamics", "robot").string_value == "arm_6r"
        assert listener.get_parameter("/dynamics", "diagnostics_period").double_value == 2.0


def test_one_that_ends_takes_the_others_along():
    with up("control", "robot:=planar_2r") as process:
        nodes = wait(lambda: len(found := children(process)) == 2 and found, "two nodes")
        os.kill(next(iter(nodes)), signal.SIGKILL)
        assert process.wait(LIMIT) != 0
        assert not any(alive(pid) for pid in nodes)
        assert "all are ended" in process.stderr.read()


def test_one_that_ends_is_started_again_on_request():
    with up("dynamics", "robot:=planar_2r", "--restart") as process:
        first = next(iter(wait(lambda: children(process), "the node")))
        os.kill(first, signal.SIGKILL)
        wait(lambda: children(process).keys() - {first}, "a new node")


def test_a_refusal_of_a_node_is_the_refusal_of_the_bring_up(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("/**/dynamics: {ros__parameters: {state_timeout: -1.0}}")
    with up("dynamics", "robot:=planar_2r", f"params_file:={path}", "--restart") as process:
        assert process.wait(LIMIT) == 2
        said = process.stderr.read()
        assert "state_timeout" in said and "dynamics ended with exit code 2; all are ended" in said


def test_nodes_do_not_outlive_a_bring_up_that_is_killed():
    with up("simulation", "robot:=planar_2r", "viewer:=false") as process:
        nodes = wait(lambda: len(found := children(process)) == 3 and found, "three nodes")
        process.kill()
        process.wait(LIMIT)
        wait(lambda: not any(alive(pid) for pid in nodes), "the end of the nodes")
