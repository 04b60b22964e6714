"""The launch files start what the description says. Runs where `launch` and `launch_ros` are installed."""
import json
import subprocess
import sys
from itertools import pairwise

import pytest
import yaml

from rdyn_ros.bringup import ARGUMENTS, SETS, describe

pytest.importorskip("launch_ros", reason="launch comes with a ROS 2 installation only")
pytestmark = pytest.mark.processes

RUN = """
import json, sys
from pathlib import Path
from launch import LaunchDescription, LaunchService
from launch.actions import EmitEvent, IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessStart
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
path, given, number = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
source = PythonLaunchDescriptionSource(path)
started, files = [], {}

def on_start(event, context):
    started.append(event.cmd)
    files.update({word: Path(word).read_text() for word in event.cmd if Path(word).is_file()})
    return [EmitEvent(event=Shutdown())] if len(started) == number else []

service = LaunchService(argv=[f"{name}:={text}" for name, text in given.items()], noninteractive=True)
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessStart(on_start=on_start)),
    IncludeLaunchDescription(source, launch_arguments=given.items())]))
failed = service.run()
arguments = {argument.name: argument.description for argument in
             source.get_launch_description(service.context).get_launch_arguments()}
print(json.dumps({"arguments": arguments, "commands": started, "files": files}))
sys.exit(failed)
"""
CHANGED = {"robot": "planar_2r", "namespace": "left", "params_file": "simulator", "use_sim_time": "true",
           "joint_states_topic": "js", "command_topic": "torque/commands", "viewer": "true"}


def launched(source, bringup, given, number):
    """The finished process that ran a launch file until `number` nodes had been started."""
    path = source / "launch" / f"{bringup}.launch.py"
    return subprocess.run([sys.executable, "-c", RUN, path, json.dumps(given), str(number)],
                          capture_output=True, text=True)


def meaning(words, files):
    """(remappings, parameters) of a command line; later parameter files win, as in ROS."""
    remappings, parameters = set(), {}
    for option, value in pairwise(words):
        if option == "-r":
            remappings.add(value)
        elif option == "-p":
            name, _, text = value.partition(":=")
            parameters[name] = yaml.safe_load(text)
        elif option == "--params-file" and "launch_params" in value:
            parameters |= next(iter(yaml.safe_load(files[value]).values()))["ros__parameters"]
        elif option == "--params-file":
            parameters["file"] = value
    return remappings - {"__ns:=/"}, parameters


@pytest.mark.parametrize("given", [{}, CHANGED], ids=["defaults", "every argument changed"])
@pytest.mark.parametrize("bringup", SETS)
def test_a_launch_file_starts_what_rdyn_up_starts(source, bringup, given):
    wanted = describe(bringup, **given)
    answer = launched(source, bringup, given, len(wanted))
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert set(found["arguments"]) == set(ARGUMENTS) and all(found["arguments"].values())
    started = {command[0].rpartition("/")[2]: meaning(command, found["files"]) for command in found["commands"]}
    assert started == {process.executable: meaning(process.ros_arguments(), {}) for process in wanted}


@pytest.mark.parametrize(("given", "said"), [
    ({"viewer": "maybe"}, "viewer is 'maybe'; allowed are true and false"),
    ({"robot": "arm_8r"}, "'arm_8r': no such file, and no shipped robot of that name")])
def test_a_wrong_argument_starts_nothing_and_is_told_in_one_line(source, given, said):
    answer = launched(source, "control", given, 1)
    assert answer.returncode == 1
    assert sum(said in line for line in (answer.stdout + answer.stderr).splitlines()) == 1
    assert json.loads(answer.stdout.splitlines()[-1])["commands"] == []


def test_a_misspelt_argument_is_told_one_of_an_including_file_is_not(source):
    answer = launched(source, "dynamics", {"robt": "planar_2r", "rviz": "true", "robot_ip": "10.0.0.2"}, 1)
    said = answer.stdout + answer.stderr
    assert "unknown argument 'robt': did you mean robot?" in said and said.count("unknown argument") == 1
