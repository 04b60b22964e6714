"""config/<node>.yaml: every parameter of a node with its default and meaning, written from the declarations.

`python -m rdyn_ros.nodes.parameter_files config` writes them anew.
"""
import sys
import textwrap
from pathlib import Path

from ..bringup.ros_yaml import parameter_text
from .parameter import allowed, declarations
from .parameters import ControlParameters, DynamicsParameters, SimulatorParameters, ViewerParameters

NODES = {"dynamics": DynamicsParameters, "control": ControlParameters, "simulator": SimulatorParameters,
         "viewer": ViewerParameters}


def text(node):
    """Content of the parameter file of a node."""
    lines = [f"# All parameters of node {node} and their defaults; live ones may change while it runs.",
             "# A parameter file cannot hold an empty array: such lines are commented out.",
             f"/**/{node}:", "  ros__parameters:"]
    for name, kind, default, meta in declarations(NODES[node]):
        values = allowed(kind, meta).replace("a", "A", 1)
        about = f"{meta['description']} {values}{'; live' if meta['live'] else ''}."
        lines += ["", *textwrap.wrap(about, 100, initial_indent="    # ", subsequent_indent="    # ")]
        value = list(default) if isinstance(default, tuple) else default
        lines.append(f"    {'# ' if value == [] else ''}{name}: {parameter_text(value)}")
    return "\n".join(lines) + "\n"


def main(folder):
    """Writes the files of all nodes."""
    for node in NODES:
        Path(folder, f"{node}.yaml").write_text(text(node))


if __name__ == "__main__":
    main(sys.argv[1])
