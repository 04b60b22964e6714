"""A wrong robot is refused with the place and the reason: no traceback, no hang, no silent default."""

import re

import pytest

from rdyn_ros.errors import RobotFileError
from rdyn_ros.model import load_model
from support.broken_robots import URDF, YAML, broken_files, broken_urdf, broken_yaml, large_texts

PLACE = re.compile(r"(robot text|broken\.\w+)(:[0-9]+)?: \S")


def test_the_texts_that_are_broken_here_are_good_before():
    assert load_model(URDF).joint_names == load_model(YAML).joint_names == ("j",)


def test_there_are_enough_broken_files():
    names = [*(name for name, _ in broken_urdf()), *(name for name, _ in broken_yaml())]
    assert len(names) >= 200


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, id=f"urdf {name}") for name, text in broken_urdf()]
    + [pytest.param(text, id=f"yaml {name}") for name, text in broken_yaml()],
)
def test_a_broken_text_is_refused_with_place_and_reason(text):
    with pytest.raises(RobotFileError) as refusal:
        load_model(text)
    assert PLACE.match(str(refusal.value)), refusal.value
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize("ending", ["urdf", "yaml"])
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in broken_files()])
def test_a_file_that_is_no_robot_is_refused(tmp_path, data, ending):
    path = tmp_path / f"broken.{ending}"
    path.write_bytes(data)
    with pytest.raises(RobotFileError) as refusal:
        load_model(path)
    assert PLACE.match(str(refusal.value)), refusal.value


def test_the_line_of_the_fault_is_named():
    with pytest.raises(
        RobotFileError, match=r"robot text:6: link 'b': <mass value=\"heavy\">: one finite number expected"
    ):
        load_model(URDF.replace('value="1.5"', 'value="heavy"'))
    with pytest.raises(
        RobotFileError, match=r"robot text:11: links\[0\].joint.type: 'hinge' given; allowed is rev"
    ):
        load_model(YAML.replace("revolute", "hinge"))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in large_texts()])
def test_a_large_text_is_refused_before_it_takes_all_time_and_memory(text):
    with pytest.raises(RobotFileError) as refusal:
        load_model(text)
    assert PLACE.match(str(refusal.value)), refusal.value
    assert len(str(refusal.value)) < 500


def test_links_that_are_too_many_are_counted_before_any_is_read():
    wrong = "".join(f'<link name="l{k}"><inertial><mass value="heavy"/></inertial></link>' for k in range(5001))
    with pytest.raises(RobotFileError, match="5001 links; at most 5000 are read") as refusal:
        load_model(f'<robot name="giant">{wrong}</robot>')
    assert "heavy" not in str(refusal.value)
