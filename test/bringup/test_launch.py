"""The launch files start what the description says. Runs where `launch` and `launch_ros` are installed."""
import json
import subprocess
import sys

import pytest

from rdyn_ros.bringup import ARGUMENTS, SETS, describe

launch_ros = pytest.importorskip("launch_ros", reason="launch comes with a ROS 2 installation only")

LIST = """
import json, sys
from launch import LaunchContext
from launch.launch_description_sources import get_launch_description_from_python_launch_file as read
from launch.utilities import perform_substitutions
path, given = sys.argv[1], json.loads(sys.argv[2])
description = read(path)
context = LaunchContext(argv=[])
context.launch_configurations.update(given)
found = {"arguments": {name: about.description for name, about in
                       ((a.name, a) for a in description.get_launch_arguments())}, "nodes": []}
for entity in description.entities:
    for node in entity.visit(context) or []:
        node._perform_substitutions(context)
        command = [perform_substitutions(context, part) for part in node.cmd]
        found["nodes"].append({"name": node.node_name, "command": command})
print(json.dumps(found))
"""


def launched(source, bringup, **given):
    """Arguments and nodes of a launch file, as launch itself sees them."""
    path = source / "launch" / f"{bringup}.launch.py"
    answer = subprocess.run([sys.executable, "-c", LIST, path, json.dumps(given)],
                            capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.mark.parametrize("bringup", SETS)
def test_a_launch_file_declares_every_argument_and_starts_the_same_set(source, bringup):
    given = {"robot": "planar_2r", "namespace": "left", "joint_states_topic": "js", "viewer": "true",
             "params_file": "simulator"}
    found = launched(source, bringup, **given)
    assert set(found["arguments"]) == set(ARGUMENTS) and all(found["arguments"].values())
    wanted = describe(bringup, **given)
    assert [node["name"] for node in found["nodes"]] == [f"/left/{process.name}" for process in wanted]
    for node, process in zip(found["nodes"], wanted, strict=True):
        assert node["command"][0].endswith(f"/lib/rdyn_ros/{process.executable}")
        assert {"joint_states:=js", str(process.params_file)} <= set(node["command"])
