"""package.xml, setup.py and the requirement files tell the same story."""
import ast
import configparser
import re
import sys
import tomllib
from xml.etree import ElementTree

import pytest
from catkin_pkg.package import parse_package

import rdyn_ros

PIN = re.compile(r"([A-Za-z0-9_.-]+)(\[[a-z]+\])?==\d[\w.]*")
PYTHON = {"jsonschema", "numpy", "rich", "scipy", "yaml"}  # python3-<name> in package.xml
CARRIED = {"std_msgs", "builtin_interfaces", "rosgraph_msgs", "rcl_interfaces"}  # with other wheels


def keyword(source, name):
    """Literal value that setup.py gives to a keyword of setup()."""
    call = ast.parse((source / "setup.py").read_text()).body[-1].value
    return ast.literal_eval(next(given.value for given in call.keywords if given.arg == name))


def lines(path):
    """Requirements of a file, without comments and includes."""
    stripped = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in stripped if line and not line.startswith("-")]


def pinned(source):
    """Names pinned in requirements.txt, lower case."""
    return {PIN.match(line)[1].lower() for line in lines(source / "requirements.txt")}


@pytest.mark.parametrize("folder", [".", "rdyn_interfaces"])
def test_package_xml_is_valid(source, folder):
    package = parse_package(str(source / folder), warnings=(warnings := []))
    package.validate()
    assert warnings == []
    assert package.package_format == 3


def test_names_versions_and_licences_agree(source):
    ours, interfaces = parse_package(str(source)), parse_package(str(source / "rdyn_interfaces"))
    assert ours.description == keyword(source, "description")
    assert {ours.version, interfaces.version, keyword(source, "version")} == {rdyn_ros.__version__}
    assert {*ours.licenses, *interfaces.licenses} == {keyword(source, "license")} == {"Apache-2.0"}
    assert "Apache License" in (source / "LICENSE").read_text()
    assert f"\n{rdyn_ros.__version__} (" in (source / "CHANGELOG.rst").read_text()


def test_every_requirement_is_pinned_exactly_and_once(source):
    files = ("requirements.txt", "requirements-test.txt", "requirements-bench.txt")
    names = []
    for line in (line for file in files for line in lines(source / file)):
        assert PIN.fullmatch(line), f"{line!r} is not pinned with =="
        names.append(PIN.match(line)[1].lower())
    assert len(names) == len(set(names))


def test_pip_builds_with_what_the_extensions_are_compiled_against(source):
    build = tomllib.loads((source / "pyproject.toml").read_text())["build-system"]
    imported = {line.split()[1].split(".")[0] for line in map(str.strip, (source / "setup.py").read_text().splitlines())
                if line.startswith(("import ", "from "))}
    assert {*build["requires"]} == imported - sys.stdlib_module_names == {"numpy", "setuptools"}
    assert "python3-numpy" in {each.name for each in parse_package(str(source)).build_depends}


def test_what_setup_py_requires_is_pinned(source):
    extras = [name for names in keyword(source, "extras_require").values() for name in names]
    assert {*keyword(source, "install_requires"), *extras} <= pinned(source)


def test_what_package_xml_needs_is_pinned(source):
    root = ElementTree.parse(source / "package.xml").getroot()
    needs = {node.text for node in root if node.tag in ("depend", "exec_depend")}
    python = {name for name in needs if name.startswith("python3-")}
    assert {name.removeprefix("python3-") for name in python} == PYTHON
    ros = needs - python - CARRIED - {"rdyn_interfaces", "launch", "launch_ros"}  # launch has no wheel
    assert {"ros-" + name.replace("_", "-") for name in ros} <= pinned(source)


def test_ros2_run_finds_the_executables_in_lib(source):
    config = configparser.ConfigParser()
    config.read(source / "setup.cfg")
    assert config["develop"]["script_dir"] == config["install"]["install_scripts"] == "$base/lib/rdyn_ros"


def test_every_field_of_every_service_has_a_comment(source):
    bare = []
    for path in sorted((source / "rdyn_interfaces").glob("*/*.[sm][rs][vg]")):
        for paragraph in path.read_text().replace("---\n", "\n").split("\n\n"):
            fields = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
            explained = paragraph.lstrip("\n").startswith("#") and not paragraph.startswith("# Reasons")
            bare += [f"{path.name}: {line}" for line in fields if "#" not in line and not explained]
    assert bare == []
