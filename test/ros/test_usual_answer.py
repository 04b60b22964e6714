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
from rdyn_ros.nodes._answer import MOST_LOADS
from rdyn_ros.nodes.cdr import CommandWriter, JointStateReader
from rdyn_ros.nodes.command import Command
from rdyn_ros.nodes.dynamics_outputs import Outputs
from rdyn_ros.nodes.joint_states import JointStates
from rdyn_ros.nodes.loaded_robot import OVERLAPPING, Load, Payload, loaded
from rdyn_ros.nodes.messages import quaternion_of, vector_of
from rdyn_ros.nodes.parameters import DynamicsParameters
from rdyn_ros.spatial import pose_matrix, quaternion_matrix
from support.dynamics_peer import joint_state
from support.dynamics_peer import stamp as stamp_of

RNG = np.random.default_rng(3)


class Way:
    """Outputs with states of their own, and what they publish by topic."""

    def __init__(self, values=None):
        self.values = values = values or VALUES
        self.topics, self.tf = {}, []
        self.outputs = Outputs(ROBOT, values, lambda kind, topic: self.topics.setdefault(topic, []).append, tf=(
            lambda stamp, base, frames, poses: self.tf.append((stamp, base, frames, list(poses)))))
        self.states = JointStates(ROBOT.joint_names)
        self.command = Command(ROBOT.limits.effort, values)
        self.loaded = loaded(Load(ROBOT, {}, self.outputs.tips[0], (), self.outputs.tips[1:]), gravity=(1.0, 2.0, -9.0))
        self.answer = self.outputs.usual(self.loaded, self.states, values, self.command)
        ways = [*self.outputs._torques, self.outputs._twist, *self.outputs._poses]
        self.numbers = [write.numbers for _, write in ways]

    def fast(self, data, now=1.0):
        if not self.answer(data, now):
            return False
        command, *messages = self.answer.messages
        for sent, message in zip(self.topics.values(), messages, strict=command is None):
            sent += [] if message is None else [message]
        if command is not None:
            self.topics[self.values.command_topic].append(command)
        return True

    def plain(self, data, now=1.0):
        odd = self.states.take(JointStateReader()(data), now, 0.1, self.values.cutoff)
        if odd in (None, "velocity_missing") and self.states.age(now) < 0.1:
            return self.outputs.publish(self.loaded, self.states, now, self.values, self.command) == 0
        return False


ROBOT = rdyn.load("arm_7r")
VALUES = DynamicsParameters(joints=("joint_3", "joint_1", "joint_7"), use_friction=True, gravity_scale=0.9)
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


def test_both_ways_publish_the_poses_of_all_tips_and_python_tells_tf():
    c, python = (Way(replace(VALUES, tips=("flange", "link_4"), frame_prefix="left/")) for _ in range(2))
    q = RNG.uniform(-3.0, 3.0, 7)
    data = state_bytes(stamp=9, q=q)
    assert c.fast(data) and python.plain(data)
    (stamp, base, frames, told), = python.tf
    assert (stamp, base, frames) == (9, "left/base", ["left/flange", "left/link_4"])
    for topic, tip, pose in zip(("~/pose", "~/link_4/pose"), ("flange", "link_4"), told, strict=True):
        for way in (c, python):
            message = deserialize_message(way.topics[topic][-1], PoseStamped)
            assert stamp_of(message) == 9 and message.header.frame_id == "left/base"
            np.testing.assert_allclose(np.concatenate([vector_of(message.pose.position),
                                                       quaternion_of(message.pose.orientation)]), pose, atol=1e-14)
        T = pose_matrix(quaternion_matrix(pose[3:]), pose[:3])
        np.testing.assert_allclose(T, ROBOT.fk(q, tip), atol=1e-14)


COMMANDED = replace(VALUES, command_topic="commands", max_delta_tau=0.5, effort_scale=0.1, ramp_time=0.02,
                    joints=(), use_measured_effort=True)


def test_both_ways_command_the_same_torque_and_either_goes_on_from_the_other():
    mixed, python, numbers = Way(COMMANDED), Way(COMMANDED), CommandWriter(7).numbers
    for k in range(1, 400):
        now, q = 1.0 + 0.003 * k, 2.0 * np.sin(0.01 * k * np.arange(1, 8))
        data = state_bytes(stamp=k, q=q, effort=np.linspace(-5.0, 5.0, 7))
        assert mixed.fast(data, now) if k % 3 else mixed.plain(data, now)
        assert python.plain(data, now)
        ours, theirs = (numbers(way.topics["commands"][-1]) for way in (mixed, python))
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
        assert np.array_equal(mixed.command.weak, python.command.weak)
    assert python.command.weak.any()
    commands = np.array([numbers(message) for message in python.topics["commands"]])
    change = abs(np.diff(commands, axis=0))
    assert (change.max(axis=0) >= 0.5 - 1e-9).any() and change.max() <= 0.5 + 1e-9, "the bound was met"


BEGINNINGS = {"measured effort": {}, "effort that is not to be used": {"use_measured_effort": False},
              "a driver that compensates gravity": {"driver_compensates_gravity": True}, "no ramp": {"ramp_time": 0.0}}


