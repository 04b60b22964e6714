"""Every dependency is pinned, agrees with the others and has a licence that goes with ours."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tools.licences import required, requirements

ROOT = Path(__file__).parents[2]
INSTALLED = [ROOT / "requirements.txt", ROOT / "requirements-test.txt"]


@pytest.mark.parametrize("file", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_requirement_is_pinned(file):
    assert not [line for line in requirements([ROOT / file]) if not re.search(r"==[\w.]+$", line)]


def test_all_that_comes_along_is_installed_in_the_pinned_version_and_pinned_once():
    files = [*sorted(ROOT.glob("requirements*.txt")), ROOT / "constraints.txt"]
    pins = [re.match(r"([\w.-]+)(?:\[.*\])?==([\w.]+)$", line).groups() for line in requirements(files)]
    names = [canonicalize_name(name) for name, _ in pins]
    assert len(names) == len(set(names))
    versions = dict(zip(names, (version for _, version in pins), strict=True))
    wrong = {name: found and found.version for name, found in required(INSTALLED).items()
             if found is None or found.version != versions.get(name)}
    assert not wrong, f"{wrong}; after a change of versions: python -m tools.constraints"


def test_extras_that_are_asked_for_and_what_is_not_installed_are_in_the_list(tmp_path):
    (asked := tmp_path / "asked.txt").write_text("ros-rclpy[fastrtps]==9.1.2\nrdyn-nobody-has-it==1.0\n")
    (plain := tmp_path / "plain.txt").write_text("-r other.txt\nros-rclpy==9.1.2  # without\n")
    found = required([asked])
    assert found["ros-fastdds"] and found["rdyn-nobody-has-it"] is None
    assert "ros-rclpy" in (found := required([plain])) and "ros-rmw-fastrtps-cpp" not in found


def test_installed_packages_agree_with_each_other():
    told = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


def test_every_licence_is_known_and_goes_with_ours():
    told = subprocess.run([sys.executable, str(ROOT / "tools/licences.py")], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
    assert all(name in told.stdout for name in ("numpy", "ros-rclpy", "ros-fastdds"))
