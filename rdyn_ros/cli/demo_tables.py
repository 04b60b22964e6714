"""What the demo prints: a live table, a line for terminals that are none, a summary."""
import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ..model.units import milli, units

MILLI = 1e3
WAITING = "waiting for the nodes"
COLOURS = {"OK": "green", "WARN": "yellow", "ERROR": "red", "STALE": "red"}


def live_table(robot, stage, seen):
    """Joints with position, tracking error and torque by term; below, the nodes' health."""
    table = Table(title=f"{robot.name}: {stage}")
    position, effort = units(robot.model)
    columns = {"position": position, "error": milli(position), "commanded": effort, "gravity": effort,
               "Coriolis": effort, "friction": effort}
    table.add_column("joint")
    for name, unit in columns.items():
        table.add_column(escape(f"{name}\n[{unit}]"), justify="right")
    if stage == WAITING:
        return Group(table, health(seen))
    state, terms = seen.state, seen.terms
    rows = zip(state.joint_names, state.feedback.positions, state.error.positions, state.output.effort,
               terms.gravity, terms.coriolis, terms.friction, strict=True)
    for name, q, error, *torques in rows:
        table.add_row(name, f"{q:z.3f}", f"{MILLI * error:z.3f}", *(f"{torque:z.2f}" for torque in torques))
    return Group(table, health(seen))


def health(seen):
    """A line per node: rate, latency, page."""
    lines = []
    for node, (level, sentence, values) in sorted(seen.health.items()):
        lines.append(f"[{COLOURS[level]}]{node:9}[/] {flow(values)}{escape(sentence)}")
    return Text.from_markup("\n".join(lines))


def plain_line(robot, stage, seen):
    """State of the demo in one line."""
    if stage == WAITING:
        return stage
    position, effort = units(robot.model)
    name, off = ("drift", seen.drift) if seen.origin is not None else ("error", np.abs(seen.state.error.positions))
    torques = " ".join(f"{torque:z.1f}" for torque in seen.state.output.effort)
    return f"{stage:11} {name} {MILLI * np.max(off):7.3f} {milli(position)}  torques {torques} {effort}"


def summary(robot, seen):
    """Lines: what was held, and where the page was."""
    position, effort = units(robot.model)
    small = milli(position)
    yield f"{robot.name}: summary"
    if seen.samples:
        yield (f"  moving    tracking error RMS {MILLI * np.sqrt(seen.squares / seen.samples):.3f} {small}, "
               f"largest {MILLI * seen.worst:.3f} {small}")
    if seen.drift is not None:
        yield f"  floating  drift {MILLI * seen.drift:.3f} {small}"
    yield f"  torque    largest commanded {seen.peak:.1f} {effort}"
    for fault in seen.faults:
        yield f"  fault     {fault}"
    if (pace := seen.pace()) is not None:
        yield (f"  time      {pace:.2f} s of the robot in 1 s of the clock: each command makes its next step; "
               "rates are of the last second by the clock")
    for node, (_, sentence, values) in sorted(seen.health.items()):
        yield f"  {node:9} {flow(values)}{sentence}"


def flow(values):
    """Rate and latency (median, 99 %) that a node tells on /diagnostics; empty when it tells none."""
    if "output_rate_hz" not in values:
        return ""
    rate, p50, p99 = (float(values[key]) for key in ("output_rate_hz", "latency_p50_us", "latency_p99_us"))
    return f"{rate:5.0f} Hz  latency {p50:4.0f}, p99 {p99:5.0f} µs  "
