"""Writes examples/run.csv: four seconds of arm_7r that carries half a kilogram the model does not know of.

Positions are sines from rest to rest; efforts are those of the loaded arm with friction and a sensor's noise.
"""
import csv
from pathlib import Path

import numpy as np

import rdyn_ros as rdyn

RATE, DURATION = 100.0, 4.0             # [Hz], [s]
PAYLOAD = 0.5                           # [kg] at the tool
NOISE = 0.05                            # [N m]
DIGITS = 5


def rows():
    """Header, then one row a sample: time, positions, velocities, efforts."""
    robot = rdyn.load("arm_7r")
    loaded = robot.with_payload(PAYLOAD, (0.0, 0.0, 0.05))
    time = np.arange(0.0, DURATION, 1.0 / RATE)
    phase = 2.0 * np.pi * time[:, None] / DURATION
    swing = np.array([0.8, 0.5, -0.6, 0.9, 0.7, -0.6, 1.0])
    start = np.array([0.0, 0.5, 0.0, 1.0, 0.0, -0.8, 0.0])
    turns = np.array([1, 2, 1, 2, 3, 2, 3])
    rate = 2.0 * np.pi / DURATION * turns
    q = start + swing * (1.0 - np.cos(turns * phase)) / 2.0
    qd = swing * rate * np.sin(turns * phase) / 2.0
    qdd = swing * rate**2 * np.cos(turns * phase) / 2.0
    effort = loaded.inverse_dynamics(q, qd, qdd) + loaded.friction_torque(qd)
    effort = effort + NOISE * np.random.default_rng(1).standard_normal(effort.shape)
    yield ["time", *(f"{joint}/{field}" for field in ("position", "velocity", "effort")
                     for joint in robot.joint_names)]
    for row in np.column_stack([time, q, qd, effort]):
        yield [f"{value:.{DIGITS}g}" for value in row]


def main():
    """Writes the file."""
    path = Path(__file__).resolve().parents[1] / "examples" / "run.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows())


if __name__ == "__main__":
    main()
