"""A recorded run: positions, velocities and efforts of the joints of one robot over time."""
from dataclasses import dataclass

import numpy as np
from scipy.signal import savgol_filter

from ..errors import RdynError

WINDOW = 0.05        # [s] of samples behind each derivative
ORDER = 3            # degree of the polynomial fitted in that window
FEWEST = 5           # samples that such a fit needs
LARGEST = 1e100      # numbers beyond are damage: their differences are not finite
FIELDS = ("position", "velocity", "effort")


@dataclass(frozen=True, eq=False)
class Recording:
    """N samples of n joints: time (N,) [s] from 0; position, velocity, acceleration, measured effort (N, n).

    Effort is NaN for joints whose effort was not recorded.
    """

    joint_names: tuple[str, ...]
    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray
    where: str


def assemble(series, joint_names, where):
    """A Recording from {(joint, field): (stamps, values)}, every joint brought to the stamps of the first.

    Joints may come from several publishers at different stamps (linear interpolation between samples).
    Velocities that were not recorded come from the positions, accelerations always from the velocities.
    """
    recorded = {key: _sound_and_sorted(*samples) for key, samples in series.items()}
    recorded = {key: samples for key, samples in recorded.items() if samples[0].size}
    missing = [name for name in joint_names if (name, "position") not in recorded]
    if missing:
        known = ", ".join(sorted({name for name, _ in recorded})) or "none"
        raise RdynError(f"{where}: no positions of {', '.join(missing)}; recorded joints: {known}. "
                        "Is this the robot that was recorded?")
    stamps = [recorded[name, "position"][0] for name in joint_names]
    first = stamps[0]
    time = first[(first >= max(t[0] for t in stamps)) & (first <= min(t[-1] for t in stamps))]
    if time.size < FEWEST:
        raise RdynError(f"{where}: {time.size} samples in which every joint is known; {FEWEST} are needed")

    def column(name, field):
        return np.interp(time, *recorded[name, field]) if (name, field) in recorded else None

    position = np.column_stack([column(name, "position") for name in joint_names])
    velocity = [column(name, "velocity") for name in joint_names]
    if any(v is None for v in velocity):
        slope = derivative(time, position)
        velocity = [slope[:, k] if v is None else v for k, v in enumerate(velocity)]
    velocity = np.column_stack(velocity)
    effort = [column(name, "effort") for name in joint_names]
    effort = np.column_stack([np.full(time.size, np.nan) if e is None else e for e in effort])
    acceleration = derivative(time, velocity)
    return Recording(tuple(joint_names), time - time[0], position, velocity, acceleration, effort, where)


def derivative(time, values):
    """d/dt of values (N, n) at rising times (N,): the slope of a cubic fitted in a window of 0.05 s."""
    even = np.linspace(time[0], time[-1], time.size)
    step = even[1] - even[0]
    window = min(max(FEWEST, int(WINDOW / step) | 1), time.size - 1 + time.size % 2)  # odd, at most N
    evenly = np.column_stack([np.interp(even, time, column) for column in values.T])
    slope = savgol_filter(evenly, window, ORDER, deriv=1, delta=step, axis=0)
    return np.column_stack([np.interp(time, even, column) for column in slope.T])


def _sound_and_sorted(stamps, values):
    stamps, values = np.asarray(stamps, dtype=float), np.asarray(values, dtype=float)
    sound = (np.abs(stamps) < LARGEST) & (np.abs(values) < LARGEST)     # nan is not
    stamps, index = np.unique(stamps[sound], return_index=True)
    return stamps, values[sound][index]
