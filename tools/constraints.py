"""Writes constraints.txt: the installed versions of all that comes along with what the requirements files name."""

from .licences import ROOT, parts, required, requirements

HEAD = "# Versions of what comes along with requirements*.txt. Written by python -m tools.constraints.\n"


def constraints(files):
    """Text of constraints.txt for requirements files that are installed."""
    named = {name for line in requirements(files) for name, _ in parts(line)}
    along = {name: found for name, found in required(files).items() if found and name not in named}
    return HEAD + "".join(f"{name}=={found.version}\n" for name, found in along.items())


if __name__ == "__main__":
    (ROOT / "constraints.txt").write_text(constraints(sorted(ROOT.glob("requirements*.txt"))))
