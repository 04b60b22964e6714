"""Parameter files: shipped ones by name, and the arguments that a file may bring itself.

A file may hold a section `/**/bringup` with arguments, so that a robot's topics stand beside its parameters.
"""
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
    try:
        content = yaml.safe_load(path.read_text())
        found = (content or {}).get(SECTION, {}).get("ros__parameters", {})
        texts = {name: str(value) for name, value in found.items()}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError) as error:
        why = " ".join(str(error).split())
        raise RdynError(f"params_file {path}: not a ROS parameter file ({why})") from error
    if "params_file" in texts:
        raise RdynError(f"params_file {path}: a file cannot name another one; allowed are "
                        f"{', '.join(name for name in ARGUMENTS if name != 'params_file')}")
    return check(texts)
