"""Shipped parameter files hold parameters that exist, with values that are allowed."""
import pytest
import yaml

from rdyn_ros.bringup.known_names import declared
from rdyn_ros.bringup.params_file import SECTION, arguments, find
from rdyn_ros.model.source import shipped
from rdyn_ros.nodes.parameter import declarations
from rdyn_ros.nodes.parameter_files import NODES, text

BRINGUPS = shipped("bringup")


@pytest.mark.parametrize("node", NODES)
def test_the_file_of_a_node_is_current(source, node):
    assert (source / "config" / f"{node}.yaml").read_text() == text(node), \
        "write it anew: python -m rdyn_ros.nodes.parameter_files config"


@pytest.mark.parametrize("node", NODES)
def test_the_file_of_a_node_holds_its_defaults(source, node):
    given = yaml.safe_load((source / "config" / f"{node}.yaml").read_text())[f"/**/{node}"]["ros__parameters"]
    assert NODES[node](**given) == NODES[node]()


def test_the_names_of_a_bring_up_are_those_that_the_nodes_declare():
    assert declared() == {node: [name for name, *_ in declarations(NODES[node])] for node in NODES}


@pytest.mark.parametrize("name", BRINGUPS)
def test_a_ready_bring_up_holds_allowed_parameters(name):
    sections = yaml.safe_load(BRINGUPS[name].read_text())
    arguments(find(name))
    for section in set(sections) - {SECTION}:
        NODES[section.removeprefix("/**/")](**sections[section]["ros__parameters"])


def test_ready_bring_ups_exist_and_say_what_was_not_tried():
    assert set(BRINGUPS) == {"simulator", "ros2_control", "franka", "ur", "kinova"}
    assert all("UNTESTED ON HARDWARE" in BRINGUPS[name].read_text() for name in ("franka", "ur", "kinova"))
