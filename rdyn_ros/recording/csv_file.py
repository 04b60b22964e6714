"""Recordings as CSV: a column of time, and columns named after joint and field."""
import csv

from ..errors import RdynError
from .recording import FIELDS

TIME = ("time", "__time")


def csv_series(path):
    """{(joint, field): (stamps, values)} of a CSV file.

    The first line names the columns: `time` (or `__time`) [s], and `<joint>/position`, `<joint>/velocity`,
    `<joint>/effort`, with anything before the joint, as PlotJuggler writes it
    (`/joint_states/joint1/effort`).
    Other columns are ignored; an empty cell is a sample that was not taken.
    """
    try:
        return _columns(path)
    except csv.Error as problem:
        raise RdynError(f"{path} cannot be read as CSV: {problem}") from None


def _columns(path):
    with open(path, newline="", encoding="utf-8", errors="replace") as file:    # odd bytes fail as numbers
        rows = csv.reader(file)
        header = [cell.strip() for cell in next(rows, [])]
        time = next((k for k, cell in enumerate(header) if cell in TIME), None)
        columns = {k: key for k, cell in enumerate(header) if (key := _key(cell))}
        if time is None or not columns:
            raise RdynError(f"{path}: the first line must name a column 'time' and columns such as "
                            f"'joint1/position'; it reads '{','.join(header)[:80]}'")
        series = {key: ([], []) for key in columns.values()}
        for line, row in enumerate(rows, start=2):
            for k, key in columns.items():
                if len(row) > max(k, time) and row[k].strip():
                    series[key][0].append(_number(row[time], path, line))
                    series[key][1].append(_number(row[k], path, line))
    return series


def _number(cell, path, line):
    try:
        return float(cell)
    except ValueError:
        raise RdynError(f"{path}, line {line}: '{cell}' is neither a number nor empty") from None


def _key(cell):
    parts = cell.replace(".", "/").split("/")
    return (parts[-2], parts[-1]) if len(parts) >= 2 and parts[-1] in FIELDS and parts[-2] else None
