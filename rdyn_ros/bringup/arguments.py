"""Arguments of every bring-up, as texts: a launch file and a command line bring nothing else."""
import difflib
import re
from dataclasses import dataclass

from ..errors import RdynError

TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
NAME = re.compile(r"(~?/)?[A-Za-z_]\w*(/[A-Za-z_]\w*)*", re.ASCII)
NAMING = "a ROS name has words of letters, digits and _ between single /, none beginning with a digit"


@dataclass(frozen=True)
class Argument:
    """An argument with its meaning; empty text means: as the params file says, else the default."""

    name: str
    description: str
    default: str = ""
    kind: str = "text"  # or "flag", "name" (of a topic), "namespace"


ARGUMENTS = {argument.name: argument for argument in (
    Argument("robot", "name of a shipped robot or path of a .yaml, .urdf or .xacro file; "
             "none: the topic robot_description decides (simulation: arm_7r)"),
    Argument("namespace", "namespace of all nodes and their relative topics, such as left_arm", kind="namespace"),
    Argument("params_file", "parameter file, or the name of a shipped one, such as franka"),
    Argument("use_sim_time", "nodes take the time of /clock; in simulation the simulator publishes it",
             "false", kind="flag"),
    Argument("joint_states_topic", "topic of the joint states", "joint_states", kind="name"),
    Argument("command_topic", "topic of the effort commands; bring-up dynamics has none",
             "effort_controller/commands", kind="name"),
    Argument("viewer", "a web page that shows the robot (simulation: true when viser is installed)",
             "false", kind="flag"),
)}


def check(given):
    """Refuses unknown arguments and texts that cannot be meant; returns {name: text} of those not empty."""
    for name, text in given.items():
        if name not in ARGUMENTS:
            raise RdynError(unknown("argument", name, ARGUMENTS))
        if text and ARGUMENTS[name].kind == "flag":
            flag(name, text)
        if text and ARGUMENTS[name].kind == "namespace" and text.startswith("~"):
            raise RdynError(f"{name} is {text!r}; ~ stands for a node's own name, which has no place in a namespace")
        if text and ARGUMENTS[name].kind in ("name", "namespace") and not NAME.fullmatch(text):
            raise RdynError(f"{name} is {text!r}; {NAMING}")
    return {name: text for name, text in given.items() if text}


def unknown(what, name, allowed):
    """A sentence about a name that is none of those allowed."""
    near = difflib.get_close_matches(name, allowed, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown {what} '{name}': {hint}allowed are {', '.join(allowed)}"


def flag(name, text):
    """Truth of a text such as "true" or "False"."""
    if text.lower() not in TRUE + FALSE:
        raise RdynError(f"{name} is {text!r}; allowed are true and false")
    return text.lower() in TRUE
