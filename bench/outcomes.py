"""What was tried to break it and what happened: rows of one table, for the terminal and for a page."""

import traceback
from dataclasses import dataclass
from functools import wraps

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Outcome:
    """One row: what was tried, how often, what happened, what is allowed, and whether it held.

    `held` is None where it could not be tried here.
    """

    tried: str
    times: int
    happened: str
    limit: str
    held: bool | None

    @property
    def verdict(self):
        """The last column."""
        return {True: "held", False: "FAILED", None: "not tried"}[self.held]

    @property
    def failed(self):
        """Whether it was tried and did not hold."""
        return self.held is False


def not_tried(tried, why):
    """The row of what this machine does not allow."""
    return Outcome(tried, 0, why, "", None)


def in_rows(trials):
    """Decorator of a generator of Outcomes, trials(name, ...): an exception in it becomes its last row."""

    @wraps(trials)
    def guarded(name, *arguments):
        try:
            yield from trials(name, *arguments)
        except Exception as problem:
            traceback.print_exc()
            yield Outcome(name, 1, f"{type(problem).__name__}: {problem}", "all of it is tried", False)

    return guarded


HEADINGS = ("what was tried", "how often", "what happened", "limit", "verdict")


def _cells(row):
    return row.tried, str(row.times), row.happened, row.limit, row.verdict


def print_outcomes(rows, title="What was tried to break it"):
    """The table in the terminal."""
    table = Table(*HEADINGS, title=title, title_justify="left")
    for row in rows:
        table.add_row(*_cells(row), style="bold red" if row.failed else None)
    console = Console()
    Console(width=console.width if console.is_terminal else 160).print(table)


def markdown(rows):
    """The same table as Markdown text."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *map(_cells, rows)]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )
