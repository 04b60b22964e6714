"""A node that cannot start says why in one line, with what is allowed, and ends with exit code 2."""
import subprocess
import sys
from pathlib import Path

import pytest

NODES = ("dynamics_node", "control_node", "simulator_node", "viewer_node")


@pytest.fixture
def unreadable(tmp_path):
    """A robot file that is no robot."""
    path = tmp_path / "broken.yaml"
    path.write_text("name: [never closed")
    return path


def refusal(node, *parameters, command=None):
    """The line with which a node refuses its parameters; started as a module, or by another command."""
    words = [word for pair in parameters for word in ("-p", pair)]
    start = command or [sys.executable, "-m", f"rdyn_ros.nodes.{node}"]
    answer = subprocess.run([*start, "--ros-args", *words], text=True, capture_output=True, timeout=100)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr + answer.stdout
    told = [line for line in answer.stderr.splitlines() if line.strip()]
    assert len(told) == 1, answer.stderr
    return told[0]


@pytest.mark.parametrize("node", NODES)
def test_an_unknown_robot_is_refused_with_the_names_there_are(node):
    line = refusal(node, "robot:=planar_3r")
    assert "planar_3r" in line and "planar_2r" in line


@pytest.mark.parametrize("folder", ["bin", "lib/rdyn_ros"])
def test_a_file_that_is_not_there_is_named_by_the_installed_executable(folder):
    command = [Path(sys.prefix, folder, "dynamics_node")]
    assert "nowhere/arm.urdf" in refusal("dynamics_node", "robot:=nowhere/arm.urdf", command=command)


def test_a_file_that_cannot_be_read_is_named(unreadable):
    assert "broken.yaml" in refusal("dynamics_node", f"robot:={unreadable}")


@pytest.mark.parametrize(("node", "parameter"), [
    ("dynamics_node", "state_timeout:=soon"), ("viewer_node", "port:=web")])
def test_a_parameter_of_the_wrong_type_is_refused_with_the_type_it_needs(node, parameter):
    line = refusal(node, "robot:=planar_2r", parameter)
    name = parameter.partition(":=")[0]
    assert name in line and ("double" in line or "integer" in line)


def test_a_parameter_file_that_is_not_there_is_told_in_one_line():
    answer = subprocess.run([sys.executable, "-m", "rdyn_ros.nodes.dynamics_node", "--ros-args",
                             "--params-file", "nowhere.yaml"], text=True, capture_output=True, timeout=100)
    assert answer.returncode == 2
    assert "nowhere.yaml" in answer.stderr and "Traceback" not in answer.stderr
