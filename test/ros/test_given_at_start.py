"""What a user gives a node at its start by mistake: told in one sentence."""
import subprocess
import sys

import pytest

from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.control_node import ControlNode
from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.simulator_node import SimulatorNode
from support.ros_peer import LIMIT, node_process

pytestmark = pytest.mark.usefixtures("handover")
LETTERS = "words of letters, digits and _ between single /"


@pytest.mark.parametrize("make", [DynamicsNode, ControlNode, SimulatorNode])
def test_a_parameter_that_the_node_does_not_have_is_told_with_the_nearest_that_it_has(make, capfd):
    words = ["-p", "qos_overrides./joint_states.subscription.depth:=7", "-p", "use_sim_time:=true"]
    with started(make, *words, robot="planar_2r", gravty="[0.0, 0.0, -9.81]", of_a_driver=1) as node:
        assert node.values.gravity == ()
    told = [line for line in capfd.readouterr().err.splitlines() if "parameter" in line]
    assert len(told) == 2, told
    assert "parameter 'gravty' is passed over" in told[0] and "did you mean gravity?" in told[0]
    assert "of_a_driver" in told[1] and "docs/parameters.md" in told[1]
    assert all("WARN" in line for line in told)


def test_a_parameter_of_another_node_may_stand_in_a_shared_file(capfd):
    with started(DynamicsNode, robot="planar_2r", stop_time=0.5):
        pass
    told = capfd.readouterr()
    assert "WARN" not in told.err
    assert "parameter 'stop_time' is one of control; it is passed over here" in told.out + told.err


@pytest.mark.parametrize("make", [DynamicsNode, ControlNode, SimulatorNode])
@pytest.mark.parametrize(("topic", "words"), [
    ("a//b", LETTERS), ("a b", LETTERS), ("{a}", LETTERS), ("joint_states", "another type")])
def test_a_topic_that_cannot_be_is_refused_in_one_sentence(make, topic, words, capfd):
    with (pytest.raises(RdynError, match=f"^topic '{topic}' cannot .*{words}"),
          started(make, robot="planar_2r", command_topic=f"'{topic}'")):
        pass
    assert "Traceback" not in capfd.readouterr().err


def test_an_imu_topic_that_cannot_be_is_refused_too():
    with (pytest.raises(RdynError, match=r"^topic 'a//b' cannot be"),
          started(DynamicsNode, robot="planar_2r", imu_topic="a//b")):
        pass


@pytest.mark.processes
@pytest.mark.parametrize(("node", "parameter"), [
    ("dynamics", "command_topic"), ("control", "command_topic"), ("simulator", "command_topic"), ("viewer", "control")])
def test_a_process_ends_with_code_2_for_it(node, parameter):
    if node == "viewer":
        pytest.importorskip("viser")
    with node_process(f"rdyn_ros.nodes.{node}_node", parameters={"robot": "planar_2r", parameter: "a//b"}) as process:
        assert process.wait() == 2
    assert process.lines[-1].startswith("error: topic 'a//b") and "Traceback" not in process.output


NODES = ("dynamics", "control", "simulator", "viewer")


def run(node, *words):
    """A process that ends by itself."""
    return subprocess.run([sys.executable, "-m", f"rdyn_ros.nodes.{node}_node", *words], capture_output=True, text=True,
                          timeout=LIMIT)


@pytest.mark.parametrize("node", NODES)
def test_words_that_are_not_of_ros_are_refused_with_the_right_form(node):
    done = run(node, "-p", "robot:=planar_2r")
    assert done.returncode == 2
    assert done.stderr == ("error: '-p robot:=planar_2r' is not understood; parameters follow --ros-args, as in: "
                           f"{node}_node --ros-args -p robot:=arm_7r\n")


@pytest.mark.parametrize("node", NODES)
def test_help_is_a_few_lines(node):
    done = run(node, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: {node}_node --ros-args") and f"config/{node}.yaml" in done.stdout
    assert len(done.stdout.splitlines()) < 6


def test_words_after_those_of_ros_and_what_ros_would_take_for_a_new_topic_name_are_seen_too():
    assert run("dynamics", "robot:=planar_2r").stderr.startswith("error: 'robot:=planar_2r' is not understood")
    done = run("dynamics", "--ros-args", "-p", "robot:=planar_2r", "--", "planar_2r")
    assert done.returncode == 2 and done.stderr.startswith("error: 'planar_2r' is not understood")
