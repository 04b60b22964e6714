"""Parameter files: shipped ones by name, what a file says to a node, and the arguments that it may bring itself.

A file may hold a section `/**/bringup` with arguments, so that a robot's topics stand beside its parameters.
"""
import re
from pathlib import Path

import yaml

from ..errors import RdynError
from ..model.source import shipped
from .arguments import ARGUMENTS, check
from .known_names import refuse_unknown, warn_of_misspelt
from .ros_yaml import Loader, parameter_text

LONGEST = 2**17 - 1000  # [bytes] of a value, which becomes a word of a command line
SECTION = "/**/bringup"


def find(name):
    """Path of a parameter file, or of the shipped one of that name."""
    path = Path(name).expanduser()
    if path.is_file():
        return path.resolve()
    files = shipped("bringup")
    if name in files:
        return files[name]
    raise RdynError(f"params_file {name}: no such file, and no shipped one of that name; "
                    f"shipped are {', '.join(files)}")


def arguments(path):
    """{argument: text} that the file brings; {} when it brings none."""
    sections = _sections(path)
    warn_of_misspelt(path, sections)
    texts = {name: str(value) for name, value in sections.get(SECTION, {}).items()}
    if "params_file" in texts:
        raise RdynError(f"params_file {path}: a file cannot name another one; allowed are "
                        f"{', '.join(name for name in ARGUMENTS if name != 'params_file')}")
    return check(texts)


def parameters(path, node):
    """{parameter: value} that the file gives to a node, such as /left/dynamics, as ROS reads it: later sections win."""
    found = {}
    for section, values in _sections(path).items():
        pattern = re.escape(section).replace(r"/\*\*", r"(/\w+)*").replace(r"\*", r"\w+")
        if not re.fullmatch(pattern, node):
            continue
        if not section.endswith("*"):  # a section of all nodes may hold what others declare
            refuse_unknown(path, node.rpartition("/")[2], values)
        found |= values
    return found


def _sections(path):
    """{section such as /**/dynamics: {parameter: value}} of a file, in the order in which they first appear."""
    found = {}
    try:
        loader = Loader(path.read_text(encoding="utf-8"))
        for section, values in _walk(loader, loader.get_single_node(), ""):
            found[section] = found.get(section, {}) | values
    except (OSError, yaml.YAMLError, AttributeError, TypeError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise RdynError(f"params_file {path}: not a ROS parameter file ({why})") from error
    return found


def _walk(loader, node, name):
    """(section, {parameter: value}) below a namespace."""
    for key, value in _pairs(node, name or "the file"):
        if key == "ros__parameters":
            yield name, dict(_flat(loader, value, ""))
        else:
            yield from _walk(loader, value, f"{name}/{key.strip('/')}")


def _flat(loader, node, prefix):
    """(parameter, value); ROS takes nested mappings for names with points."""
    for key, below in _pairs(node, prefix or "ros__parameters"):
        name = prefix + key
        if isinstance(below, yaml.MappingNode):
            yield from _flat(loader, below, f"{name}.")
            continue
        value = loader.construct_object(below, deep=True)
        if value is None:
            raise ValueError(f"{name} has no value")
        if len(parameter_text(value).encode()) > LONGEST:
            raise ValueError(f"{name} is longer than {LONGEST} bytes")
        yield name, value


def _pairs(node, what):
    """[(key, node of its value), ...] of a mapping; none where nothing stands."""
    if node is None or node.tag.endswith(":null"):
        return []
    if not isinstance(node, yaml.MappingNode) or any(not key.tag.endswith(":str") for key, _ in node.value):
        raise ValueError(f"{what} must hold names and their values")
    return [(key.value, value) for key, value in node.value]
