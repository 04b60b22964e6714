"""What the demo prints: a live table, a line for terminals that are none, a summary."""
import numpy as np
from rich.markup import escape
from rich.table import Table

MILLI = 1e3
COLOURS = {"OK": "green", "WARN": "yellow", "ERROR": "red", "STALE": "red"}


def live_table(robot, stage, seen):
    """Joints with position, tracking error and torque by term; below, the nodes' health."""
    table = Table(title=f"{robot.name}: {stage}", caption=health(seen), caption_justify="left")
    for column in ("joint", "position", "error (mrad or mm)", "commanded", "gravity", "Coriolis", "friction"):
        table.add_column(column, justify="left" if column == "joint" else "right")
    if seen.state is None or seen.terms is None:
        return table
    state, terms = seen.state, seen.terms
    rows = zip(state.joint_names, state.feedback.positions, state.error.positions, state.output.effort,
               terms.gravity, terms.coriolis, terms.friction, strict=True)
    for name, q, error, *torques in rows:
        table.add_row(name, f"{q:.3f}", f"{MILLI * error:.3f}", *(f"{torque:.2f}" for torque in torques))
    return table


def health(seen):
    """A line per node: rate, latency, page."""
    lines = []
    for node, (level, sentence, values) in sorted(seen.health.items()):
        lines.append(f"[{COLOURS[level]}]{node:10}[/] {flow(values)}{escape(sentence)}")
    return "\n".join(lines)


def plain_line(stage, seen):
    """State of the demo in one line."""
    if seen.state is None or seen.terms is None:
        return stage
    error = MILLI * np.max(np.abs(seen.state.error.positions))
    torques = " ".join(f"{torque:.1f}" for torque in seen.state.output.effort)
    return f"{stage:9} error {error:8.3f} mrad or mm  torques [N m or N] {torques}"


def summary(robot, seen):
    """Lines: what was held, and where the page was."""
    yield f"{robot.name}: summary"
    if "moving" in seen.error:
        error = np.array(seen.error["moving"])
        yield (f"  moving    tracking error RMS {MILLI * np.sqrt(np.mean(error**2)):.3f}, "
               f"largest {MILLI * np.max(np.abs(error)):.3f} mrad or mm")
    if "floating" in seen.position:
        path = np.array(seen.position["floating"])
        yield f"  floating  drift {MILLI * np.max(np.abs(path[-1] - path[len(path) // 2])):.3f} mrad or mm"
    yield f"  torque    largest commanded {seen.peak:.1f} N m or N"
    for fault in dict.fromkeys(seen.faults):
        yield f"  fault     {fault}"
    for node, (_, sentence, values) in sorted(seen.health.items()):
        yield f"  {node:9} {flow(values)}{sentence}"


def flow(values):
    """Rate and latency that a node tells on /diagnostics; empty when it tells none."""
    if "output_rate_hz" not in values:
        return ""
    rate, p50, p99 = (float(values[key]) for key in ("output_rate_hz", "latency_p50_us", "latency_p99_us"))
    return f"{rate:6.0f} Hz  latency p50 {p50:6.0f}, p99 {p99:6.0f} us  "
