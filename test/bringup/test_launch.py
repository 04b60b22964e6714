"""The launch files start what the description says. Runs where `launch` and `launch_ros` are installed."""
import json
import signal
import subprocess
import sys
from itertools import pairwise

import pytest

from rdyn_ros.bringup import ARGUMENTS, SETS, describe
from support.ros_peer import Listener
from support.section_orders import FILES

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

service = LaunchService(argv=[f"{name}:={text}" for name, text in given.items()], noninteractive=True)
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessStart(on_start=on_start)),
    IncludeLaunchDescription(source, launch_arguments=given.items())]))
failed = service.run()
arguments = {argument.name: argument.description for argument in
             source.get_launch_description(service.context).get_launch_arguments()}
print(json.dumps({"arguments": arguments, "commands": started}))
sys.exit(failed)
"""
CHANGED = {"robot": "planar_2r", "namespace": "left", "params_file": "simulator", "use_sim_time": "true",
           "joint_states_topic": "js", "command_topic": "torque/commands", "viewer": "true"}


def words(source, bringup, given, number):
    """Command line of a process that runs a launch file until `number` nodes have been started."""
    return [sys.executable, "-c", RUN, source / "launch" / f"{bringup}.launch.py", json.dumps(given), str(number)]


def launched(*arguments):
    """The same process, finished."""
    return subprocess.run(words(*arguments), capture_output=True, text=True)


def meaning(words):
    """(remappings, parameters) of a command line; a parameter file would be a third thing."""
    assert "--params-file" not in words
    said = {flag: {value for option, value in pairwise(words) if option == flag} for flag in ("-r", "-p")}
    return said["-r"] - {"__ns:=/"}, said["-p"]


@pytest.mark.parametrize("given", [{}, CHANGED], ids=["defaults", "every argument changed"])
@pytest.mark.parametrize("bringup", SETS)
def test_a_launch_file_starts_what_rdyn_up_starts(source, bringup, given):
    given = {name: text for name, text in given.items() if (bringup, name) != ("dynamics", "command_topic")}
    wanted = describe(bringup, **given)
    answer = launched(source, bringup, given, len(wanted))
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert set(found["arguments"]) == set(ARGUMENTS) and all(found["arguments"].values())
    started = {command[0].rpartition("/")[2]: meaning(command) for command in found["commands"]}
    assert started == {process.executable: meaning(process.ros_arguments()) for process in wanted}


@pytest.mark.parametrize("first", FILES)
def test_a_named_argument_counts_more_than_a_file_in_whatever_order_its_sections_are(source, tmp_path, first):
    path = tmp_path / "mine.yaml"
    path.write_text(FILES[first])
    endless = words(source, "dynamics", {"robot": "arm_6r", "params_file": str(path)}, 99)
    with Listener() as listener, subprocess.Popen(endless, stdout=subprocess.DEVNULL) as process:
        try:
            assert listener.get_parameter("/dynamics", "robot").string_value == "arm_6r"
            assert listener.get_parameter("/dynamics", "diagnostics_period").double_value == 2.0
        finally:
            process.send_signal(signal.SIGINT)


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
