"""Where ROS writes its logs: a node starts also where that cannot be written."""
import os
import sys
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp


def choose():
    """Sets ROS_LOG_DIR to the folder that ROS would take; to a temporary one, with a warning, where it cannot write."""
    try:
        folder = Path(os.environ.get("ROS_LOG_DIR") or Path(os.environ.get("ROS_HOME") or "~/.ros", "log")).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:    # RuntimeError: there is no home
        folder = mkdtemp(prefix="rdyn_log_")
        print(f"warning: logs cannot be written: {error}; they go to {folder}", file=sys.stderr)
    os.environ["ROS_LOG_DIR"] = str(folder)
