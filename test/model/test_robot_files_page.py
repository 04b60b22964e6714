"""The page about robot files tells the truth."""
import re

import pytest

from rdyn_ros.model import load_model
from rdyn_ros.model.robot_yaml import validator
from rdyn_ros.model.source import shipped_robots


@pytest.fixture
def page(source):
    return (source / "docs" / "robot_files.md").read_text()


def test_the_example_robot_of_the_page_loads(page):
    model = load_model(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    assert (model.joint_names, model.tips, model.n) == (("shoulder",), ("tool",), 2)


def test_the_table_of_required_keys_is_that_of_the_schema(page):
    schema = dict(validator().schema["$defs"])
    schema |= {key: value for key, value in schema["joint"]["properties"].items() if "properties" in value}
    schema |= {"parts": schema["part"], "frames": schema["frame"]}
    head, rows = "| Key | Required in it |", {}
    for line in page[page.index(head):].split("\n\n")[0].splitlines()[2:]:
        key, required, others = (re.findall("`([a-z_]+)`", cell) for cell in line.strip("|").split("|"))
        rows[key[0]] = required, others
    for key, (required, others) in rows.items():
        named = schema[key].get("required", [])
        assert required[:len(named)] == named, key
        assert {*required, *others} == {*schema[key]["properties"]}, key
    assert len(rows) == 12


def test_every_finding_of_the_package_is_on_the_page(page, source):
    code = re.compile(r"(?:error|warning)\(\s*\"([a-z-]+)\"")
    folders = (source / "rdyn_ros" / name for name in ("model", "audit"))
    texts = [path.read_text() for folder in folders for path in folder.glob("*.py")]
    codes = {name for text in texts for name in code.findall(text)}
    assert len(codes) > 20
    assert [name for name in sorted(codes) if f"`{name}`" not in page] == []


def test_every_shipped_robot_is_on_the_page(page):
    assert [name for name in shipped_robots() if f"`{name}`" not in page] == []
