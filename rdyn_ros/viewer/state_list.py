"""The state of the nodes as coloured lines: what each said last on diagnostics, and how long ago."""
from dataclasses import dataclass
from html import escape

COLOURS = {"ok": "#2a9d3a", "warning": "#e0a000", "error": "#d62728", "silent": "#d62728"}
WORST = ("ok", "warning", "error", "silent")


@dataclass(frozen=True)
class Status:
    """What a node said of itself: level "ok", "warning" or "error", a sentence, its age and its period [s]."""

    name: str
    level: str
    message: str
    age: float
    period: float


def judged(status, timeout):
    """The level to show: "silent" when the node has said nothing for `timeout` [s] beyond its period."""
    return "silent" if status.age > status.period + timeout else status.level


def state_list(statuses, timeout):
    """HTML: the worst state in one word, then a line for each node."""
    levels = [judged(status, timeout) for status in statuses]
    worst = max(levels, key=WORST.index, default="silent")
    head = f'<b class="state" style="color:{COLOURS[worst]}">● {worst}</b>'
    if not statuses:
        return f'<div style="padding:4px 12px">{head}: no node has reported on /diagnostics yet</div>'
    lines = "".join(
        f'<div class="node" style="color:{COLOURS[level]}">● {escape(s.name)}: '
        f'{escape(s.message if level != "silent" else f"silent for {s.age:.0f} s")}</div>'
        for s, level in zip(statuses, levels, strict=True))
    return f'<div style="padding:4px 12px;font-size:0.8em">{head}{lines}</div>'
