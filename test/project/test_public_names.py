"""What the package promises by name exists."""
import importlib
import pkgutil
import subprocess
import sys

import pytest

import rdyn_ros

CORE = [info.name for info in pkgutil.iter_modules(rdyn_ros.__path__, "rdyn_ros.")]


@pytest.mark.parametrize("package", ["rdyn_ros", *CORE])
def test_every_name_in_all_exists(package):
    module = importlib.import_module(package)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []


def test_the_short_list_is_the_table_of_homes():
    assert sorted(rdyn_ros.__all__) == sorted(rdyn_ros._HOME)
    assert set(rdyn_ros.__all__) <= set(dir(rdyn_ros))


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(AttributeError, match="load"):
        rdyn_ros.lod


def test_importing_the_package_loads_neither_ros_nor_the_compiler():
    heavy = "sorted({'rclpy', 'casadi', 'llvmlite', 'viser', 'launch', 'matplotlib'} & set(sys.modules))"
    code = f"import sys, rdyn_ros; print({heavy})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
