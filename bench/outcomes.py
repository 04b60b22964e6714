"""What was tried to break it and what happened: rows of one table, for the terminal and for a page."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Outcome:
    """One row: what was tried, how often, what happened, what is allowed, and whether it held."""

    tried: str
    times: int
    happened: str
    limit: str
    held: bool

    @property
    def verdict(self):
        """The last column."""
        return "held" if self.held else "FAILED"


HEADINGS = ("what was tried", "how often", "what happened", "limit", "verdict")


def _cells(row):
    return row.tried, str(row.times), row.happened, row.limit, row.verdict


def print_outcomes(rows, title="What was tried to break it"):
    """The table in the terminal."""
    table = Table(*HEADINGS, title=title, title_justify="left")
    for row in rows:
        table.add_row(*_cells(row), style=None if row.held else "bold red")
    console = Console()
    Console(width=console.width if console.is_terminal else 160).print(table)


def markdown(rows):
    """The same table as Markdown text."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *map(_cells, rows)]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )
