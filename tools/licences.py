"""Prints every package that the requirements files bring, with its version and licence.

Exit code 1 when one has no licence written down or one that does not go with Apache-2.0.
"""

import re
import sys
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
FORBIDDEN = re.compile(r"\b(AGPL|GPL|proprietary|commercial)\b|GNU General Public|GNU Affero", re.IGNORECASE)
STATED_ELSEWHERE = {  # packages whose metadata is silent or vague, from the licence files of their sources
    "casadi": "LGPL-3.0-or-later",
    "cmeel-qhull": "Qhull (BSD-like)",
    "ik-geo": "BSD-3-Clause",
    "docutils": "Public Domain and BSD-2-Clause",
    "pyglet": "BSD-3-Clause",
    "ros-fastcdr": "Apache-2.0",
    "ros-fastdds": "Apache-2.0",
    "xacro": "BSD-3-Clause",
}
WEAK = re.compile(
    r"LGPL|Lesser|classpath|linking exception", re.IGNORECASE
)  # fine to import, not to copy from


def requirements(files):
    """Lines of requirements files that name a package."""
    lines = [line.split("#")[0].strip() for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("-")]


def required(files):
    """{name: distribution, None when not installed} of what the requirements files name and all that it needs."""
    waiting = [part for line in requirements(files) for part in parts(line)]
    seen, found = set(), {}
    while waiting:
        name, extra = part = waiting.pop()
        if part not in seen:
            seen.add(part)
            found[name] = installed(name)
            needs = (found[name] and found[name].requires) or ()
            waiting += [wanted for need in needs for wanted in parts(need, extra)]
    return dict(sorted(found.items()))


def parts(line, extra=""):
    """(name, extra) of a requirement, "" for the package itself; none when its marker excludes this machine."""
    need = Requirement(line)
    if need.marker and not need.marker.evaluate({"extra": extra}):
        return []
    return [(canonicalize_name(need.name), wanted) for wanted in ("", *need.extras)]


def installed(name):
    """The distribution of that name, None when there is none."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def licence(distribution):
    """The licence a package declares, in one line."""
    name = canonicalize_name(distribution.metadata["Name"])
    if name in STATED_ELSEWHERE:
        return STATED_ELSEWHERE[name]
    manifest = Path(sys.prefix, "share", name.removeprefix("ros-").replace("-", "_"), "package.xml")
    if name.startswith("ros-") and manifest.exists():
        return ", ".join(element.text for element in ElementTree.parse(manifest).iter("license"))
    data = distribution.metadata
    classifiers = [
        line.rsplit("::", 1)[-1].strip() for line in data.get_all("Classifier", ()) if "License ::" in line
    ]
    declared = data.get("License-Expression") or ", ".join(classifiers) or data.get("License") or ""
    return declared.strip().splitlines()[0][:80] if declared.strip() else ""


def main(files=None):
    """Print the table; 1 when a licence is missing or does not go with ours."""
    bad = 0
    for name, distribution in required(files or sorted(ROOT.glob("requirements*.txt"))).items():
        if distribution is None:
            print(f"{name:45} {'not installed':16} not looked at")
            continue
        told = licence(distribution)
        wrong = not told or (FORBIDDEN.search(told) and not WEAK.search(told))
        bad += bool(wrong)
        mark = "   <- look at this one" if wrong else ""
        print(f"{name:45} {distribution.version:16} {told or 'none declared'}{mark}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
