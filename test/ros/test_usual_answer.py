"""The way in C answers the usual message as Python does, and leaves every other to Python."""
from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from rdyn_ros.nodes.cdr import JointStateReader
from rdyn_ros.nodes.dynamics_outputs import Outputs
from rdyn_ros.nodes.joint_states import JointStates
from rdyn_ros.nodes.loaded_robot import Load, loaded
from rdyn_ros.nodes.parameters import DynamicsParameters
from rdyn_ros.spatial import pose_matrix, quaternion_matrix
from support.dynamics_peer import joint_state

RNG = np.random.default_rng(3)


class Way:
    """Outputs with states of their own, and what they publish by topic."""

    def __init__(self, values=None):
        values = values or VALUES
        self.topics, self.tf = {}, []
        self.outputs = Outputs(ROBOT, values, lambda kind, topic: self.topics.setdefault(topic, []).append, tf=(
            lambda stamp, base, frames, poses: self.tf.append((stamp, base, frames, list(poses)))))
        self.states = JointStates(ROBOT.joint_names)
        self.answer = self.outputs.usual(LOADED, self.states, values)
        self.numbers = [write.numbers for _, write in self.outputs._main]

    def fast(self, data, now=1.0):
        messages = self.answer(data, now, 0.1)
        if messages is not None:
            self.outputs.publish_usual(messages, LOADED, self.states, now, None)
        return messages is not None

    def plain(self, data, now=1.0):
        if self.states.take(JointStateReader()(data), now, 0.1) is None and self.states.age(now) < 0.1:
            return self.outputs.publish(LOADED, self.states, now, VALUES, None) == 0
        return False


ROBOT = rdyn.load("arm_7r")
VALUES = DynamicsParameters(joints=("joint_3", "joint_1", "joint_7"), use_friction=True, gravity_scale=0.9)
LOADED = loaded(Load(ROBOT, {}, ROBOT.tips[0]), gravity=(1.0, 2.0, -9.0))
NAMES = list(ROBOT.joint_names)


def state_bytes(names=NAMES, stamp=5, q=None, qd=None, effort=()):
    n = len(names)
    q = RNG.uniform(-3.0, 3.0, n) if q is None else q
    qd = RNG.uniform(-2.0, 2.0, n) if qd is None else qd
    return bytes(serialize_message(joint_state(names, q, qd, effort, stamp)))


def same_state(a, b):
    return all(np.array_equal(getattr(a, x), getattr(b, x), equal_nan=True)
               for x in ("q", "qd", "effort", "stamps", "arrived", "has_velocity")) and a.stamp == b.stamp


def head(data, topic):
    """What a message says beside its numbers; between words the wire has padding, which may be anything."""
    message = deserialize_message(data, {"~/pose": PoseStamped, "~/twist": TwistStamped}.get(topic, JointState))
    return message.header, getattr(message, "name", None)


@pytest.mark.parametrize("names", [NAMES, NAMES[::-1], ["x", *NAMES[3:], "y", *NAMES[:3]]])
def test_both_ways_publish_the_same_and_keep_the_same_state(names):
    c, python = Way(), Way()
    for k in range(1, 20):
        data = state_bytes(names, stamp=k * 1_234_567_891, effort=RNG.normal(size=len(names)))
        assert c.fast(data)
        assert python.plain(data)
        assert same_state(c.states, python.states)
    for (topic, messages), numbers in zip(python.topics.items(), c.numbers, strict=True):
        assert len(c.topics[topic]) == len(messages) == 19
        for ours, theirs in zip(c.topics[topic], messages, strict=True):
            assert head(ours, topic) == head(theirs, topic), "stamp, names and frame"
            np.testing.assert_allclose(numbers(ours), numbers(theirs), rtol=1e-15, atol=1e-15)


def test_both_ways_tell_tf_the_poses_of_all_tips():
    c, python = (Way(replace(VALUES, tips=("flange", "link_4"), frame_prefix="left/")) for _ in range(2))
    q = RNG.uniform(-3.0, 3.0, 7)
    data = state_bytes(stamp=9, q=q)
    assert c.fast(data) and python.plain(data)
    for stamp, base, frames, poses in (*c.tf, *python.tf):
        assert (stamp, base, frames) == (9, "left/base", ["left/flange", "left/link_4"])
        for pose, tip in zip(poses, ("flange", "link_4"), strict=True):
            T = pose_matrix(quaternion_matrix(pose[3:]), pose[:3])
            np.testing.assert_allclose(T, ROBOT.fk(q, tip), atol=1e-14)


def test_halves_of_two_publishers_are_merged_in_both_ways():
    c, python = Way(), Way()
    for k, names in enumerate([NAMES[:4], NAMES[4:], NAMES[:4], NAMES[4:]], 1):
        data = state_bytes(names, stamp=k)
        assert c.fast(data) == python.plain(data) == (k > 1)
        assert same_state(c.states, python.states)


ODD = {
    "nothing": b"", "two bytes": b"\x00\x01", "nan": state_bytes(q=[np.nan] * 7), "no velocity": state_bytes(qd=()),
    "infinite velocity": state_bytes(qd=[np.inf] * 7), "too few": state_bytes(q=[0.0] * 6),
    "other joints": state_bytes(["a", "b"]), "a joint twice": state_bytes([*NAMES, "joint_1"]),
    "no joints": state_bytes([]), "results not finite": state_bytes(qd=[1e200] * 7),
    "too many efforts": state_bytes(effort=[0.0] * 8), "one effort nan": state_bytes(effort=[*[0.0] * 6, np.nan]),
    "first effort nan": state_bytes(effort=[np.nan, *[0.0] * 6]), "infinite efforts": state_bytes(effort=[np.inf] * 7),
    "big endian": b"\x00\x00" + state_bytes()[2:],
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_odd_is_left_to_python(kind):
    assert not Way().fast(ODD[kind])


def test_efforts_that_are_nan_throughout_are_usual():
    assert Way().fast(state_bytes(["x", *NAMES], effort=[1.0, *[np.nan] * 7]))


def test_stamps_that_go_back_are_left_to_python():
    way = Way()
    assert way.fast(state_bytes(stamp=100), now=1.0)
    assert not way.fast(state_bytes(stamp=50), now=1.05)
    assert way.fast(state_bytes(stamp=50), now=1.2)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6),
       st.integers(0, 400))
def test_damaged_bytes_never_crash_and_never_differ(changes, cut):
    data = bytearray(state_bytes(stamp=7, q=np.linspace(-1, 1, 7), qd=np.linspace(1, -1, 7)))
    for at, value in changes:
        data[at % len(data)] = value
    data = bytes(data[:len(data) - cut % 40 if cut > 200 else len(data)])
    c, python = Way(), Way()
    answered, readable = c.fast(data), True
    try:
        JointStateReader()(data)
    except ValueError:
        readable = False
    assert readable or not answered
    if readable:
        assert python.plain(data) or not answered
        assert not answered or same_state(c.states, python.states)
