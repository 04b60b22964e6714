"""Text, path, name, xacro: each is told apart safely, and arguments and options do what they say."""

import os
from pathlib import Path

import numpy as np
import pytest

from rdyn_ros.errors import RdynError, RobotFileError, RobotWarning
from rdyn_ros.model import load_model, source, write_urdf
from support.broken_robots import URDF, YAML

XACRO = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default=""/>
  <xacro:arg name="mass" default="1.0"/>
  <link name="$(arg prefix)base"/>
  <link name="$(arg prefix)tip"><inertial><mass value="${2 * $(arg mass)}"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="$(arg prefix)joint" type="continuous">
    <parent link="$(arg prefix)base"/><child link="$(arg prefix)tip"/><axis xyz="0 3 4"/>
  </joint>
</robot>
"""


@pytest.fixture
def xacro(tmp_path):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    return path


@pytest.mark.parametrize("text, ending", [(URDF, "urdf"), (YAML, "yaml")])
def test_text_and_path_give_the_same_robot(tmp_path, text, ending):
    path = tmp_path / f"robot.{ending}"
    path.write_text(text)
    assert load_model(text).key == load_model(path).key == load_model(str(path)).key
    assert load_model(path).where == f"robot.{ending}"


def test_a_byte_order_mark_and_windows_lines_do_not_matter(tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + YAML.replace("\n", "\r\n").encode())
    assert load_model(path).key == load_model(YAML).key


def test_xacro_arguments_reach_the_robot(xacro):
    model = load_model(xacro, arguments={"prefix": "left_", "mass": 2.5})
    assert model.joint_names == ("left_joint",)
    assert model.bodies[1].mass == 5.0
    np.testing.assert_allclose(model.bodies[1].joint.axis, [0, 0.6, 0.8])


def test_what_xacro_cannot_expand_is_refused_with_its_reason(xacro):
    xacro.write_text(XACRO.replace("2 * $(arg mass)", "undefined_name"))
    with pytest.raises(RobotFileError, match=r"arm.urdf.xacro: xacro cannot expand it: .*undefined_name"):
        load_model(xacro)


def test_xacro_is_never_expanded_from_a_text():
    with pytest.raises(RobotFileError, match="xacro is only read from a path"):
        load_model(XACRO)


def test_arguments_without_xacro_are_refused():
    with pytest.raises(RobotFileError, match=r"arguments \(prefix\) are for xacro files"):
        load_model(YAML, arguments={"prefix": "a"})


@pytest.mark.parametrize(
    "given", [None, 3, b"<robot/>", ["planar_2r"], "", "no_such_robot", "a\0b", "x" * 300, "."]
)
def test_what_is_no_robot_source_is_refused(given):
    with pytest.raises(RdynError):
        load_model(given)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(RobotFileError, match=r"shipped are .*planar_2r"):
        load_model("planar_3r")


def test_shipped_robots_are_found_beside_an_installed_package(tmp_path, monkeypatch):
    robots = tmp_path / "share" / "rdyn_ros" / "config" / "robots"
    robots.mkdir(parents=True)
    (robots / "mine.yaml").write_text(YAML)
    monkeypatch.setattr(source, "__file__", str(tmp_path / "lib" / "rdyn_ros" / "model" / "source.py"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join(["/nowhere", str(tmp_path)]))
    assert load_model("mine").name == "good"


def test_a_device_or_a_folder_is_no_robot():
    for path in ("/dev/null", "/"):
        with pytest.raises(RobotFileError):
            load_model(Path(path))


def test_a_moving_link_without_mass_is_never_silently_zero():
    text = URDF.replace('<mass value="1.5"/>', '<mass value="0"/>')
    text = text.replace(
        'ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"',
        'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"',
    )
    with pytest.raises(RobotFileError, match="robot text:3: link 'b': moves but has no mass"):
        load_model(text)
    with pytest.warns(RobotWarning, match="without mass.*link 'b'"):
        assert load_model(text, allow_massless=True).bodies[1].mass == 0


def test_a_fixed_link_is_merged_into_its_parent_and_kept_as_a_frame():
    fixed = """<link name="f"><inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial></link>
      <joint name="fix" type="fixed"><parent link="b"/><child link="f"/><origin xyz="0 1 0"/></joint>
    </robot>"""
    model, alone = load_model(URDF.replace("</robot>", fixed)), load_model(URDF)
    assert model.link_names == alone.link_names
    assert model.frame("f").body == 1
    np.testing.assert_array_equal(model.frame("f").p, [0, 1, 0])
    body = model.bodies[1]
    assert body.mass == 3.5
    np.testing.assert_allclose(body.com, (1.5 * np.array([0, 0, 0.1]) + 2 * np.array([0.1, 1, 0])) / 3.5)
    about_origin = model.I[1].J - alone.I[1].J
    np.testing.assert_allclose(
        about_origin,
        np.diag([0.2 + 2, 0.1 + 0.02, 0.3 + 2.02]) - [[0, 0.2, 0], [0.2, 0, 0], [0, 0, 0]],
        atol=1e-15,
    )


def test_a_floating_base_is_asked_for_by_the_caller_or_by_the_file():
    for model in (
        load_model(
            YAML.replace(
                "base: {name: base}", "base: {name: base, parts: [{shape: sphere, mass: 3, radius: 0.1}]}"
            ),
            floating_base=True,
        ),
        load_model("quadruped"),
    ):
        assert model.floating_base
        assert model.bodies[0].name == "world"
        assert model.nq == model.nv + 1
    with pytest.raises(RobotFileError, match="link 'base': moves but has no mass"):
        load_model(YAML, floating_base=True)


def test_the_caller_may_hold_a_base_that_the_file_lets_float():
    for robot in ("quadruped", write_urdf(load_model("quadruped"))):
        held = load_model(robot, floating_base=False)
        assert not held.floating_base
        assert held.nq == held.nv == load_model(robot).nv - 6


def test_an_orientation_may_be_a_quaternion_as_in_urdf_1_2():
    by_angles = load_model(URDF.replace('rpy="0.1 0 0"', 'rpy="0 0 1.5707963267948966"'))
    quaternion = "0 0 0.7071067811865476 0.7071067811865476"
    by_quaternion = load_model(URDF.replace('rpy="0.1 0 0"', f'quat_xyzw="{quaternion}"'))
    np.testing.assert_allclose(by_quaternion.bodies[1].R, by_angles.bodies[1].R, atol=1e-15)
    with pytest.raises(RobotFileError, match="a unit quaternion is expected"):
        load_model(URDF.replace('rpy="0.1 0 0"', 'quat_xyzw="0 0 0 2"'))


def test_an_element_given_twice_is_not_silently_dropped():
    with pytest.raises(RobotFileError, match="<axis> is given twice"):
        load_model(URDF.replace("<axis", '<axis xyz="1 0 0"/><axis'))


def test_a_mimic_joint_has_no_coordinate_of_its_own():
    model = load_model(URDF)
    assert (model.n, model.nv, model.joint_names) == (2, 1, ("j",))
    assert (model.ratio[2], model.offset[2]) == (2.0, 0.5)


def test_without_tips_in_the_file_every_chain_has_one_and_the_longest_comes_first():
    fixed = "".join(
        f"""<link name="{child}"/><joint name="to_{child}" type="fixed"><parent link="{parent}"/>
      <child link="{child}"/></joint>"""
        for child, parent in (("camera", "b"), ("tool", "c"), ("tool_2", "c"))
    )
    branch = """<link name="d"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="a_first" type="continuous"><parent link="a"/><child link="d"/></joint>"""
    assert load_model(URDF.replace("</robot>", fixed + branch + "</robot>")).tips == ("tool", "d")
