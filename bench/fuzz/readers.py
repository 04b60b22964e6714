"""Every reader of files, fed with damaged ones."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from rdyn_ros.model.load import load_model
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


def reader_trials(times):
    """One Outcome per reader, `times` inputs in all, shared by weight."""
    import yaml

    def share(weight):
        return max(int(times * weight), 10)

    scratch = Path(tempfile.mkdtemp(prefix="rdyn_fuzz_"))
    robots, urdfs = _texts(ROOT / "config/robots", "*.yaml"), _texts(SEEDS, "*.urdf")
    try:
        yield trial("robot file, YAML", damaged_text(robots), _load_text, share(0.30))
        yield trial("robot file, URDF", damaged_text(urdfs), _load_text, share(0.30))
        yield trial("robot data of the wrong kind", values().map(yaml.safe_dump), _load_text, share(0.08))
        yield trial(
            "robot file, xacro",
            damaged_text(_texts(SEEDS, "*.xacro")),
            _load_file(scratch / "robot.xacro"),
            share(0.07),
        )
        yield trial(
            "recorded run, CSV",
            damaged_bytes([good_csv(JOINTS)]),
            _read_file(scratch / "run.csv"),
            share(0.15),
        )
        for suffix in PLUGINS:
            yield trial(
                f"recorded run, {suffix}",
                damaged_bytes([good_bag(suffix, JOINTS)]),
                _read_file(scratch / f"run.{suffix}"),
                share(0.05),
            )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
