"""The formulations check each other because they share nothing; the page of sources names real files."""
import ast
import re

import pytest

SHARED = {"np", "NamedTuple", "assemble",                      # arrays and adding up blocks
          "cross", "quaternion_matrix", "rodrigues"}           # vectors and rotations


@pytest.mark.parametrize("name", ["block_jacobians", "covariant", "newton_euler"])
def test_an_independent_formulation_imports_only_vectors_and_rotations(source, name):
    tree = ast.parse((source / "rdyn_ros/algorithms" / f"{name}.py").read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {alias.asname or alias.name for node in imports for alias in node.names} <= SHARED


def test_the_page_of_sources_names_files_that_exist(source):
    rows = [row for row in (source / "docs/sources.md").read_text().splitlines() if row.startswith("| ")]
    for row in rows:
        cells = row.split(" | ")
        if len(cells) != 4 or "/" not in cells[2]:
            continue
        for folder, cell in (("rdyn_ros", cells[2]), ("test", cells[3])):
            inside = ""
            for path in re.findall(r"`([^`]+)`", cell):
                inside = path.rpartition("/")[0] or inside       # a bare name lies beside the one before it
                assert (source / folder / inside / path.rpartition("/")[2]).exists(), path
