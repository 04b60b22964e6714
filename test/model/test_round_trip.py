"""URDF -> YAML -> URDF loses nothing that the dynamics needs."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from rdyn_ros.algorithms import crba, frame_poses, rnea
from rdyn_ros.model import load_model, write_urdf, write_yaml
from rdyn_ros.model.source import shipped_robots
from support.broken_robots import URDF
from support.pinocchio_judge import example_robots
from support.trees import random_tree

NUMBERS = ("mass", "com", "inertia", "R", "p")
EXACT = (
    "kind",
    "lower",
    "upper",
    "velocity",
    "effort",
    "viscous",
    "coulomb",
    "rotor_inertia",
    "gear_ratio",
    "mimic",
)
CLOSE = {"rtol": 0, "atol": 1e-14}
REAL = [
    path
    for path in example_robots()
    if path.stem
    in ("panda", "ur5_robot", "talos_reduced", "solo12", "tiago", "icub", "double_pendulum_continuous", "z1")
]
ROBOTS = [*shipped_robots(), *REAL, URDF]


def there_and_back(model):
    """The model after YAML, and after YAML and URDF."""
    by_yaml = load_model(write_yaml(model))
    return by_yaml, load_model(write_urdf(by_yaml))


@pytest.mark.parametrize(
    "given", [pytest.param(given, id=str(given)[-30:].split("/")[-1][:20]) for given in ROBOTS]
)
def test_every_number_of_the_robot_survives(given):
    model = load_model(given)
    for back in there_and_back(model):
        by_joint = {body.joint.name: body for body in back.bodies[1:]}
        assert (back.name, back.tips, back.floating_base) == (model.name, model.tips, model.floating_base)
        np.testing.assert_array_equal(back.gravity, model.gravity)
        assert set(model.frame_names) <= set(back.frame_names)
        assert back.joint_names == model.joint_names            # q and torques mean the same by number, too
        for body in model.bodies[1:]:
            other = by_joint[body.joint.name]
            for key in NUMBERS:
                np.testing.assert_allclose(getattr(other, key), getattr(body, key), **CLOSE)
            np.testing.assert_allclose(other.joint.axis, body.joint.axis, **CLOSE)
            for key in EXACT:
                assert getattr(other.joint, key) == getattr(body.joint, key)
        for frame in model.frames:
            np.testing.assert_allclose(back.frame(frame.name).R, frame.R, **CLOSE)
            np.testing.assert_allclose(back.frame(frame.name).p, frame.p, **CLOSE)


@pytest.mark.parametrize("seed", range(5))
def test_torques_inertias_and_poses_survive_on_random_trees(seed):
    model = random_tree(seed, bodies=8, mimics=seed % 3)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, model.nv))
    for back in there_and_back(model):
        assert back.joint_names == model.joint_names
        M, tau = crba(model, q), rnea(model, q, qd, qdd)
        close = {"rtol": 1e-13, "atol": 1e-13 * np.abs(tau).max()}
        np.testing.assert_allclose(crba(back, q), M, **close)
        np.testing.assert_allclose(rnea(back, q, qd, qdd), tau, **close)
        placed = dict(zip(back.frame_names, frame_poses(back, q), strict=True))
        for name, pose in zip(model.frame_names, frame_poses(model, q), strict=True):
            np.testing.assert_allclose(placed[name], pose, atol=1e-13)


@pytest.mark.parametrize("name", shipped_robots())
def test_the_written_urdf_is_read_alike_by_an_outside_parser(name):
    model = load_model(name)
    judge = pin.buildModelFromXML(write_urdf(model), *[pin.JointModelFreeFlyer()] * model.floating_base)
    assert set(model.joint_names) <= set(judge.names)
    assert pin.computeTotalMass(judge) == pytest.approx(sum(body.mass for body in model.bodies), rel=1e-12)


def test_a_joint_without_limits_stays_without():
    text = write_yaml(load_model("planar_2r")).replace(
        "lower: -3.1, upper: 3.1, velocity: 6.0, effort: 120.0", "velocity: 6.0"
    )
    urdf = write_urdf(load_model(text))
    assert urdf.count('type="continuous"') == 1
    joint = load_model(urdf).joints[0]
    assert (joint.kind, joint.lower, joint.upper, joint.velocity) == ("revolute", -np.inf, np.inf, 6.0)
    assert joint.effort == np.inf


def test_an_outside_parser_reads_joints_without_any_limit():
    limited = load_model("tree_6")
    none = {"lower": -np.inf, "upper": np.inf, "velocity": np.inf, "effort": np.inf}
    free = [replace(body, joint=replace(body.joint, **none)) for body in limited.bodies[1:]]
    model = limited.replace(bodies=(limited.bodies[0], *free))
    judge = pin.buildModelFromXML(write_urdf(model))
    assert set(model.joint_names) <= set(judge.names)
    assert all(np.isinf(limit).all() for limit in load_model(write_urdf(model)).limits)


def test_a_link_off_its_joint_axis_becomes_a_frame_of_the_same_name():
    model = load_model("ur5_like")
    back = load_model(write_urdf(model))
    assert "link_1_at_joint" in back.link_names
    assert "link_1" in back.frame_names


TWO = """<robot name="two"><link name="base"/><link name="m"/><joint name="a_fix" type="fixed"><parent link="base"/>
<child link="m"/></joint>{0}</robot>"""
ARM = """<link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{0}"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"""


def test_joints_behind_fixed_ones_keep_their_place():
    model = load_model(TWO.format(ARM.format("z", "m") + ARM.format("b", "base")))
    assert model.joint_names == ("z", "b")
    assert [back.joint_names for back in there_and_back(model)] == [("z", "b")] * 2


@pytest.mark.parametrize("name", ["1e3", "17", ".5", "true", "null", "~", "tRUE", "nULL", ".Inf", "0x10", "Häuser"])
def test_names_that_look_like_something_else_survive(name):
    model = load_model(TWO.format(ARM.format(name, "m")))
    assert model.joint_names == (name,)
    assert [back.joint_names for back in there_and_back(model)] == [(name,)] * 2
