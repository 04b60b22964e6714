"""The exported C compiles without a warning and passes its own test."""
import os
import subprocess

import pytest

from rdyn_ros import load
from rdyn_ros.cli.main import main
from rdyn_ros.kernels.export_c import export_c, identifier
from support.trees import random_tree

STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
COMPILER = os.environ.get("CC", "cc")


def build_and_run(folder, name):
    sources = [folder / f"{name}.c", folder / f"{name}_selftest.c"]
    subprocess.run([COMPILER, *STRICT, "-o", folder / "selftest", *sources, "-lm"], check=True)
    return subprocess.run([folder / "selftest"], capture_output=True, text=True)


@pytest.mark.parametrize("precision", [[], ["--float"]])
def test_the_command_writes_code_that_passes_its_self_test(tmp_path, capsys, precision):
    functions = "rnea,crba,fk,jacobian,gravity,aba,friction,rnea_derivatives"
    assert main(["export-c", "planar_2r", "--functions", functions, "-o", str(tmp_path), *precision]) == 0
    assert len(capsys.readouterr().out.split()) == 4
    result = build_and_run(tmp_path, "planar_2r")
    assert (result.returncode, result.stdout) == (0, "all right\n")


def test_trees_with_mimic_joints_and_floating_bases_are_exported(tmp_path):
    for kind in ({"mimics": 1}, {"floating": True}):
        model = random_tree(seed=4, bodies=3, **kind).replace(name="tree-3 °")
        export_c(model, ["inverse_dynamics", "forward_dynamics", "fk_all", "com"], tmp_path, force=True)
        assert build_and_run(tmp_path, "tree_3").stdout == "all right\n"


def test_the_self_test_notices_a_wrong_number(tmp_path):
    export_c(random_tree(seed=4, bodies=3).replace(name="tree"), ["gravity_torque"], tmp_path)
    source = tmp_path / "tree.c"
    source.write_text(source.read_text().replace(" + ", " - ", 1))
    result = build_and_run(tmp_path, "tree")
    assert result.returncode == 1
    assert "gravity_torque" in result.stdout


def test_the_header_says_units_shapes_and_joints(tmp_path):
    export_c(random_tree(seed=4, bodies=3).replace(name="tree"), ["inverse_dynamics"], tmp_path)
    header = (tmp_path / "tree.h").read_text()
    for words in ("q [rad or m]", "tau (3,) [N m or N]", "0: joint1", "extern \"C\"", "TREE_NV 3"):
        assert words in header


def test_files_that_exist_are_kept_unless_forced(tmp_path, capsys):
    (tmp_path / "CMakeLists.txt").write_text("mine")
    command = ["export-c", "planar_2r", "--functions", "gravity", "-o", str(tmp_path)]
    assert main(command) == 2
    assert "CMakeLists.txt already; give another folder, or force" in capsys.readouterr().err
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("CMakeLists.txt", "mine")]
    assert main([*command, "--force"]) == 0
    assert "mine" not in (tmp_path / "CMakeLists.txt").read_text()


def test_an_unknown_function_is_refused(tmp_path, capsys):
    assert main(["export-c", "planar_2r", "--functions", "magic", "-o", str(tmp_path)]) == 2
    assert "no function 'magic'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "word"), [("UR5 e", "ur5_e"), ("2-axis", "robot_2_axis"), ("°", "robot_")])
def test_every_name_becomes_an_identifier(name, word):
    assert identifier(name) == word


def test_compile_fills_the_cache(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["compile", "planar_2r", "--functions", "rnea,fk", "--batch"]) == 0
    assert "4 functions of planar_2r" in capsys.readouterr().out
    assert len(list((tmp_path / "rdyn_ros").iterdir())) == 4


@pytest.mark.parametrize(("wrong", "words"), [(["--functions", ""], "no function ''"),
                                              (["--functions", "ik,"], "no function ''"),
                                              (["--functions", "fk", "--frame", "toool"], "near names: tool"),
                                              (["--frame", "toool"], "near names: tool")])
def test_what_cannot_be_compiled_is_told_before_anything_is(tmp_path, monkeypatch, capsys, wrong, words):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["compile", "planar_2r", *wrong]) == 2
    assert words in capsys.readouterr().err
    assert not [*tmp_path.rglob("*.*")]


@pytest.mark.parametrize(("functions", "count"), [("ik", 1), ("fk, ik", 2), ("fk", 1)])
def test_machine_code_of_inverse_kinematics_is_made_beforehand_too(tmp_path, monkeypatch, capsys, functions, count):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["compile", "ur5_like", "--functions", functions]) == 0
    assert f"{count} function" in capsys.readouterr().out
    made = {*tmp_path.rglob("*")}
    load("ur5_like").ik_prepare()
    assert ({*tmp_path.rglob("*")} == made) == ("ik" in functions)
