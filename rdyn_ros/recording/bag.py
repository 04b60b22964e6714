"""Recordings as rosbag2 bags, MCAP or sqlite, read without ROS by the PyPI package rosbags."""
from pathlib import Path

from ..errors import RdynError
from .recording import FIELDS

JOINT_STATE = "sensor_msgs/msg/JointState"


def bag_series(path, topic=None):
    """{(joint, field): (stamps, values)} of the JointState messages on a topic of a bag.

    A bag is a folder, a .mcap or a .db3 file. Without a topic the one named joint_states is taken, in
    whatever namespace, or the only one there is. Stamps are those of the headers [s]; a message without one
    counts at the time it was received.
    """
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise RdynError(f"{path}: bags need a package; install it with: pip install rosbags") from None
    series = {}
    try:
        with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_KILTED)) as bag:
            joint_states = [c for c in bag.connections if c.msgtype == JOINT_STATE]
            chosen = _chosen({c.topic for c in joint_states}, topic, path)
            for connection, received, raw in bag.messages([c for c in joint_states if c.topic == chosen]):
                _append(series, bag.deserialize(raw, connection.msgtype), received)
    except RdynError:
        raise
    except Exception as problem:       # a damaged bag makes its reader fail in ways nobody lists
        raise RdynError(f"{path} cannot be read as a bag: {type(problem).__name__} {problem}") from None
    return series


def _chosen(topics, wanted, path):
    if wanted is None:
        usual = [topic for topic in topics if topic.split("/")[-1] == "joint_states"]
        if len(usual or topics) == 1:
            return next(iter(usual or topics))
    elif "/" + wanted.lstrip("/") in topics:
        return "/" + wanted.lstrip("/")
    asked = "says which topic to take" if wanted is None else f"has joint states on '{wanted}'"
    known = ", ".join(sorted(topics)) or "none"
    raise RdynError(f"{path}: nothing {asked}; topics with JointState messages: {known}. Choose with --topic")


def _append(series, message, received):
    stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec or 1e-9 * received
    for field in FIELDS:
        values = getattr(message, field)
        if len(values) == len(message.name):
            for name, value in zip(message.name, values, strict=True):
                stamps, samples = series.setdefault((name, field), ([], []))
                stamps.append(stamp)
                samples.append(value)
