"""Every argument changes what it says, and nothing else."""
import re
import shlex

import pytest
from rclpy.context import Context
from rclpy.node import Node

from rdyn_ros.bringup import ARGUMENTS, SETS, Process, describe
from rdyn_ros.cli.main import main
from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.process import init


def by_name(bringup, **given):
    return {process.name: process for process in describe(bringup, **given)}


def parameters(bringup, name, **given):
    return by_name(bringup, **given)[name].parameters


@pytest.mark.parametrize("bringup", SETS)
def test_a_bring_up_starts_its_nodes_and_the_viewer_on_request(bringup):
    assert set(by_name(bringup, viewer="false")) == set(SETS[bringup])
    assert set(by_name(bringup, viewer="true")) == {*SETS[bringup], "viewer"}


def test_each_process_is_the_executable_of_its_node():
    assert all(process.executable == f"{process.name}_node" for process in describe("simulation"))


def test_robot_reaches_every_node_and_nothing_is_guessed_beside_hardware():
    assert {node.parameters["robot"] for node in describe("simulation", robot="planar_2r")} == {"planar_2r"}
    assert parameters("simulation", "simulator")["robot"] == "arm_7r"
    assert "robot" not in parameters("control", "control")


def test_namespace_reaches_every_node():
    for process in describe("simulation", namespace="left"):
        assert process.namespace == "left"
        assert "__ns:=/left" in process.ros_arguments()


def test_sim_time_comes_from_the_simulator():
    nodes = by_name("simulation", use_sim_time="true", viewer="true")
    assert nodes.pop("simulator").parameters["publish_clock"] is True
    assert {process.parameters["use_sim_time"] for process in nodes.values()} == {True}
    assert not any("use_sim_time" in process.parameters for process in describe("control")), "ROS's default holds"
    assert not by_name("control", use_sim_time="false")["control"].parameters["use_sim_time"]


def test_joint_states_topic_is_remapped_everywhere():
    for process in describe("simulation", joint_states_topic="arm/joint_states"):
        assert process.remappings == (("joint_states", "arm/joint_states"),)
    assert all(process.remappings == () for process in describe("simulation"))


def test_commands_go_from_the_controller_to_the_simulator():
    nodes = by_name("simulation", command_topic="torque/commands")
    assert nodes["control"].parameters["command_topic"] == nodes["simulator"].parameters["command_topic"] \
        == "torque/commands"
    assert "command_topic" not in nodes["dynamics"].parameters


def test_in_gravity_compensation_the_dynamics_node_commands():
    assert parameters("gravity_compensation", "dynamics")["command_topic"] == "effort_controller/commands"


def test_beside_whatever_commands_a_robot_the_topic_of_a_shared_file_is_not_commanded():
    assert "command_topic" not in parameters("dynamics", "dynamics", params_file="ur")


def test_a_params_file_brings_parameters_and_arguments_and_the_command_line_wins():
    dynamics = by_name("gravity_compensation", params_file="ur")["dynamics"]
    assert dynamics.parameters["tips"] == ["tool0"]
    assert dynamics.parameters["command_topic"] == "forward_effort_controller/commands"
    assert parameters("gravity_compensation", "dynamics", params_file="ur", command_topic="mine")[
        "command_topic"] == "mine"


@pytest.mark.parametrize(("section", "namespace", "holds"), [
    ("/**/control", "", True), ("/**/control", "left", True), ("/**", "left", True), ("control", "", True),
    ("/left/control", "left", True), ("/*/control", "left", True), ("left: {control", "left", True),
    ("/right/control", "left", False), ("/*/control", "", False), ("control", "left", False),
    ("/**/dynamics", "", False)])
def test_what_a_params_file_says_to_a_node_holds_unless_an_argument_is_named(tmp_path, section, namespace, holds):
    said = "{ros__parameters: {command_topic: mine, use_sim_time: true, robot: planar_2r}}"
    path = tmp_path / "mine.yaml"
    path.write_text(f"{section}: {said}" + ("}" if "{" in section else ""))
    given = {"params_file": str(path), "namespace": namespace}
    silent = parameters("simulation", "control", **given)
    assert silent == ({"command_topic": "mine", "use_sim_time": True, "robot": "planar_2r"} if holds else
                      {"robot": "arm_7r", "command_topic": "effort_controller/commands"})
    named = parameters("simulation", "control", **given, command_topic="ours", use_sim_time="false", robot="arm_6r")
    assert named == {"robot": "arm_6r", "use_sim_time": False, "command_topic": "ours"}


