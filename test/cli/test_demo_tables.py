"""What the demo prints: rates, latency, tracking error and torques, with the units of the robot's joints."""
import io

import numpy as np
import pytest
from rdyn_interfaces.msg import ControllerState
from rdyn_interfaces.srv import GetDynamics
from rich.console import Console

import rdyn_ros as rdyn
from rdyn_ros.cli.demo_tables import WAITING, live_table, plain_line, summary
from rdyn_ros.nodes.demo import Seen

FLOW = {"output_rate_hz": "999.6", "latency_p50_us": "250.2", "latency_p99_us": "900.7"}


def state(error, position, effort, phase=ControllerState.ACTIVE, fault=""):
    message = ControllerState(joint_names=["shoulder", "elbow"], phase=phase, fault=fault)
    message.error.positions, message.feedback.positions, message.output.effort = error, position, effort
    return message


@pytest.fixture
def seen():
    seen = Seen(terms=GetDynamics.Response(gravity=[11.0, 12.0], coriolis=[0.5, 0.25], friction=[0.125, -1e-9]))
    seen.health["control"] = "OK", "gravity_compensation, ramping", FLOW
    seen.begin("moving")
    for error in (0.003, -0.004):
        seen.take(state([error, 0.0], [1.25, -0.75], [33.5, -44.5]), 100.0)
    return seen


def test_the_table_has_every_joint_and_every_node(seen):
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(live_table(rdyn.load("planar_2r"), "moving", seen))
    text = console.export_text()
    for word in ("planar_2r: moving", "position", "[rad]", "[mrad]", "[N m]", "shoulder", "1.250", "-4.000",
                 "33.50", "-44.50", "11.00", "12.00", "0.50", "0.12", "1000 Hz", "latency  250, p99   901 µs",
                 "gravity_compensation, ramping"):
        assert word in text, text


def test_while_the_nodes_are_awaited_nothing_else_is_told(seen):
    assert plain_line(rdyn.load("planar_2r"), WAITING, seen) == "waiting for the nodes"


def test_the_summary_tells_errors_drift_torque_and_faults(seen):
    seen.begin("floating")
    for q in (1.0, 1.002, 1.001):
        seen.take(state([0.0, 0.0], [q, 0.5], [1.0, 1.0], fault="too fast"), 100.0)
    lines = list(summary(rdyn.load("planar_2r"), seen))
    assert lines[1] == f"  moving    tracking error RMS {1e3 * np.sqrt(25e-6 / 4):.3f} mrad, largest 4.000 mrad"
    assert lines[2:5] == [
        "  floating  drift 1.000 mrad", "  torque    largest commanded 44.5 N m", "  fault     too fast"]
    assert lines[5].endswith("1000 Hz  latency  250, p99   901 µs  gravity_compensation, ramping")


def test_the_summary_tells_how_the_robots_time_went_by_when_it_is_not_the_clocks(seen):
    last = state([0.0, 0.0], [1.0, 0.5], [1.0, 1.0])
    for stage, now, robot in (("moving", 102.0, 1), ("floating", 110.0, 11), ("waiting", 999.0, 12)):
        seen.begin(stage)
        last.header.stamp.sec = robot
        seen.take(last, now)
    told = [line for line in summary(rdyn.load("planar_2r"), seen) if line.startswith("  time ")]
    assert told == ["  time      1.10 s of the robot in 1 s of the clock: each command makes its next step; "
                    "rates are of the last second by the clock"]


@pytest.mark.parametrize(("robot", "units"), [
    ("planar_2r", ("mrad", "N m")), ("cartesian", ("mm", "N")), ("cylindrical", ("mrad or mm", "N m or N"))])
def test_units_are_those_of_the_joints(seen, robot, units):
    line = plain_line(rdyn.load(robot), "moving", seen)
    assert f"error   4.000 {units[0]}  torques 33.5 -44.5 {units[1]}" in line and line.endswith(units[1])
