"""Every reader of files, fed with damaged ones."""

import tempfile
from pathlib import Path

import yaml
from hypothesis import strategies as st
from rclpy.context import Context

from rdyn_ros.bringup.params_file import arguments
from rdyn_ros.model.load import load_model
from rdyn_ros.nodes.process import init
from rdyn_ros.recording import read_recording

from .damage import damaged_bytes, damaged_text
from .recordings import PLUGINS, good_bag, good_csv
from .trial import trial

ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).parent / "seeds"
JOINTS = ("joint_1", "joint_2")


def _texts(folder, pattern, largest=20_000):
    return [path.read_text() for path in sorted(folder.glob(pattern)) if path.stat().st_size < largest]


def _load_text(text):
    load_model(text + "\n")  # a line break tells a text from a path


def _load_file(path):
    def feed(text):
        path.write_text(text, errors="replace")
        load_model(str(path))

    return feed


def _read_file(path):
    def feed(data):
        path.write_bytes(data)
        read_recording(path, JOINTS)

    return feed


def values():
    """Any data a YAML text can hold."""
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
        max_leaves=20,
    )


def _parameters(path):
    """A bring-up takes its arguments from a file, then ROS the parameters of the nodes."""

    def feed(text):
        path.write_text(text, errors="replace")
        arguments(path)
        context = Context()
        try:
            init(["node", "--ros-args", "--params-file", str(path)], context)
        finally:
            context.try_shutdown()

    return feed


READERS = {  # part of all inputs; folder -> (strategy, function of one input)
    "robot file, YAML": (0.29, lambda folder: (damaged_text(_texts(ROOT / "config/robots", "*.yaml")), _load_text)),
    "robot file, URDF": (0.29, lambda folder: (damaged_text(_texts(SEEDS, "*.urdf")), _load_text)),
    "robot data of the wrong kind": (0.08, lambda folder: (values().map(yaml.safe_dump), _load_text)),
    "robot file, xacro": (0.06, lambda folder: (
        damaged_text(_texts(SEEDS, "*.xacro")), _load_file(folder / "robot.xacro"))),
    "parameter file": (0.05, lambda folder: (
        damaged_text(_texts(ROOT / "config/bringup", "*.yaml")), _parameters(folder / "params.yaml"))),
    "recorded run, CSV": (0.13, lambda folder: (
        damaged_bytes([good_csv(JOINTS)]), _read_file(folder / "run.csv"))),
    **{f"recorded run, {suffix}": (0.05, lambda folder, suffix=suffix: (
        damaged_bytes([good_bag(suffix, JOINTS)]), _read_file(folder / f"run.{suffix}"))) for suffix in PLUGINS},
}


def reader_trials(times, readers=tuple(READERS)):
    """One Outcome per reader, `times` inputs for all READERS, shared by weight."""
    with tempfile.TemporaryDirectory(prefix="rdyn_fuzz_") as folder:
        for reader in readers:
            weight, make = READERS[reader]
            yield trial(reader, *make(Path(folder)), max(int(times * weight), 10))
