"""Writes docs/interfaces.md from the files of rdyn_interfaces: every service and message, field by field."""
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
PAGE = SOURCE / "docs" / "interfaces.md"
FIELD = re.compile(r"(?P<type>[\w/\[\]<=]+)\s+(?P<name>\w+)\s*(=\s*(?P<value>\"[^\"]*\"|\S+))?"
                   r"\s*(#\s*(?P<note>.*))?")
HEAD = """# Interfaces

Every service and message of `rdyn_interfaces`, field by field. Generated from its files by
`python -m tools.interface_reference`. Which node offers which is in the README; parameters are on
[their own page](parameters.md).
"""
ROW = "|---|---|---|"


def page():
    """Text of the page."""
    files = [*sorted((SOURCE / "rdyn_interfaces" / "srv").glob("*.srv")),
             *sorted((SOURCE / "rdyn_interfaces" / "msg").glob("*.msg"))]
    return "\n".join([HEAD, *(_interface(file) for file in files)])


def _interface(file):
    """Section of one file: its purpose, then a table for each part."""
    purpose, _, text = file.read_text().partition("\n\n")
    lines = [f"## {file.stem}", "", " ".join(line.lstrip("# ") for line in purpose.splitlines()), ""]
    parts = text.split("---\n")
    titles = ("Request", "Response") if file.suffix == ".srv" else ("Field",)
    for title, part in zip(titles, parts, strict=True):
        lines += [f"| {title} | Type | Meaning |", ROW, *_rows(part), ""]
    return "\n".join(lines)


def _rows(part):
    """Rows of a table; a comment line after a field goes on with its note, one before it stands before it."""
    rows, waiting = [], []
    for line in part.splitlines():
        found = FIELD.match(line)
        if found and not line.lstrip().startswith("#"):
            name = f"`{found['name']}`" + (f" = `{found['value']}`" if found["value"] else "")
            before = [] if found["value"] else waiting          # above constants stands only a title
            rows.append([name, f"`{found['type']}`", [*before, found["note"] or ""]])
            waiting = []
        elif line.startswith("#"):
            waiting.append(line.lstrip("# "))
        elif line.lstrip().startswith("#"):
            rows[-1][2].append(line.strip().lstrip("# "))
    return [f"| {name} | {kind} | {' '.join(note).strip().replace('|', '/')} |" for name, kind, note in rows]


if __name__ == "__main__":
    PAGE.write_text(page())
