"""The installed commands: Ctrl-C ends them without a traceback, however early it comes."""
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rdyn_ros.cli import executables

COMMANDS = ("rdyn", "dynamics_node", "control_node", "simulator_node", "viewer_node")
INTERRUPTED = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "rdyn_ros.errors":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from rdyn_ros.cli.executables import {0}
{0}()
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_while_a_command_is_imported_ends_it_without_a_traceback(command):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(command)], capture_output=True, text=True,
                          restore_signals=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize(("missing", "advice"), [
    (("rclpy", "sensor_msgs"), "nodes need ROS 2: source its"), (("llvmlite",), "install what the package requires")])
@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_node_without_what_it_needs_says_so_in_one_line(command, missing, advice):
    code = f"import sys\nsys.modules.update(dict.fromkeys({missing}))\n" \
           f"from rdyn_ros.cli.executables import {command}\n{command}()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"rdyn_ros\.nodes\.\w+: no Python module [\w.]+; (.*)\n", done.stderr)[1].startswith(advice)


def test_all_of_them_are_installed_from_there():
    setup = (Path(__file__).resolve().parents[2] / "setup.py").read_text()
    assert re.findall(r'NODES = \((.*)\)', setup) == [", ".join(f'"{name}"' for name in COMMANDS[1:])]
    assert "{NAME}.cli.executables:{command}" in setup
    assert all(callable(getattr(executables, command)) for command in COMMANDS)
