"""What the README names exists; its commands are run by test/docs."""
import re
from xml.etree import ElementTree

import pytest

from rdyn_ros.bringup import ARGUMENTS, SETS
from rdyn_ros.bringup.params_file import find

NODES = ("dynamics", "control", "simulator", "viewer")
COLUMNS = (".//topics[@subscribe]/topic", ".//topics[@publish]/topic", ".//services[@reply]/service")


def test_bring_ups_arguments_and_parameter_files_are_all_named(source):
    readme = (source / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in (*SETS, *ARGUMENTS))
    for name in re.search(r"shipped one: (.*?) \|", readme)[1].split(", "):
        find(name.strip("`"))


def private_names(text):
    return set(re.findall(r"`(~/\w+)`", text))


def used(source, node):
    """Private names per column of a node's policy, which a test compares with the running node."""
    policy = ElementTree.parse(source / "config" / "sros2" / f"{node}.policy.xml")
    return [{entry.text for entry in policy.iterfind(column) if entry.text.startswith("~/")} for column in COLUMNS]


@pytest.fixture
def own(source):
    """{node: private names per column} without those of every node: parameters and lifecycle."""
    names = {node: used(source, node) for node in NODES}
    return {node: [column - set.intersection(*(every[k] for every in names.values()))
                   for k, column in enumerate(columns)] for node, columns in names.items()}


@pytest.mark.parametrize("node", NODES)
def test_the_table_names_the_topics_and_services_of_the_node(source, own, node):
    row = re.search(rf"^\| `{node}` \|(.*)\|(.*)\|(.*)\|$", (source / "README.md").read_text().partition(
        "## Topics and services")[2], re.MULTILINE)
    assert [private_names(cell) for cell in row.groups()] == own[node]


@pytest.mark.parametrize("node", NODES)
def test_the_tables_of_its_page_name_the_topics_and_services_of_the_node(source, own, node):
    page = source / "docs" / ("viewer.md" if node == "viewer" else f"{node}_node.md")
    first_cells = " ".join(re.findall(r"^\| ([^|]*) \|", page.read_text(), re.MULTILINE))
    assert private_names(first_cells) == set.union(*own[node])
