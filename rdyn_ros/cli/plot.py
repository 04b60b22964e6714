"""`rdyn plot`: a recorded run, measured against model torque by term."""
from pathlib import Path

import numpy as np

from .. import load
from ..model.units import units
from ..recording import read_recording, rms, torque_terms
from ..recording.chart import sparkline, write_png
from ..recording.terms import TERMS
from .counted import counted

HELP = "compare the torques of a recorded run with the model, term by term"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    parser.add_argument("recording", help="CSV file, folder of a rosbag2 bag, or its .mcap or .db3 file")
    parser.add_argument("--robot", required=True, help="robot file that was recorded (.urdf, .xacro, .yaml)")
    parser.add_argument("--topic", help="joint states in a bag (default: the topic named joint_states)")
    parser.add_argument("--png", help="picture to write (default: the recording's name with .png, here)")


def run(arguments):
    """Prints a table of RMS torques and errors per joint and writes the picture."""
    robot = load(arguments.robot)
    recording = read_recording(arguments.recording, robot.joint_names, arguments.topic)
    terms = torque_terms(robot, recording)
    print(f"{robot.name}: {counted(len(recording.time), 'sample')} in {recording.time[-1]:.2f} s; "
          f"RMS in {units(robot.model)[1]}")
    print("\n".join(table(recording.joint_names, terms)))
    png = arguments.png or Path(arguments.recording).with_suffix(".png").name
    write_png(png, recording, terms, f"{robot.name}, {Path(arguments.recording).name}",
              [joint.effort_unit for joint in robot.model.joints])
    print(f"picture: {png}")


def table(joint_names, terms):
    """Lines: per joint the RMS of every term and of the error, then measured and model over time."""
    columns = ("measured", "model", *TERMS, "error")
    numbers = [rms(getattr(terms, name)) for name in columns]
    width = max(5, *(len(name) for name in joint_names))
    yield f"{'joint':{width}}" + "".join(f"{name:>10}" for name in columns) + "  measured          model"
    for k, name in enumerate(joint_names):
        measured, model = terms.measured[:, k], terms.model[:, k]
        low, high = np.nanmin([measured, model]), np.nanmax([measured, model])
        lines = (sparkline(curve, low, high) for curve in (measured, model))
        yield f"{name:{width}}" + "".join(f"{row[k]:10.3f}" for row in numbers) + "  " + "  ".join(lines)
