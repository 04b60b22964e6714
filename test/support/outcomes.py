"""Fixture and summary for tests that try to break things: their rows end in one table."""

import pytest

from bench.outcomes import Outcome, print_outcomes

PROPERTY = "outcome"


@pytest.fixture
def outcomes(record_property):
    """Takes Outcomes, puts them into the table at the end of the run and asserts that all held."""

    def take(rows):
        rows = list(rows)
        for row in rows:
            record_property(PROPERTY, (row.tried, row.times, row.happened, row.limit, row.held))
        assert rows and not any(row.failed for row in rows), "\n".join(str(row) for row in rows if row.failed)

    return take


def pytest_terminal_summary(terminalreporter):
    """The table of what was tried and what happened."""
    rows = [
        Outcome(*value)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == PROPERTY and report.when == "call"
    ]
    if rows:
        terminalreporter.write_line("")
        print_outcomes(sorted(rows, key=lambda row: row.tried))
