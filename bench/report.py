"""The rows as tables in the terminal, as a page, and as a picture."""
import platform
from math import inf
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .row import HEADINGS, Row

FOLDER = Path(__file__).parent


def show(title, rows):
    """Prints the rows as they come and returns them as a list; a section that breaks off counts as missed."""
    console, collected = Console(), []
    console.print(f"\n[bold]{title}[/bold]")
    for row in _to_the_end(rows):
        collected.append(row)
        console.print("  " + "  ".join(cell for cell in row.cells if cell),
                      style="bold red" if row.held is False else None, highlight=False, soft_wrap=True)
    return collected


def _to_the_end(rows):
    try:
        yield from rows
    except Exception as error:
        yield Row(f"broke off: {error!r}", inf, "", target=0.0)


def verdicts(results):
    """Prints how many targets were reached, and those that were not; returns whether all were."""
    wanted = [row for rows in results.values() for row in rows if row.held is not None]
    missed = [row for row in wanted if not row.held]
    print(f"\n{len(wanted) - len(missed)} of {len(wanted)} targets reached")
    if missed:
        table = Table(*HEADINGS, title="missed", title_justify="left")
        for row in missed:
            table.add_row(*row.cells)
        Console().print(table)
    return not missed


def write_page(results):
    """bench/results.md."""
    lines = ["# Benchmarks", "",
             "Written by `make bench`. Contenders run in turns; times are medians where nothing else is said, and only "
             "ratios carry over to another machine.", "",
             f"{platform.machine()}, {_cpu()}, Python {platform.python_version()}", "",
             "![times faster than Pinocchio](results.png)"]
    for title, rows in results.items():
        lines += ["", f"## {title}", "", f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
        lines += [f"| {' | '.join(row.cells)} |" for row in rows]
    (FOLDER / "results.md").write_text("\n".join(lines) + "\n")


def write_picture(results):
    """bench/results.png: how many times faster than Pinocchio, function by function."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    charts = {title: [row for row in rows if row.peer.startswith("Pinocchio") and ", " in row.what]
              for title, rows in results.items()}
    charts = {title: rows for title, rows in charts.items() if rows}
    if not charts:
        return
    widths = [len({row.what.rsplit(", ", 1)[0] for row in rows}) for rows in charts.values()]
    figure, axes = plt.subplots(1, len(charts), figsize=(12, 4.5), width_ratios=widths, squeeze=False)
    figure.suptitle("Times faster than Pinocchio (black: target)", fontsize=11)
    for axis, (title, rows) in zip(axes[0], charts.items(), strict=True):
        _bars(axis, title, rows)
    figure.tight_layout()
    figure.savefig(FOLDER / "results.png", dpi=110)


def _bars(axis, title, rows):
    functions = list(dict.fromkeys(row.what.rsplit(", ", 1)[0] for row in rows))
    robots = list(dict.fromkeys(row.what.rsplit(", ", 1)[1] for row in rows))
    width = 0.8 / len(robots)
    for k, robot in enumerate(robots):
        of_robot = {row.what.rsplit(", ", 1)[0]: row for row in rows if row.what.endswith(f", {robot}")}
        places = [i + (k - (len(robots) - 1) / 2) * width for i, f in enumerate(functions) if f in of_robot]
        axis.bar(places, [of_robot[f].ratio for f in functions if f in of_robot], width, label=robot)
    targets = {row.what.rsplit(", ", 1)[0]: row.target for row in rows if row.target}
    for i, function in enumerate(functions):
        if function in targets:
            axis.hlines(targets[function], i - 0.45, i + 0.45, colors="black", linewidth=1.2)
    axis.set_xticks(range(len(functions)), [f.replace("_", "\n") for f in functions], fontsize=7)
    axis.set_title(title, fontsize=9)
    axis.legend(fontsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def _cpu():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
