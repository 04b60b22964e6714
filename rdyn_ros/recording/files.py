"""Which reader a recording needs."""
from pathlib import Path

from ..errors import RdynError
from .bag import bag_series
from .csv_file import csv_series
from .recording import assemble


def read_recording(path, joint_names, topic=None):
    """The Recording of these joints in a CSV file or a rosbag2 bag (folder, .mcap, .db3)."""
    path = Path(path)
    if not path.exists():
        raise RdynError(f"{path} does not exist; give a CSV file, a bag's folder, or a .mcap or .db3 file")
    if path.is_dir() or path.suffix in (".mcap", ".db3"):
        series = bag_series(path, topic)
    elif path.suffix == ".csv":
        series = csv_series(path)
    else:
        raise RdynError(f"{path}: '{path.suffix}' is not readable; allowed are .csv, .mcap, .db3, a folder")
    return assemble(series, joint_names, str(path))
