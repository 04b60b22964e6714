"""What goes wrong in a trial itself is a row of the table, too; what could not be tried does not count as held."""
from argparse import Namespace

from bench import soak
from bench.outcomes import in_rows, not_tried


@in_rows
def breaks(name, *_):
    """Gives one row, then fails."""
    yield not_tried("a row", "needs wings")
    raise TimeoutError("silent for 60 s")


def test_a_trial_that_fails_ends_with_a_row_that_says_so():
    first, last = breaks("broken")
    assert (first.verdict, first.failed) == ("not tried", False)
    assert (last.tried, last.failed) == ("broken", True)
    assert "TimeoutError: silent for 60 s" in last.happened


def test_a_soak_of_which_a_part_fails_goes_on_and_writes_its_page(monkeypatch, tmp_path):
    monkeypatch.setattr(soak, "PAGE", tmp_path / "soak.md")
    monkeypatch.setattr(soak, "PARTS", {"first": breaks, "second": breaks})
    assert not soak.run(Namespace(only="first,second"))
    assert soak.PAGE.read_text().count("FAILED") == 2
