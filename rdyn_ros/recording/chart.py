"""Torque terms to look at: a PNG with one panel a joint, and lines of characters for a terminal."""
from pathlib import Path

import numpy as np

from ..errors import RdynError
from .terms import rms

BARS = "▁▂▃▄▅▆▇█"
COLOURS = {"gravity": "tab:blue", "coriolis": "tab:orange", "inertia": "tab:green", "friction": "tab:red"}
DOTS = 90           # per inch


def write_png(path, recording, terms, title, units):
    """The chart as a file."""
    if not Path(path).resolve().parent.is_dir():
        raise RdynError(f"{path} cannot be written: there is no folder {Path(path).parent}")
    try:
        chart(recording, terms, title, units).savefig(path, dpi=DOTS)
    except (OSError, ValueError) as error:          # no such folder, no such format
        raise RdynError(f"{path} cannot be written: {error}; name a .png, .pdf or .svg file") from None


def chart(recording, terms, title, units):
    """Figure with one panel a joint: measured and model torque in its unit, and the terms of the model, over time."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise RdynError("a picture needs a package; install it with: pip install matplotlib") from None
    n = len(recording.joint_names)
    height = 1.0 + 1.7 * n                          # [in]
    figure = Figure(figsize=(9.0, height))
    figure.subplots_adjust(0.09, 0.9 / height, 0.98, 1.0 - 0.8 / height, hspace=0.35)
    error = rms(terms.error)
    for k, (axes, name) in enumerate(zip(np.ravel(figure.subplots(n, 1, sharex=True)), recording.joint_names,
                                         strict=True)):
        axes.plot(recording.time, terms.measured[:, k], color="0.6", linewidth=2.5, label="measured")
        axes.plot(recording.time, terms.model[:, k], color="black", linestyle="--", label="model")
        for term, colour in COLOURS.items():
            axes.plot(recording.time, getattr(terms, term)[:, k], color=colour, linewidth=0.9, label=term)
        axes.set_title(f"{name}: RMS error {error[k]:.3g}", fontsize="medium", loc="left")
        axes.set_ylabel(units[k])
        axes.grid(alpha=0.3)
    axes.set_xlabel("time [s]")
    figure.suptitle(title, y=1.0 - 0.25 / height)
    figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=6, fontsize="small")
    return figure


def sparkline(values, low, high, width=16):
    """Values (N,) over time as one line of bars between low and high; blank where they are not numbers."""
    means = np.array([np.mean(part) for part in np.array_split(values, min(width, len(values)))])
    steps = np.clip((means - low) / ((high - low) or 1.0), 0.0, 1.0) * (len(BARS) - 1)
    return "".join(BARS[round(step)] if np.isfinite(step) else " " for step in steps)
