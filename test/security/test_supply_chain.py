"""Every dependency is pinned, agrees with the others and has a licence that goes with ours."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_requirement_is_pinned(file):
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text().splitlines()]
    loose = [
        line for line in lines if line and not line.startswith("-") and not re.search(r"==[\w.]+$", line)
    ]
    assert not loose


def test_installed_packages_agree_with_each_other():
    told = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


def test_every_licence_is_known_and_goes_with_ours():
    told = subprocess.run([sys.executable, str(ROOT / "tools/licences.py")], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
    assert "numpy" in told.stdout and "ros-rclpy" in told.stdout