@pytest.mark.parametrize("effort", [np.linspace(-300.0, 300.0, 7), [np.nan] * 7, ()], ids=["known", "nan", "none"])
@pytest.mark.parametrize("ends", ["silence", "end"])
@pytest.mark.parametrize("kind", BEGINNINGS)
def test_both_ways_begin_a_stream_at_the_same_torque_and_ramp_alike(kind, ends, effort):
    values, numbers = replace(COMMANDED, **BEGINNINGS[kind]), CommandWriter(7).numbers
    c, python = Way(values), Way(values)
    for k in range(1, 60):
        if k == 30 and ends == "end":
            c.command.end()
            python.command.end()
        now = 1.0 + 0.003 * k + (0.1 if k >= 30 and ends == "silence" else 0.0)
        data = state_bytes(stamp=k, effort=effort)
        assert c.fast(data, now) and python.plain(data, now)
        ours, theirs = (numbers(way.topics["commands"][-1]) for way in (c, python))
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    first, before, begun = (numbers(c.topics["commands"][k]) for k in (0, 28, 29))
    assert not np.allclose(before, begun) and (values.ramp_time == 0.0 or np.array_equal(first, begun)), "a new stream"


@pytest.mark.parametrize("ramp_time", [0.0, 60.0])
def test_a_ramp_keeps_the_length_that_it_began_with(ramp_time):
    values = replace(COMMANDED, ramp_time=0.3, max_delta_tau=0.0, effort_scale=1.0)
    ways, numbers, data = [Way(values), Way(values)], CommandWriter(7).numbers, state_bytes(stamp=0, effort=[0.0] * 7)
    law = None
    for k in range(120):
        if k == 50:
            for way in ways:
                way.command.adjust(ROBOT.limits.effort, replace(values, ramp_time=ramp_time))
                way.answer = way.outputs.usual(way.loaded, way.states, way.values, way.command)
        now = 1.0 + 0.003 * k
        assert ways[0].fast(data, now) and ways[1].plain(data, now)
        c, python = (numbers(way.topics["commands"][-1]) for way in ways)
        np.testing.assert_allclose(c, python, rtol=1e-12, atol=1e-12)
        law = ways[0].numbers[0](ways[0].topics["~/compensation"][-1])
        np.testing.assert_allclose(c, min(1.0, 0.003 * k / 0.3) * law, rtol=1e-9, atol=1e-9)


PAYLOADS = [Payload("flange", mass, np.array([0.01, 0.02, 0.1]), 0.01 * np.eye(3)) for mass in (2.0, 5.0, 1.0)]
CHANGES = {     # at [s], what changes, and within how many seconds
    "a payload": [(1.0, "payload", 0.5)], "gravity": [(1.0, "gravity", 0.5)],
    "a payload and gravity": [(1.0, "payload", 0.7), (1.2, "gravity", 0.3)],
    "payloads on top of each other": [(1.0, "payload", 0.6), (1.1, "payload", 0.6), (1.2, "payload", 0.2)],
    "at once": [(1.2, "payload", 0.0), (1.4, "gravity", 0.0)],
    "one that begins after the state came": [(1.25, "payload", 0.5)],
}


@pytest.mark.parametrize("kind", CHANGES)
def test_both_ways_pass_over_to_other_payloads_and_gravity(kind):
    c, python = Way(), Way()
    for step in range(100):
        now, data = 0.9 + 0.01 * step, state_bytes(stamp=step + 1)
        for number, (at, what, duration) in enumerate(CHANGES[kind]):
            if at - 0.005 <= now < at + 0.005:
                begin, load = at + 0.004, python.loaded.load.carrying({"held": PAYLOADS[number]})
                for way in (c, python):
                    way.loaded = (way.loaded.with_load(load, begin, duration) if what == "payload"
                                  else way.loaded.with_gravity((-3.0, 1.0, 4.0), begin, duration))
                c.answer.loads = c.loaded.shared
        assert c.fast(data, now) and python.plain(data, now)
        for (topic, messages), numbers in zip(python.topics.items(), c.numbers, strict=True):
            np.testing.assert_allclose(numbers(c.topics[topic][-1]), numbers(messages[-1]), rtol=1e-12, atol=1e-12)


def test_loads_that_cannot_be_are_refused_and_change_nothing():
    way, untouched, data = Way(), Way(), state_bytes()
    before = way.answer
    loads, *rest = way.loaded.shared
    for wrong, error in (([], TypeError), ((), TypeError), (((), *rest), ValueError), ((10 * loads, *rest), ValueError),
                         (((loads[0][:2],), *rest), TypeError), ((loads, rest[0], (1.0, 2.0), *rest[2:]), TypeError)):
        with pytest.raises(error):
            before.loads = wrong
    with pytest.raises(TypeError):
        del before.loads
    assert way.fast(data) and untouched.fast(data)
    for messages, theirs, numbers in zip(way.topics.values(), untouched.topics.values(), way.numbers, strict=True):
        assert np.array_equal(numbers(messages[-1]), numbers(theirs[-1]))


