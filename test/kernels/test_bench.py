"""What a benchmark says about a target, and that every section keeps to the protocol."""
import importlib
import itertools

import pytest

from bench import SECTIONS, ik, report
from bench.measure import medians
from bench.row import HEADINGS, Row


def test_a_ratio_is_theirs_over_ours_and_must_reach_the_target():
    assert Row("fk, Panda", 0.1, "µs", "Pinocchio", 0.8, 5).held is True
    assert Row("fk, Panda", 0.2, "µs", "Pinocchio", 0.8, 5).held is False
    assert Row("fk, Panda", 0.2, "µs", "MuJoCo", 0.8).held is None


def test_without_a_peer_the_target_is_a_limit():
    assert Row("compile", 0.1, "s", target=0.2).held is True
    assert Row("compile", 0.3, "s", target=0.2).held is False
    assert Row("growth", 0.0, "MB", target=0.0).held is True


@pytest.mark.parametrize("row", [Row("a", 1.0), Row("a", 1.0, "s", target=2.0), Row("a", 1.0, "s", "b", 2.0, 3.0)])
def test_every_row_fills_the_table(row):
    assert len(row.cells) == len(HEADINGS)
    assert all(isinstance(cell, str) for cell in row.cells)


def test_contenders_run_in_turns():
    order = []
    times = medians({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, seconds=0.01)
    assert set(times) == {"a", "b"}
    changes = sum(x != y for x, y in itertools.pairwise(order))
    assert changes >= 8


def test_a_section_that_breaks_off_keeps_its_rows_and_counts_as_missed(capsys):
    def rows():
        yield Row("fk, Panda", 0.1)
        raise TimeoutError("no answer")
    first, last = report.show("broken", rows())
    assert first.what == "fk, Panda"
    assert "no answer" in last.what
    assert not report.verdicts({"broken": [first, last]})


def test_the_page_holds_every_row(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    results = {"One call": [Row("fk, Panda", 0.1, "µs", "Pinocchio", 0.8, 5), Row("fk, Panda", 0.1, "µs")]}
    report.write_page(results)
    report.write_picture(results)
    page = (tmp_path / "results.md").read_text()
    assert "| fk, Panda | 0.1 µs | Pinocchio | 0.8 µs | 8.0x | >= 5x | reached |" in page
    assert (tmp_path / "results.png").stat().st_size > 1000


def test_a_target_beside_a_peer_that_is_not_installed_is_missed():
    robot = ik.robot_of("UR5")
    beside, alone = ik.beside_toolbox("UR5", robot, None, ik.random_targets(robot, 5, seed=1))
    assert beside.held is False
    assert "(not installed)" in beside.cells[2] and ">= 8x" in beside.cells
    assert "wall time" in alone.what and alone.target == 200


@pytest.mark.parametrize("name", ik.CLOSED)
def test_closed_forms_find_configurations_again_without_them_as_seeds(name, monkeypatch):
    monkeypatch.setattr(ik, "SOLVED", 50)
    assert ik.lost(ik.closed_form_robot(name), name in ik.PLACED) == 0


@pytest.mark.parametrize("name", ["single", "batch", "compilation", "growth", "budgets", "changes", "serialized"])
def test_a_section_has_a_title_and_rows(name):
    assert name in SECTIONS
    module = importlib.import_module(f"bench.{name}")
    assert module.TITLE
    assert callable(module.rows)
