"""Parameter files: shipped ones by name, what a file says to a node, and the arguments that it may bring itself.

A file may hold a section `/**/bringup` with arguments, so that a robot's topics stand beside its parameters.
"""
import re
from pathlib import Path

import yaml

from ..errors import RdynError
from ..model.source import shipped
from .arguments import ARGUMENTS, check

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
    texts = {name: str(value) for name, value in dict(_sections(path)).get(SECTION, {}).items()}
    if "params_file" in texts:
        raise RdynError(f"params_file {path}: a file cannot name another one; allowed are "
                        f"{', '.join(name for name in ARGUMENTS if name != 'params_file')}")
    return check(texts)


def parameters(path, node):
    """{parameter: value} that the file gives to a node, such as /left/dynamics; ROS does the same with it later."""
    found = {}
    for section, values in _sections(path):
        pattern = re.escape(section).replace(r"/\*\*", r"(/\w+)*").replace(r"\*", r"\w+")
        found |= values if re.fullmatch(pattern, node) else {}
    return found


def _sections(path):
    """[(section such as /**/dynamics, {parameter: value}), ...] of a file."""
    def walk(content, name):
        for key, value in content.items():
            if key == "ros__parameters":
                yield name, dict(value or {})
            else:
                yield from walk(value, f"{name}/{key.strip('/')}")
    try:
        return list(walk(yaml.safe_load(path.read_text()) or {}, ""))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise RdynError(f"params_file {path}: not a ROS parameter file ({why})") from error
