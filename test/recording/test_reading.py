"""Recordings come back as they were written: CSV, MCAP and sqlite, one publisher or several."""
import numpy as np
import pytest

from rdyn_ros.errors import RdynError
from rdyn_ros.recording import read_recording
from rdyn_ros.recording.recording import derivative

JOINTS = ("shoulder", "elbow")
TIME = np.linspace(0.0, 1.0, 101)
POSITION = np.column_stack([np.sin(TIME), np.cos(2 * TIME)])
VELOCITY = np.column_stack([np.cos(TIME), -2 * np.sin(2 * TIME)])
EFFORT = np.column_stack([3.0 + TIME, 1.0 - TIME])
ALL = {"position": POSITION, "velocity": VELOCITY, "effort": EFFORT}


def write_csv(path, fields, head="time", prefix=""):
    names = [f"{prefix}{joint}/{field}" for field in fields for joint in JOINTS]
    table = np.column_stack([TIME + 100.0, *fields.values()])
    np.savetxt(path, table, delimiter=",", header=",".join([head, *names]), comments="", fmt="%.17g")


def write_bag(path, plugin, topics=("/joint_states",), split=False, stamped=True):
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore
    store = get_typestore(Stores.ROS2_KILTED)
    header, stamp, state = (store.types[name] for name in (
        "std_msgs/msg/Header", "builtin_interfaces/msg/Time", "sensor_msgs/msg/JointState"))
    parts = [[0], [1]] if split else [[1, 0]]
    with Writer(path, version=9, storage_plugin=plugin) as bag:
        for topic in topics:
            connection = bag.add_connection(topic, state.__msgtype__, typestore=store)
            for row, t in enumerate(TIME):
                nano = round((t + 5.0) * 1e9)
                for k in parts:
                    head = header(stamp(*divmod(nano, 10**9)) if stamped else stamp(0, 0), "")
                    names = [JOINTS[i] for i in k]
                    message = state(head, names, POSITION[row, k], VELOCITY[row, k], EFFORT[row, k])
                    bag.write(connection, nano, store.serialize_cdr(message, state.__msgtype__))


def is_the_run(recording):
    assert recording.joint_names == JOINTS
    np.testing.assert_allclose(recording.time, TIME, atol=1e-8)
    np.testing.assert_allclose(recording.position, POSITION, atol=1e-12)
    np.testing.assert_allclose(recording.velocity, VELOCITY, atol=1e-12)
    np.testing.assert_allclose(recording.effort, EFFORT, atol=1e-12)


@pytest.mark.parametrize(("head", "prefix"), [("time", ""), ("__time", "/joint_states/")])
def test_csv_of_this_package_and_of_plotjuggler(tmp_path, head, prefix):
    write_csv(tmp_path / "run.csv", ALL, head, prefix)
    is_the_run(read_recording(tmp_path / "run.csv", JOINTS))


@pytest.mark.parametrize("split", [False, True], ids=["one_publisher", "two_publishers"])
@pytest.mark.parametrize("plugin", ["MCAP", "SQLITE3"])
def test_bag_folder_and_bare_file(tmp_path, plugin, split):
    from rosbags.rosbag2 import StoragePlugin
    write_bag(tmp_path / "bag", StoragePlugin[plugin], split=split)
    is_the_run(read_recording(tmp_path / "bag", JOINTS))
    file = next((tmp_path / "bag").glob("*.mcap" if plugin == "MCAP" else "*.db3"))
    is_the_run(read_recording(file.rename(tmp_path / file.name), JOINTS))


def test_messages_without_a_stamp_count_when_received(tmp_path):
    from rosbags.rosbag2 import StoragePlugin
    write_bag(tmp_path / "bag", StoragePlugin.MCAP, stamped=False)
    is_the_run(read_recording(tmp_path / "bag", JOINTS))


def test_topic_is_asked_for_only_when_it_is_unclear(tmp_path):
    from rosbags.rosbag2 import StoragePlugin
    write_bag(tmp_path / "clear", StoragePlugin.MCAP, topics=("/left/joint_states", "/dynamics/gravity"))
    is_the_run(read_recording(tmp_path / "clear", JOINTS))
    write_bag(tmp_path / "unclear", StoragePlugin.MCAP, topics=("/left/joint_states", "/right/joint_states"))
    with pytest.raises(RdynError, match=r"/left/joint_states, /right/joint_states.*--topic"):
        read_recording(tmp_path / "unclear", JOINTS)
    is_the_run(read_recording(tmp_path / "unclear", JOINTS, "right/joint_states"))
    with pytest.raises(RdynError, match="'wrong'"):
        read_recording(tmp_path / "unclear", JOINTS, "wrong")


def test_velocity_left_out_is_differentiated_and_effort_left_out_is_nan(tmp_path):
    write_csv(tmp_path / "run.csv", {"position": POSITION})
    recording = read_recording(tmp_path / "run.csv", JOINTS)
    np.testing.assert_allclose(recording.velocity, VELOCITY, atol=1e-4)
    assert np.isnan(recording.effort).all()


@pytest.mark.parametrize("damage", [np.nan, np.inf, 1.7e308])
def test_damaged_numbers_are_left_out(tmp_path, damage):
    position, velocity = POSITION.copy(), VELOCITY.copy()
    for k, broken in ((50, damage), (51, -damage)):
        position[k], velocity[k + 5] = broken, broken
    write_csv(tmp_path / "run.csv", {"position": position, "velocity": velocity})
    recording = read_recording(tmp_path / "run.csv", JOINTS)
    assert recording.time.size == len(POSITION) - 2
    np.testing.assert_allclose(recording.velocity, np.delete(VELOCITY, (50, 51), axis=0), atol=1e-3)
    assert np.isfinite(recording.acceleration).all()


def test_acceleration_is_the_slope_of_the_velocity_also_between_uneven_stamps(rng):
    time = np.sort(rng.uniform(0.0, 2.0, 2000))
    slope = derivative(time, np.column_stack([np.sin(3 * time), time]))
    exact = np.column_stack([3 * np.cos(3 * time), np.ones(time.size)])
    np.testing.assert_allclose(slope[50:-50], exact[50:-50], atol=5e-3)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize(("name", "text", "match"), [
    ("none.csv", None, "does not exist"),
    ("run.txt", "x", "not readable; allowed are .csv"),
    ("run.csv", "", "first line must name"),
    ("run.csv", "time,a,b\n1,2,3\n", "first line must name"),
    ("run.csv", "time,shoulder/position,elbow/position\n0,1,x\n", "line 2: 'x' is neither"),
    ("run.csv", "time,shoulder/position\n0,1\n", "no positions of elbow; recorded joints: shoulder"),
    ("run.csv", "time,shoulder/position,elbow/position\n0,1,2\n1,,\n", "1 samples"),
    ("run.mcap", "no bag", "cannot be read as a bag"),
])
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path, name, text, match):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(RdynError, match=match):
        read_recording(tmp_path / name, JOINTS)
