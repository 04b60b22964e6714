"""The figures of docs/safety.md, "How far an arm moves on", are those of the simulated arm."""
import copy
import re
from pathlib import Path

import numpy as np
import pytest

import rdyn_ros
from support.closed_loop import Loop

ROW = re.compile(r"(?m)^\| (at rest|turning|states lost).*? \| ([\d.]+) s.*? \| ([\d.]+) rad.*? \| ([\d.]+) rad/s \|$")
ROWS = ROW.findall((Path(__file__).parents[2] / "docs/safety.md").read_text())
STRETCHED = np.array([0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0, 0.0])    # [rad] level with its second joint
SPEED = 1.5  # [rad/s] of the first joint, where it turns


def held(stop_time):
    """The arm, stretched out, held by the controller."""
    robot = rdyn_ros.load("arm_7r")
    loop = Loop(robot, stop_time=stop_time)
    loop.arm.q, loop.arm.effort = STRETCHED, robot.gravity_torque(STRETCHED)
    return loop.enabled()


@pytest.fixture(scope="module")
def turning():
    """The arm while its first joint follows a trajectory."""
    loop = held(0.1).move(2.6 * np.eye(7)[0], 3.0)
    while loop.arm.qd[0] < SPEED:
        loop.run(0.005)
    return loop


def moves_on(loop, silent):
    """Way [rad] of the joint that moves furthest, and speed [rad/s] of the fastest, until the arm stands."""
    start, way, fastest, end = loop.arm.q, 0.0, 0.0, loop.now + 5.0
    if not silent:
        loop.controller.disable(loop.now)
    while loop.phase != "idle" or loop.arm.qd.any():
        assert loop.now < end, "the arm does not come to rest"
        loop.run(0.005, silent=silent)
        way, fastest = max(way, np.abs(loop.arm.q - start).max()), max(fastest, np.abs(loop.arm.qd).max())
    return way, fastest


def test_the_page_has_all_rows():
    assert [row[0] for row in ROWS] == ["at rest"] * 4 + ["turning", "states lost"]


@pytest.mark.parametrize(("when", "stop_time", "way", "fastest"), ROWS)
def test_an_arm_moves_on_as_far_as_the_page_says(when, stop_time, way, fastest, turning):
    loop = held(float(stop_time)) if when == "at rest" else copy.deepcopy(turning)
    seen = moves_on(loop, silent=when == "states lost")
    assert seen == (pytest.approx(float(way), abs=0.006), pytest.approx(float(fastest), abs=0.06))
