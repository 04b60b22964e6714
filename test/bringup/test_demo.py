"""The demo moves a real simulated arm over DDS, and ends by itself with a summary."""
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec

import pytest

from rdyn_ros.cli.main import main

pytestmark = pytest.mark.processes


RDYN = [sys.executable, "-m", "rdyn_ros.cli.main"]


def demo(*words):
    return subprocess.run([*RDYN, "demo", *words], text=True, capture_output=True, timeout=110)


def demo_in_a_terminal(*words):
    """Exit code and all that a terminal got, without its escape sequences."""
    ours, its = pty.openpty()
    size = {"TERM": "xterm", "COLUMNS": "120", "LINES": "50"}
    with subprocess.Popen([*RDYN, "demo", *words], stdout=its, stderr=its, env={**os.environ, **size}) as process:
        os.close(its)
        got = b""
        try:
            with suppress(OSError), open(ours, "rb", buffering=0) as terminal:  # EIO: the last writer is gone
                while more := terminal.read(65536):
                    got += more
            process.wait(110)
        finally:
            process.kill()
    return process.returncode, re.sub(r"\r\n?", "\n", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", got.decode()))


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
    code, said = demo_in_a_terminal(*words)
    assert said.startswith("starting simulator, dynamics, control")
    assert code == 0, said
    assert not viewer or re.search(r"^the arm is shown on http://127.0.0.1:\d+$", said, re.MULTILINE)
    shown, _, summary = said.partition("summary")
    for stage in ("moving", "floating"):
        table = re.search(rf"arm_7r: {stage}\s*\n(.*?)└", shown, re.DOTALL)[1]
        assert all(head in table for head in ("joint", "error", "commanded", "gravity", "Coriolis", "friction"))
        rows = re.findall(r"^│ (joint_\d) +((?:│ +-?\d+\.\d+ ){6})│$", table, re.MULTILINE)
        assert [name for name, _ in rows] == [f"joint_{k}" for k in range(1, 8)]
    for node in ("control", "dynamics"):
        assert re.search(rf"^{node} +\d+ Hz  latency +\d+, p99 +\d+ µs", shown, re.MULTILINE)
    assert re.search(r"^  time      \d+\.\d\d s of the robot in 1 s of the clock", summary, re.MULTILINE)
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