def test_c_has_room_for_all_transitions_that_may_overlap():
    assert MOST_LOADS == OVERLAPPING + 1


ESTIMATING = replace(VALUES, estimate_velocity=True, velocity_cutoff=15.0)


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("stamped", [True, False])
def test_both_ways_estimate_the_same_velocities(stamped):
    c, python, now, q, left = Way(ESTIMATING), Way(ESTIMATING), 1.0, np.zeros(7), 0
    before = q
    bounded, turned, folded = 0, 0, np.arange(7) < 3            # by the driver
    for way in (c, python):
        way.states.fastest[:], way.states.fastest[0], way.states.turn[folded] = 2.0, np.inf, 2.0 * np.pi
    for k in range(1, 300):
        now += (0.003, 0.0, 0.02, 0.3)[0 if k % 9 else k // 9 % 4]      # also at once, late, and too late
        names = NAMES if k % 5 else NAMES[:4] if k % 2 else NAMES[4:]
        q = q + 0.01 * np.sin(0.03 * k * np.arange(1, 8)) + (1e308 if k == 150 else -1e308 if k == 151 else 0.0)
        told = np.where(folded, np.remainder(40.0 * q + np.pi, 2.0 * np.pi) - np.pi, q)
        data = state_bytes(names, int(1e9 * now) if stamped else 0, told[[NAMES.index(name) for name in names]],
                           () if k % 11 else np.full(len(names), 0.4))
        in_c = c.fast(data, now)
        assert (in_c or c.plain(data, now)) == python.plain(data, now), k
        left += not in_c
        for known in ("q", "qd", "has_velocity", "stamps", "arrived"):
            np.testing.assert_allclose(getattr(c.states, known), getattr(python.states, known), rtol=1e-12, atol=1e-12)
        assert not c.answer.velocity_missing and abs(c.states.qd[1:]).max() <= 2.0
        turned, before = turned + (abs(told - before)[folded] > np.pi).any(), told
        bounded += (abs(c.states.qd) == 2.0).any()
    sent = [(len(way.topics["~/coriolis"]), len(way.topics["~/gravity"])) for way in (c, python)]
    assert 200 < sent[0][0] < sent[0][1], "some were too late for a velocity"
    assert bounded > 10, "the bound was met"
    assert turned > 20, "joints passed the seam"
    assert sent[0] == sent[1] and left < 20, "states that are incomplete after silence, or beyond all angles"


@pytest.mark.parametrize("way", ["fast", "plain"])
def test_an_estimated_velocity_from_before_a_reset_of_time_is_not_known_any_more(way):
    both = Way(ESTIMATING)
    take = getattr(both, way)
    for k in range(1, 10):
        take(state_bytes(stamp=int(1e9 * (100.0 + 0.01 * k)), q=np.full(7, 0.01 * k), qd=()), 1.0 + 0.01 * k)
    assert both.states.has_velocity.all() and (both.states.qd > 0.5).all()
    take(state_bytes(stamp=int(1e9), q=np.zeros(7), qd=()), 2.0)        # simulated time began anew
    assert not both.states.has_velocity.any()
    take(state_bytes(stamp=int(1.01e9), q=np.zeros(7), qd=()), 2.01)
    assert both.states.has_velocity.all() and not both.states.qd.any()


def test_halves_of_two_publishers_are_merged_in_both_ways():
    c, python = Way(), Way()
    for k, names in enumerate([NAMES[:4], NAMES[4:], NAMES[:4], NAMES[4:]], 1):
        data = state_bytes(names, stamp=k)
        assert c.fast(data) == python.plain(data) == (k > 1)
        assert same_state(c.states, python.states)


def test_without_velocities_both_ways_publish_what_is_known():
    c, python = Way(COMMANDED), Way(COMMANDED)
    for k in range(1, 40):
        now, data = 1.0 + 0.003 * k, state_bytes(stamp=k, qd=() if k % 2 else None)
        assert c.fast(data, now) and python.plain(data, now)
        assert same_state(c.states, python.states)
        assert c.answer.velocity_missing == (k % 2 == 1)
    for topic, messages in python.topics.items():
        wanted = 19 if topic in ("~/coriolis", "~/friction", "~/twist") else 39
        assert len(messages) == len(c.topics[topic]) == wanted


def test_velocities_of_one_half_alone_are_no_velocities():
    c, python = Way(), Way()
    for k, names in enumerate([NAMES[:4], NAMES[4:], NAMES[:4], NAMES[4:]], 1):
        data = state_bytes(names, stamp=k, qd=() if k % 2 else None)
        assert c.fast(data) == python.plain(data) == (k > 1)
    np.testing.assert_allclose(c.numbers[0](c.topics["~/compensation"][-1]),
                               python.numbers[0](python.topics["~/compensation"][-1]), rtol=1e-15)
    assert not c.topics["~/coriolis"] and not python.topics["~/coriolis"]


ODD = {
    "nothing": b"", "two bytes": b"\x00\x01", "nan": state_bytes(q=[np.nan] * 7),
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