def test_a_namespace_that_a_launch_file_pushed_is_that_of_the_sections(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("/cell/left/control: {ros__parameters: {mode: pd}}")
    control = {space: describe("control", "/cell", namespace=space, params_file=str(path))[1]
               for space in ("left", "/left")}
    assert {space: process.namespace for space, process in control.items()} == {"left": "/cell/left", "/left": "/left"}
    assert [process.parameters.get("mode") for process in control.values()] == ["pd", None]


VALUES = r"""
/**:
  ros__parameters:
    texts: ['007', "1e3", 'y', it's, "a: b", 2026-11-16, 'null', null, ~, '', arm.urdf, "it's\n2"]
    numbers: [1e3, .5, 08, 1.0e-7]
    integers: [1, 010, 0x1F]
    time: 1:30
    flags: [true, Off, n]
    qos_overrides: {/joint_states: {subscription: {depth: 5}}}
    a: {b.c: 1}
/**:
  ros__parameters: {a.b.d: 2}
/*:
  ros__parameters: {a.b.c: 3}
"""


@pytest.mark.processes
def test_a_node_gets_of_a_file_what_ros_reads_in_it(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(VALUES)
    process, = describe("dynamics", params_file=str(path))
    assert overrides(*process.ros_arguments()) == overrides("--ros-args", "--params-file", str(path))
    assert process.parameters["a.b.c"] == 3 and process.parameters["texts"][0] == "007"


def overrides(*words):
    """Parameters that a node gets from words of its command line."""
    context = Context()
    init(list(words), context)
    try:
        node = Node("dynamics", context=context, start_parameter_services=False)
        return {name: parameter.value for name, parameter in node._parameter_overrides.items()}
    finally:
        context.try_shutdown()


@pytest.mark.parametrize("value", ["007", "true", "a: b", "arm.urdf", "it's", "1e3", "y", "", "~/x", "two\nlines"])
def test_a_text_stays_a_text_on_the_command_line(value):
    words = Process("dynamics_node", "dynamics", parameters={"robot": value}).ros_arguments()
    assert overrides(*words) == {"robot": value}
    assert not any("\n" in word for word in words)


@pytest.mark.parametrize(("bringup", "given", "said"), [
    ("simulatoin", {}, "did you mean simulation"),
    ("dynamics", {"robt": "x"}, "did you mean robot"),
    ("dynamics", {"viewer": "maybe"}, "true and false"),
    ("dynamics", {"use_sim_time": "2"}, "true and false"),
    ("dynamics", {"namespace": "1st arm"}, "ROS name"),
    ("dynamics", {"namespace": "~/left"}, "no place in a namespace"),
    ("control", {"robot": "quadruped"}, "floating base, which control cannot"),
    ("simulation", {"robot": "quadruped"}, "floating base, which control and simulator cannot"),
    ("dynamics", {"command_topic": "a b"}, "ROS name"),
    ("dynamics", {"command_topic": "a//b"}, "ROS name"),
    ("dynamics", {"command_topic": "effort_controller/commands"}, "commands no efforts.*gravity_compensation does"),
    ("dynamics", {"joint_states_topic": "arm/1st"}, "ROS name"),
    ("dynamics", {"joint_states_topic": "arm/"}, "ROS name"),
    ("dynamics", {"robot": "arm_8r"}, "arm_7r"),
    ("dynamics", {"params_file": "nowhere.yaml"}, "franka")])
def test_a_wrong_argument_is_refused_with_what_is_allowed(bringup, given, said):
    with pytest.raises(RdynError, match=said):
        describe(bringup, **given)


@pytest.mark.parametrize("content", [
    "[1, 2]", "/**/bringup: 3", "a: [", "1: {ros__parameters: {}}", "a: {ros__parameters: 3}",
    "&a {a: *a}", "/**: {ros__parameters: {robot: }}", f"/**: {{ros__parameters: {{robot: {'x' * 2**17}}}}}",
    "/**/bringup: {ros__parameters: {rob: x}}",
    "/**/bringup: {ros__parameters: {params_file: x}}"])
def test_a_broken_params_file_is_refused(tmp_path, content):
    path = tmp_path / "broken.yaml"
    path.write_text(content)
    with pytest.raises(RdynError):
        describe("dynamics", params_file=str(path))


@pytest.mark.parametrize(("section", "name", "said"), [
    ("/**/dynamics", "tipps", "dynamics has no parameter 'tipps'; did you mean tips?"),
    ("dynamics", "effort_scal", "did you mean effort_scale?"),
    ("/*", "tipps", None), ("/**/dynamics", "zzz", "config/dynamics.yaml lists them"),
    ("/**/dynamics", "qos_overrides./dynamics/gravity.publisher.depth", None), ("/**/dynamics", "use_sim_time", None),
    ("/left/dynamics", "tipps", None), ("/**/driver", "tipps", None)])
def test_a_parameter_that_a_node_does_not_have_is_refused(tmp_path, section, name, said):
    path = tmp_path / "mine.yaml"
    path.write_text(f"{section}: {{ros__parameters: {{{name}: 1}}}}")
    if said is None:
        describe("dynamics", params_file=str(path))
    else:
        with pytest.raises(RdynError, match=re.escape(said)):
            describe("dynamics", params_file=str(path))


@pytest.mark.parametrize(("section", "meant"), [
    ("/**/dynamcis", "dynamics"), ("/left/contrl", "control"), ("simulation", "simulator"), ("/**/bringp", "bringup"),
    ("/**/controller", None), ("/**/controller_manager", None), ("/**", None)])
def test_a_section_that_is_nearly_ours_is_told(tmp_path, capsys, section, meant):
    path = tmp_path / "mine.yaml"
    path.write_text(f"{section}: {{ros__parameters: {{rate: 1}}}}")
    assert main(("up", "dynamics", f"params_file:={path}", "--dry-run")) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [] if meant is None else told[0].endswith(f"did you mean {meant}?") and len(told) == 1


def test_a_broken_robot_is_refused_before_anything_starts(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("name: broken\nlinks: [{name: a}]")
    with pytest.raises(RdynError, match=r"broken.yaml:2: links\[0\]: 'parent'"):
        describe("control", robot=str(path))


@pytest.mark.parametrize(("words", "said"), [
    (("up",), "required: BRINGUP;"), (("up", "dynamics", "--restrat"), "unrecognized arguments: --restrat;"),
    (("uo",), "invalid choice: 'uo'"), (("demo", "--seconds", "x"), "invalid float value")])
def test_wrong_usage_is_told_in_one_line(capsys, words, said):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    line, = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_floating_base_is_no_robot_for_the_demo(capsys):
    assert main(("demo", "--robot", "quadruped")) == 2
    assert "floating base" in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    ("simulatoin",), ("dynamics", "robot=x"), ("dynamics", "robt:=x"), ("dynamics", "robot:=arm_8r"),
    ("dynamics", "viewer:=maybe"), ("dynamics", "params_file:=nowhere"), ("dynamics", "namespace:=1st")])
def test_the_command_line_refuses_in_one_line(capsys, words):
    assert main(("up", *words)) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_dry_run_prints_what_would_be_started(capsys):
    assert main(("up", "simulation", "robot:=planar_2r", "viewer:=false", "--dry-run")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["simulator_node", "dynamics_node", "control_node"]
    assert all("robot:=planar_2r" in line for line in lines)


def test_a_dry_run_can_be_pasted_into_a_shell(capsys, source, monkeypatch):
    monkeypatch.setenv("HOME", str(source / "config"))
    words = ("robot:=~/robots/planar_2r.yaml", "params_file:=franka")
    assert main(("up", "dynamics", *words, "--dry-run")) == 0
    process, = describe("dynamics", **dict(word.split(":=") for word in words))
    assert shlex.split(capsys.readouterr().out) == [process.executable, *process.ros_arguments()]
    assert process.parameters["robot"] == str(source / "config/robots/planar_2r.yaml")


def test_every_argument_is_explained():
    assert all(argument.description for argument in ARGUMENTS.values())
