"""`rdyn.load` and the attributes that every robot has."""

import jsonschema
import numpy as np
import pytest

import rdyn_ros as rdyn
from rdyn_ros.model.robot_yaml import validator
from support.broken_robots import URDF


def test_a_loaded_robot_tells_its_names_sizes_and_limits():
    robot = rdyn.load("arm_7r")
    assert robot.name == "arm_7r"
    assert tuple(robot.joint_names) == tuple(f"joint_{i}" for i in range(1, 8))
    assert tuple(robot.link_names) == tuple(f"link_{i}" for i in range(1, 8))
    assert "flange" in robot.frame_names
    assert (robot.nq, robot.nv) == (7, 7)
    np.testing.assert_array_equal(robot.gravity, [0, 0, -9.81])
    assert robot.limits.effort.tolist() == [176, 176, 110, 110, 110, 40, 40]
    assert all(getattr(robot.limits, key).shape == (7,) for key in ("lower", "upper", "velocity", "effort"))


def test_what_is_unlimited_is_infinite():
    limits = rdyn.load("double_pendulum").limits
    assert (limits.lower[0], limits.upper[0]) == (-np.inf, np.inf)


def test_a_wrong_robot_is_an_rdyn_error():
    with pytest.raises(rdyn.RdynError):
        rdyn.load("<robot")


def test_the_shipped_schema_is_a_valid_schema():
    jsonschema.Draft202012Validator.check_schema(validator().schema)


def test_every_part_of_the_schema_says_what_is_allowed():
    def parts(node):
        if isinstance(node, dict):
            if isinstance(node.get("type"), (str, list)) or "enum" in node:
                yield node
            for value in node.values():
                yield from parts(value)

    assert all("description" in part for part in parts(validator().schema["$defs"]))


def test_blank_lines_marks_and_encodings_of_a_file_are_no_obstacle(tmp_path):
    text, load = URDF, rdyn.load
    assert load("\n\n<?xml version='1.0'?>" + text.split("?>")[-1]).joint_names == load(text).joint_names
    assert load("\ufeff" + text).joint_names == load(text).joint_names
    latin, named = tmp_path / "latin.urdf", "<?xml version='1.0' encoding='ISO-8859-1'?>" + text.split("?>")[-1]
    latin.write_bytes(named.replace("<robot name=\"", "<robot name=\"Häuser ").encode("latin-1"))
    assert load(latin).name.startswith("Häuser")
    with pytest.raises(rdyn.RdynError, match="robot text:4: joint"):
        load("\n\n" + "<robot name='r'>\n<link name='a'/><joint/></robot>")
    strange = tmp_path / "strange.urdf"
    strange.write_bytes(b"<?xml version='1.0' encoding='klingon'?><robot name='\xe4'/>")
    with pytest.raises(rdyn.RdynError, match="neither UTF-8 text nor klingon, as it says; save it as UTF-8"):
        load(strange)
