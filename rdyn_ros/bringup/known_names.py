"""Names that a parameter file may hold: what is misspelt would be passed over by ROS without a word."""
import re
import warnings
from difflib import get_close_matches

from ..errors import RdynError
from ..model.source import shipped

LIKE = 0.83  # a section that is meant for us: dynamic, contrl, simulation are, controller is not
OF_ROS = re.compile(r"use_sim_time|start_type_description_service|qos_overrides\..+")
DECLARED = re.compile(r"^    (?:# (?=\w+: \[\]$))?(\w+): ", re.MULTILINE)  # an empty list stands there as a comment


def declared():
    """{node: names of its parameters}, as config/<node>.yaml lists them."""
    return {node: DECLARED.findall(path.read_text(encoding="utf-8")) for node, path in shipped("").items()}


def refuse_unknown(path, node, names):
    """Refuses a parameter in a node's own section that it does not declare."""
    allowed = declared()[node]
    for name in names:
        if name not in allowed and not OF_ROS.fullmatch(name):
            raise RdynError(f"params_file {path}: {node} has no parameter '{name}'; "
                            f"{hint(name, allowed, f'config/{node}.yaml lists them')}")


def hint(name, allowed, otherwise="docs/parameters.md lists them"):
    """The nearest of the names that are allowed, as a question."""
    near = get_close_matches(name, allowed, 1)
    return f"did you mean {near[0]}?" if near else otherwise


def warn_of_misspelt(path, sections):
    """Tells sections that are nearly named as one of ours; others are of nodes that share the file."""
    ours = [*declared(), "bringup"]
    for section in sections:
        name = section.rpartition("/")[2]
        if name not in ours and (near := get_close_matches(name, ours, 1, LIKE)):
            warnings.warn(f"params_file {path}: section {section} is of no node here; did you mean {near[0]}?",
                          stacklevel=2)
