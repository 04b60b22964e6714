"""What the README names exists; its commands are run by test/docs."""
import re

from rdyn_ros.bringup import ARGUMENTS, SETS
from rdyn_ros.bringup.params_file import find


def test_bring_ups_arguments_and_parameter_files_are_all_named(source):
    readme = (source / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in (*SETS, *ARGUMENTS))
    for name in re.search(r"shipped one: (.*?) \|", readme)[1].split(", "):
        find(name.strip("`"))
