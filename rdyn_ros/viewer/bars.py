"""Torque bars as a small SVG drawing: per joint one bar a term, between the joint's effort limits."""
from html import escape

import numpy as np

COLOURS = {"measured": "#555555", "gravity": "#1f77b4", "coriolis": "#ff7f0e", "friction": "#d62728",
           "external": "#9467bd"}
WIDTH, LEFT, VALUE, HALF, MIDDLE, BAR, GAP, LINE = 300, 6, 118, 80, 210, 5, 8, 18    # [px]


def torque_bars(joint_names, limits, terms):
    """SVG text. limits (n,) [N m or N], inf where none; terms {name of COLOURS: (n,)}, NaN where not known.

    Bars are as long as their part of the limit; joints without one are scaled by their largest term.
    """
    shown = {name: np.asarray(values, dtype=float) for name, values in terms.items() if values is not None}
    rows, y = [_legend(shown)], LINE
    for k, name in enumerate(joint_names):
        most = max((abs(values[k]) for values in shown.values() if np.isfinite(values[k])), default=0.0)
        limited = np.isfinite(limits[k]) and limits[k] > 0.0
        full = limits[k] if limited else most or 1.0
        height = BAR * max(len(shown), 1)
        rows.append(f'<text x="{LEFT}" y="{y + 9}">{escape(name[:18])}</text>'
                    f'<text x="{LEFT}" y="{y + 20}" fill="#888">{_range(limits[k])}</text>')
        rows += [_value(y + 20, values[k]) for values in (shown.get("measured"),) if values is not None]
        rows += _frame(y, height, limited)
        for j, (term, values) in enumerate(shown.items()):
            rows.append(_bar(y + BAR * j, values[k], full, COLOURS[term]))
        y += max(height, 22) + GAP
    return (f'<svg width="100%" viewBox="0 0 {WIDTH} {y}" font-size="9" font-family="sans-serif" '
            f'class="torques">{"".join(rows)}</svg>')


def _bar(y, value, full, colour):
    if not np.isfinite(value):
        return ""
    length = min(abs(value) / full, 1.0) * HALF
    x = MIDDLE - (length if value < 0.0 else 0.0)
    return (f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{colour}">'
            f'<title>{value:.3f}</title></rect>')


def _frame(y, height, limited):
    dash = "" if limited else ' stroke-dasharray="2"'
    for x, colour in ((MIDDLE - HALF, "#d00"), (MIDDLE, "#999"), (MIDDLE + HALF, "#d00")):
        yield (f'<line x1="{x}" y1="{y - 1}" x2="{x}" y2="{y + height}" '
               f'stroke="{colour}" stroke-width="0.7"{dash}/>')


def _range(limit):
    return f"±{limit:.4g}" if np.isfinite(limit) else "no limit"


def _value(y, value):
    shown = f"{value:z.1f}" if np.isfinite(value) else "?"
    return f'<text x="{VALUE}" y="{y}" text-anchor="end" font-weight="bold">{shown}</text>'


def _legend(shown):
    return "".join(f'<text x="{LEFT + 58 * k}" y="8" fill="{COLOURS[name]}">■ {label(name)}</text>'
                   for k, name in enumerate(shown))


def label(term):
    """A term as it is written: Coriolis is a name."""
    return term.replace("coriolis", "Coriolis")
