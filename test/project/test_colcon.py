"""A ROS 2 user builds both packages with one colcon command and finds everything in its place."""
import json
import re
import shutil
import subprocess
import sys

import pytest

from support.clean_environment import clean_environment

pytestmark = pytest.mark.timeout(600)
KEPT = ("ControllerState.msg", "SetMode.srv")  # interfaces that are built here; make has built them all

LOOK = """
import json, rdyn_ros, rdyn_interfaces.srv
from ament_index_python.packages import get_package_prefix
robot = rdyn_ros.load("planar_2r")
print(json.dumps({"rdyn_ros": rdyn_ros.__file__, "rdyn_interfaces": rdyn_interfaces.__file__,
                  "prefix": get_package_prefix("rdyn_ros"), "joints": robot.nv,
                  "answer": rdyn_interfaces.srv.SetMode.Response.OK}))
"""


@pytest.fixture(scope="module")
def workspace(source, tmp_path_factory):
    """A workspace with a copy of the sources, built by colcon."""
    workspace = tmp_path_factory.mktemp("workspace")
    package = workspace / "src" / "rdyn_ros"
    package.mkdir(parents=True)
    for name in ("package.xml", "setup.py", "setup.cfg"):
        shutil.copy(source / name, package)
    for name in ("rdyn_ros", "rdyn_interfaces", "launch", "config", "resource", "cmake"):
        shutil.copytree(source / name, package / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    recipe = package / "rdyn_interfaces" / "CMakeLists.txt"
    recipe.write_text(re.sub(r"\s+(msg|srv)/(\w+\.\w+)", lambda m: m[0] if m[2] in KEPT else "", recipe.read_text()))
    subprocess.run(
        ["colcon", "--log-base", "log", "build", "--event-handlers", "console_direct+",
         "--base-paths", "src/rdyn_ros", "src/rdyn_ros/rdyn_interfaces",
         "--cmake-args", "-DBUILD_TESTING=OFF", "-DCMAKE_CXX_FLAGS=-O0",
         f"-DPython3_EXECUTABLE={sys.executable}",
         f"-DCMAKE_PROJECT_INCLUDE={package / 'cmake' / 'ros_wheels_fix.cmake'}"],
        cwd=workspace, check=True, env=clean_environment(CMAKE_PREFIX_PATH=sys.prefix, CFLAGS="-O0"))
    return workspace


def in_workspace(workspace, *command):
    """Runs a command in a shell that has sourced the workspace."""
    script = '. "$1/install/local_setup.bash" && shift && exec "$@"'
    return subprocess.run(["bash", "-c", script, "bash", workspace, *command], cwd=workspace, text=True,
                          capture_output=True, env=clean_environment())


def test_colcon_finds_and_builds_both_packages(workspace):
    looked = in_workspace(workspace, sys.executable, "-c", LOOK)
    assert looked.returncode == 0, looked.stderr
    found = json.loads(looked.stdout)
    install = workspace / "install"
    assert found["rdyn_ros"].startswith(f"{install}/rdyn_ros/")
    assert found["rdyn_interfaces"].startswith(f"{install}/rdyn_interfaces/")
    assert found["prefix"] == f"{install}/rdyn_ros"
    assert found["joints"] == 2
    assert found["answer"] == "ok"


def test_ros2_run_and_launch_find_what_they_look_for(workspace, source):
    prefix = workspace / "install" / "rdyn_ros"
    executables = {path.name for path in (prefix / "lib" / "rdyn_ros").iterdir()}
    assert executables >= {"dynamics_node", "control_node", "simulator_node", "viewer_node", "rdyn"}
    shared = prefix / "share" / "rdyn_ros"
    for name in ("launch", "config"):
        given = {path.relative_to(source) for path in (source / name).rglob("*")
                 if path.is_file() and path.suffix != ".pyc"}
        assert {path for path in given if not (shared / path).exists()} == set()


def test_an_installed_command_runs(workspace):
    command = workspace / "install" / "rdyn_ros" / "lib" / "rdyn_ros" / "rdyn"
    answer = in_workspace(workspace, command, "info", "planar_2r")
    assert answer.returncode == 0, answer.stderr
    assert "shoulder" in answer.stdout
