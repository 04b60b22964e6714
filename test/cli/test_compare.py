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
