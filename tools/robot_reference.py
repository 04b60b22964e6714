"""Writes docs/robot.md from rdyn_ros/robot.py: every attribute and method of Robot, by its docstring."""
import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
PAGE = SOURCE / "docs" / "robot.md"
ATTRIBUTE = re.compile(r"^    (?P<name>[a-z]\w*): (?P<type>[^#=]+?)\s+# (?P<meaning>.+)$", re.M)
TITLE = re.compile(r"^    # (.+)$")
HEAD = """# The robot in Python

Every attribute and method of `Robot`. Generated from `rdyn_ros/robot.py` by `python -m tools.robot_reference`.

```python
import rdyn_ros as rdyn

robot = rdyn.load("arm_7r")
print(robot.nv, robot.tips, robot.limits.effort)
```

What cannot be answered raises `rdyn.RdynError` with a sentence, a file that cannot be read `rdyn.RobotFileError`,
which is one of them. Fields and options of inverse kinematics are on [a page of their own](ik.md).
"""


def page():
    """Text of the page."""
    text = (SOURCE / "rdyn_ros" / "robot.py").read_text()
    module, lines = ast.parse(text), text.splitlines()
    named = {getattr(node, "name", ""): node for node in module.body}
    load, robot = named["load"], named["Robot"]
    about = ast.get_docstring(module).partition("\n\n")[2]
    attributes = [f"| `{found['name']}` | `{found['type']}` | {_cell(found['meaning'])} |"
                  for found in ATTRIBUTE.finditer(ast.get_source_segment(text, robot))]
    sections = {"Load": [_row("rdyn", load)]}
    for node in robot.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            sections.setdefault(_title(lines, node.lineno), []).append(_row("robot", node))
    head = ["| Attribute | Type | Meaning |", "|---|---|---|"]
    return "\n".join([HEAD, about, "", "## Attributes", "", *head, *attributes, "",
                      *(line for title, rows in sections.items() for line in _section(title, rows))])


def _section(title, rows):
    return [f"## {title}", "", "| Call | Gives |", "|---|---|", *rows, ""]


def _title(lines, number):
    """The comment alone on its line that stands above a line: title of its section."""
    return next(found[1].capitalize() for line in reversed(lines[:number]) if (found := TITLE.match(line)))


def _row(owner, node):
    arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args)).replace("changes.NO_TENSOR", "zeros")
    return f"| `{owner}.{node.name}({arguments})` | {_cell(ast.get_docstring(node))} |"


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page())
