"""Prints every package that the requirements files bring, with its version and licence.

Exit code 1 when one has no licence written down or one that does not go with Apache-2.0.
"""

import re
import sys
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
NAME = re.compile(r"^([A-Za-z0-9._-]+)")
FORBIDDEN = re.compile(r"\b(AGPL|GPL|proprietary|commercial)\b|GNU General Public|GNU Affero", re.IGNORECASE)
STATED_ELSEWHERE = {  # packages whose metadata is silent or vague, from the licence files of their sources
    "casadi": "LGPL-3.0-or-later",
    "cmeel-qhull": "Qhull (BSD-like)",
    "ik-geo": "BSD-3-Clause",
    "docutils": "Public Domain and BSD-2-Clause",
    "pyglet": "BSD-3-Clause",
    "ros-fastcdr": "Apache-2.0",
    "xacro": "BSD-3-Clause",
}
WEAK = re.compile(
    r"LGPL|Lesser|classpath|linking exception", re.IGNORECASE
)  # fine to import, not to copy from


def normal(name):
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(files):
    """Names in the requirements files, then what those need, as far as installed."""
    waiting = [
        NAME.match(line).group(1)
        for file in files
        for line in file.read_text().splitlines()
        if NAME.match(line)
    ]
    seen = {}
    while waiting:
        name = normal(waiting.pop())
        if name in seen:
            continue
        try:
            seen[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        for need in seen[name].requires or ():
            if "extra ==" not in need:
                waiting.append(NAME.match(need).group(1))
    return dict(sorted(seen.items()))


def licence(distribution):
    """The licence a package declares, in one line."""
    name = normal(distribution.metadata["Name"])
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
        told = licence(distribution)
        wrong = not told or (FORBIDDEN.search(told) and not WEAK.search(told))
        bad += bool(wrong)
        mark = "   <- look at this one" if wrong else ""
        print(f"{name:45} {distribution.version:16} {told or 'none declared'}{mark}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
