"""`rdyn compare`: one table, all formulations."""
import json

import pytest

from rdyn_ros.cli.main import main


@pytest.mark.parametrize("words", [["kawasaki_fs20n"], ["tree_6", "--seed", "3"], ["quadruped"]])
def test_all_formulations_agree_and_the_table_says_so(words, capsys):
    assert main(["compare", *words]) == 0
    table = capsys.readouterr().out
    assert "DIFFERS" not in table
    assert "mass matrix [kg m²" in table
    assert table.splitlines()[-1].startswith("all formulations agree: largest difference")
    for name in ("rnea", "block Jacobians, base axes", "block Jacobians, link axes", "covariant",
                 "vector Newton-Euler", "articulated bodies"):
        assert name in table


def test_values_come_as_json_too(capsys):
    assert main(["compare", "planar_2r", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    found = values["mass matrix"]["covariant"]
    assert len(found["value"]) == 2
    assert found["difference"] < 1e-9


@pytest.mark.parametrize(("robot", "effort", "mass", "acceleration"), [
    ("planar_2r", "N m", "kg m²", "rad/s²"), ("cartesian", "N", "kg", "m/s²"),
    ("cylindrical", "N m or N", "kg m², kg m or kg", "rad/s² or m/s²"),
    ("quadruped", "N m or N", "kg m², kg m or kg", "rad/s² or m/s²")])
def test_units_are_those_of_the_robots_joints(robot, effort, mass, acceleration, capsys):
    assert main(["compare", robot]) == 0
    table = capsys.readouterr().out
    for line in (f"inverse dynamics [{effort}]", f"mass matrix [{mass}]", f"forward dynamics [{acceleration}]"):
        assert line in table
