"""Writes docs/parameters.md from the declarations in rdyn_ros/nodes/parameters.py."""
from pathlib import Path

from rdyn_ros.bringup.ros_yaml import parameter_text
from rdyn_ros.nodes.parameter import allowed, declarations
from rdyn_ros.nodes.parameter_files import NODES
from rdyn_ros.nodes.parameters import CommonParameters

PAGE = Path(__file__).resolve().parents[1] / "docs" / "parameters.md"
HEAD = """# Parameters

Every parameter of every node. Generated from `rdyn_ros/nodes/parameters.py` by
`python -m tools.parameter_reference`.

A *live* parameter may change at any time (`ros2 param set`); the others only while the node is unconfigured.
A value that is not allowed is refused with a sentence: at start with exit code 2, at run time in the answer
of the service.
"""


def page():
    """Text of the page."""
    common = declarations(CommonParameters)
    own = ((cls, declarations(cls)[len(common):]) for cls in NODES.values())
    return "\n".join([HEAD, *(_section(cls, declared) for cls, declared in ((CommonParameters, common), *own))])


def _section(cls, declared):
    rows = [_row(*declaration) for declaration in declared]
    head = ["| Name | Default | Allowed | Live | Meaning |", "|---|---|---|---|---|"]
    return "\n".join([f"## {cls.__doc__.splitlines()[0].rstrip('.')}", "", *head, *rows, ""])


def _row(name, kind, default, meta):
    value = parameter_text(list(default) if isinstance(default, tuple) else default)
    meaning, live = meta["description"].replace("<", "&lt;"), "yes" if meta["live"] else "no"
    return f"| `{name}` | `{value}` | {allowed(kind, meta)} | {live} | {meaning} |"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
