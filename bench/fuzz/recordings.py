"""Small good recordings to start from."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

PLUGINS = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}


def good_bag(suffix, joints, samples=20):
    """Bytes of a bag file (.mcap or .db3) with joint states of these joints."""
    store = get_typestore(Stores.ROS2_KILTED)
    state, header, time = (
        store.types[name]
        for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time")
    )
    folder = Path(tempfile.mkdtemp(prefix="rdyn_bag_"))
    try:
        with Writer(folder / "run", version=9, storage_plugin=PLUGINS[suffix]) as bag:
            connection = bag.add_connection("/joint_states", state.__msgtype__, typestore=store)
            for k in range(samples):
                values = np.sin(0.1 * k + np.arange(len(joints)))
                message = state(header(time(0, k * 10_000_000), ""), list(joints), values, values, values)
                bag.write(connection, k * 10_000_000, store.serialize_cdr(message, state.__msgtype__))
        return next((folder / "run").glob(f"*.{suffix}")).read_bytes()
    finally:
        shutil.rmtree(folder)


def good_csv(joints, samples=20):
    """Bytes of a CSV recording of these joints."""
    fields = ("position", "velocity", "effort")
    lines = [",".join(["time", *(f"{joint}/{field}" for joint in joints for field in fields)])]
    for k in range(samples):
        lines.append(
            ",".join(str(x) for x in [0.01 * k, *np.sin(0.1 * k + np.arange(3 * len(joints))).round(4)])
        )
    return "\n".join(lines).encode()
