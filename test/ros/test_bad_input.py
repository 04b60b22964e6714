"""Bad input: nothing non-finite is published, each kind is counted by its reason, and the node lives on."""
import time

import numpy as np
import pytest
from rclpy.serialization import serialize_message

from support.dynamics_peer import TORQUES, joint_state, stamp

pytestmark = pytest.mark.processes

Q, QD = np.linspace(-1.0, 1.0, 7), np.linspace(0.5, -0.5, 7)
WITH_NAN, WITH_INF = np.where(np.arange(7) == 3, np.nan, Q), np.where(np.arange(7) == 5, np.inf, Q)
NAMES = [f"joint_{i}" for i in range(1, 8)]

REFUSED = {
    "nan": ((NAMES, WITH_NAN, QD), "position_not_finite"),
    "infinity": ((NAMES, WITH_INF, QD), "position_not_finite"),
    "too few positions": ((NAMES, Q[:5], QD), "wrong_length"),
    "too many positions": ((NAMES, [*Q, 1.0], QD), "wrong_length"),
    "too few velocities": ((NAMES, Q, QD[:3]), "wrong_length"),
    "no positions": ((NAMES, [], []), "no_position"),
    "a name twice": (([*NAMES[:6], "joint_1"], Q, QD), "duplicate_name"),
    "unknown joints": ((["a", "b"], [1.0, 2.0]), "no_known_joint"),
    "empty message": (([], []), "no_known_joint"),
    "too long": (([*NAMES, *(f"x{i}" for i in range(20_000))], np.zeros(20_007)), "too_long"),
}


def all_finite(arm):
    return all(np.isfinite(m.effort).all() for topic in TORQUES for m in arm.heard[topic])


@pytest.mark.parametrize("kind", REFUSED)
def test_a_bad_message_is_refused_and_counted_and_the_next_good_one_answered(arm, kind):
    fields, reason = REFUSED[kind]
    before, sent = arm.count(reason), set()

    def bad():
        arm.stamp += 1_000_000
        sent.add(arm.stamp)
        return joint_state(*fields, stamp=arm.stamp)

    arm.tell(bad, lambda *_: arm.count(reason) > before, reason)
    np.testing.assert_allclose(arm.effort(Q, QD), arm.robot.gravity_torque(Q), rtol=1e-12, atol=1e-12)
    assert not any(arm.first(topic, sent) for topic in TORQUES)
    assert all_finite(arm)


@pytest.mark.parametrize("data", [b"\x00\x00\xff\xff", b"\x00\x01\xff\xff", b"\x00\x01\x00\x00junk"])
def test_bytes_that_are_no_message_are_counted(arm, data):
    before = arm.count("unreadable")
    arm.tell(lambda: data, lambda *_: arm.count("unreadable") > before, "unreadable")
    np.testing.assert_allclose(arm.effort(Q, QD), arm.robot.gravity_torque(Q), rtol=1e-12, atol=1e-12)


def test_a_stamp_that_goes_back_is_refused_until_silence_shows_a_restart(arm):
    arm.ask(Q, QD)
    before, old = arm.count("stamp_backwards"), arm.stamp - 500_000_000
    arm.tell(lambda: joint_state(NAMES, Q, QD, stamp=old), lambda *_: arm.count("stamp_backwards") > before)
    assert arm.first("gravity", {old}) is None
    arm.set(state_timeout=0.2)
    arm.wait_status(lambda level, words, values: "stale" in words, "silence")
    restarted = arm.stamp = old - 400_000_000
    for heard in arm.heard.values():
        heard.clear()   # stamps are about to be used again
    assert stamp(arm.ask(Q, QD)) > restarted, "a simulation that starts again is followed"


def test_huge_numbers_give_no_output_rather_than_one_that_is_not_finite(arm):
    before = arm.count("result_not_finite")
    arm.tell(lambda: arm.message(Q, np.full(7, 1e200)),
             lambda *_: arm.count("result_not_finite") > before)
    arm.ask(Q, QD)
    assert all_finite(arm)


def burst(arm, count=1000):
    """Publishes states as fast as this process can; their rate [Hz]."""
    states = [serialize_message(arm.message(Q, QD)) for _ in range(count)]
    begin = time.perf_counter()
    for state in states:
        arm.states.publish(state)
    return count / (time.perf_counter() - begin)


def test_complaint_14_a_burst_of_10_khz_is_survived_and_what_was_lost_is_told_with_rates_and_latency(arm):
    arm.ask(Q, QD)
    before = arm.count("lost")
    arm.listener.wait(lambda: burst(arm) > 10_000.0 and arm.count("lost") > before, "a burst too fast for the node")
    assert any("x lost on the way" in s.message and s.level == b"\x01"
               for array in arm.diagnostics for s in array.status if s.name == arm.node.strip("/"))
    np.testing.assert_allclose(arm.effort(Q, QD), arm.robot.gravity_torque(Q), rtol=1e-12, atol=1e-12)
    _, _, values = arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: (
        float(values["output_rate_hz"]) > 0.0 and float(values["latency_p50_us"]) > 0.0))
    assert int(values["outputs"]) <= int(values["inputs"])
    p50, p99, most = (float(values[f"latency_{name}_us"]) for name in ("p50", "p99", "max"))
    assert p50 <= p99 <= most


def test_complaint_14_a_rate_below_the_wanted_one_is_told(arm):
    arm.set(wanted_rate=10_000.0)
    level, *_ = arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: "wanted are 10000 Hz" in words)
    assert level == b"\x01"
    arm.set(wanted_rate=0.0)
    arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: "wanted" not in words)


def test_complaint_12_stamps_of_another_clock_are_kept_answered_and_told(arm):
    arm.stamp = max(arm.stamp, time.time_ns() + 100 * 10**9)   # a clock that is 100 s ahead
    arm.ask(Q, QD)
    arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: (
        "another clock" in words and float(values["stamp_difference_s"]) < -10.0))
    arm.set(stamp_tolerance=3600.0)
    arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: "another clock" not in words)


def test_complaint_11_a_publisher_that_dies_stops_the_output_and_turns_diagnostics_to_error(arm):
    arm.set(state_timeout=0.2)
    arm.ask(Q, QD)
    level, *_ = arm.wait_status(lambda level, words, values: "stale" in words)
    assert level == b"\x02"
    arm.wait_status(lambda level, words, values: float(values["input_age_s"]) > 0.6, "further silence")
    for topic in TORQUES:
        stamps = [stamp(m) for m in arm.heard[topic]]
        assert len(set(stamps)) == len(stamps), "no state is answered twice"
    arm.ask(Q, QD)
    arm.tell(lambda: arm.message(Q, QD), lambda level, words, values: level != b"\x02", "recovery")


def test_one_of_two_publishers_that_dies_stops_the_output(arm):
    arm.set(state_timeout=0.2)
    arm.ask(Q, QD)
    before = arm.count("incomplete")
    arm.tell(lambda: arm.message(Q[:4], QD[:4], names=NAMES[:4]), lambda *_: arm.count("incomplete") > before)
    last = arm.stamp
    arm.tell(lambda: arm.message(Q[:4], QD[:4], names=NAMES[:4]),
             lambda level, words, values: level == b"\x02" and arm.count("incomplete") > before + 5)
    assert not any(stamp(m) > last for m in arm.heard["gravity"])
