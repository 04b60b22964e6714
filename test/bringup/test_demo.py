"""The demo moves a real simulated arm over DDS, and ends by itself with a summary."""
import re
import shlex
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from rdyn_ros.cli.main import main

pytestmark = pytest.mark.processes


RDYN = [sys.executable, "-m", "rdyn_ros.cli.main"]


def demo(*words):
    return subprocess.run([*RDYN, "demo", *words], text=True, capture_output=True, timeout=110)


def words_of(source, *make):
    """Words behind `rdyn` of the last command that make would run."""
    said = subprocess.run(["make", "-n", "--no-print-directory", *make], cwd=source, text=True, capture_output=True,
                          check=True).stdout
    program, *words = shlex.split(said.splitlines()[-1])
    assert program.endswith("/bin/rdyn")
    return words


def test_the_first_command_of_the_readme_moves_the_arm_then_it_floats_and_ends_with_a_summary(source):
    viewer = find_spec("viser") is not None
    first = re.search(r"```sh\nmake (\w+) .*SECONDS=10 ends it", (source / "README.md").read_text())[1]
    verb, *words = words_of(source, first, "SECONDS=3")
    assert verb == "demo"
    answer = demo(*words)
    assert answer.stdout.startswith("starting simulator, dynamics, control")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "moving" in answer.stdout and "floating" in answer.stdout
    assert not viewer or re.search(r"^the arm is shown on http://127.0.0.1:\d+$", answer.stdout, re.MULTILINE)
    summary = answer.stdout.partition("summary")[2]
    assert {"control", "dynamics", "simulator"} <= set(re.findall(r"^  (\w+)", summary, re.MULTILINE))
    peak = float(re.search(r"largest commanded ([\d.]+)", summary)[1])
    assert peak > 1.0  # [N m] it was held against gravity
    assert float(re.search(r"largest ([\d.]+) mrad", summary)[1]) < 50.0
    assert float(re.search(r"drift ([\d.]+) mrad", summary)[1]) < 50.0


def test_ctrl_c_ends_the_demo_with_a_summary():
    with subprocess.Popen([*RDYN, "demo", "--no-viewer"], text=True, stdout=subprocess.PIPE) as process:
        try:
            assert any(" moving " in line for line in process.stdout)
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=110)[0]
        finally:
            process.kill()
    assert process.returncode == 0
    assert "arm_7r: summary\n  moving    tracking error" in rest


def test_an_unknown_robot_is_told_in_one_line():
    answer = demo("--robot", "arm_8r", "--seconds", "1")
    assert answer.returncode == 2
    assert len(answer.stderr.strip().splitlines()) == 1 and "arm_7r" in answer.stderr


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf"])
def test_a_time_that_cannot_be_is_told_in_one_line(capsys, seconds):
    assert main(("demo", f"--seconds={seconds}")) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"rdyn: --seconds is .*; give a time to end after, or 0 to end on Ctrl-C\n", said)
