"""What the README shows is what happens."""
import contextlib
import io
import re
import shlex

import pytest

from rdyn_ros.bringup import ARGUMENTS, SETS, describe
from rdyn_ros.bringup.params_file import find
from rdyn_ros.cli.main import main


@pytest.fixture(scope="module")
def readme(source):
    """Text of the README."""
    return (source / "README.md").read_text()


def blocks(text, language):
    """Code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_library_example_prints_what_stands_below_it(readme):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks(readme, "python")[0], {})
    assert printed.getvalue() == blocks(readme, "text")[0]


def test_every_command_exists(readme, source):
    lines = [line for block in blocks(readme, "sh") for line in block.splitlines() if line]
    makefile = (source / "Makefile").read_text()
    for words in (shlex.split(line, comments=True) for line in lines):
        match words:
            case ["make", target]:
                assert f"\n{target}:" in makefile
            case ["ros2", "launch", "rdyn_ros", file, *given]:
                assert (source / "launch" / file).is_file()
                describe(file.removesuffix(".launch.py"), **dict(word.split(":=") for word in given))
            case ["rdyn", *verb]:
                assert main([*verb, "--dry-run"] if "--dry-run" not in verb else verb) == 0
            case ["colcon", "build", "--base-paths", *paths]:
                assert [(source / path.removeprefix("src/rdyn_ros").strip("/") / "package.xml").is_file()
                        for path in paths] == [True, True]
            case ["source", "install/setup.bash"]:
                pass
            case _:
                pytest.fail(f"no test knows the command {words}")


def test_bring_ups_arguments_and_parameter_files_are_all_named(readme):
    assert all(f"`{name}`" in readme for name in (*SETS, *ARGUMENTS))
    for name in re.search(r"shipped one: (.*?) \|", readme)[1].split(", "):
        find(name.strip("`"))
