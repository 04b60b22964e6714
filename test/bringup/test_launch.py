"""The launch files start what the description says. Runs where `launch` and `launch_ros` are installed."""
import json
import subprocess
import sys

import pytest

from rdyn_ros.bringup import ARGUMENTS, SETS, describe

pytest.importorskip("launch_ros", reason="launch comes with a ROS 2 installation only")
pytestmark = pytest.mark.processes

RUN = """
import json, sys
from launch import LaunchDescription, LaunchService
from launch.actions import EmitEvent, IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessStart
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
path, given, number = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
source = PythonLaunchDescriptionSource(path)
started = []

def on_start(event, context):
    started.append(event.cmd)
    return [EmitEvent(event=Shutdown())] if len(started) == number else []

service = LaunchService(argv=[], noninteractive=True)
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessStart(on_start=on_start)),
    IncludeLaunchDescription(source, launch_arguments=given.items())]))
service.run()
arguments = {argument.name: argument.description for argument in
             source.get_launch_description(service.context).get_launch_arguments()}
print(json.dumps({"arguments": arguments, "commands": started}))
"""


@pytest.mark.parametrize("bringup", SETS)
def test_a_launch_file_declares_every_argument_and_starts_the_same_set(source, bringup):
    given = {"robot": "planar_2r", "namespace": "left", "joint_states_topic": "js", "viewer": "false",
             "params_file": "simulator"}
    wanted = describe(bringup, **given)
    path = source / "launch" / f"{bringup}.launch.py"
    answer = subprocess.run([sys.executable, "-c", RUN, path, json.dumps(given), str(len(wanted))],
                            capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert set(found["arguments"]) == set(ARGUMENTS) and all(found["arguments"].values())
    commands = {command[0].rpartition("/")[2]: command for command in found["commands"]}
    assert set(commands) == {process.executable for process in wanted}
    for process in wanted:
        words = set(commands[process.executable])
        assert {f"__node:={process.name}", "__ns:=/left", "joint_states:=js"} <= words
        assert str(process.params_file) in words
