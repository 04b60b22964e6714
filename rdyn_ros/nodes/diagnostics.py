"""What a node says about itself on /diagnostics: rates, latency percentiles, counters by reason."""
from array import array
from collections import Counter
from time import monotonic

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType

LEVELS = {"OK": DiagnosticStatus.OK, "WARN": DiagnosticStatus.WARN, "ERROR": DiagnosticStatus.ERROR}
STEADY = Clock(clock_type=ClockType.STEADY_TIME)  # runs on when simulated time stands


WORDS = {  # of counters whose names alone do not tell a user what to do
    "no_known_joint": "no joint of the robot is named (is joint_prefix right?)",
    "position_not_finite": "a position is nan or infinite", "velocity_not_finite": "a velocity is nan or infinite",
    "velocity_missing": "no velocities (the driver must send them, or set estimate_velocity)",
    "wrong_length": "not as many positions or velocities as names", "no_position": "no positions",
    "duplicate_name": "a joint is named twice", "stamp_backwards": "the stamp is older than that before",
    "too_long": "a message that is longer than is read",
    "unreadable": "bytes that are no message", "incomplete": "some joint is missing or stale",
    "lost": "lost on the way (they come faster than this machine or the network can take them)"}


class Monitor:
    """Counts a flow of messages and the time from input to output of the latest of them.

    flow: inputs, outputs, and what C counts of messages lost on the way and of those without velocities; latency [s].
    """

    def __init__(self, size=1024):
        self.counters, self._told = Counter(), Counter()
        self.flow, self.latency = array("q", (0, 0, 0, 0)), np.full(size, np.nan)
        self._then = monotonic(), 0, 0

    @property
    def inputs(self):
        """Messages that came."""
        return self.flow[0]

    @inputs.setter
    def inputs(self, number):
        self.flow[0] = number

    @property
    def outputs(self):
        """Messages that were answered."""
        return self.flow[1]

    def answered(self, seconds):
        """One input was answered `seconds` after it came."""
        self.latency[self.outputs % len(self.latency)] = seconds
        self.flow[1] += 1

    def odd(self, *usual):
        """Sentence about what was refused, odd or lost since this was asked last, without `usual` counters; or ""."""
        before, self._told = self._told, self._counts()
        grown = self._told - before
        counts = [f"{number} x {WORDS.get(reason, reason.replace('_', ' '))}"
                  for reason, number in grown.items() if reason not in usual]
        return f"odd input: {', '.join(counts)}" if counts else ""

    def report(self):
        """Rates since the last report [Hz], latencies [us] of the latest outputs, counters."""
        now = monotonic()
        then, inputs, outputs = self._then
        self._then = now, self.inputs, self.outputs
        span = max(now - then, 1e-9)
        known = np.sort(1e6 * self.latency[np.isfinite(self.latency)])
        ranks = np.array([0.5, 0.99, 1.0]) * (len(known) - 1)       # np.percentile takes 70 ms when first used
        p50, p99, most = known[np.rint(ranks).astype(int)] if len(known) else (0.0, 0.0, 0.0)
        return {"input_rate_hz": f"{(self.inputs - inputs) / span:.1f}",
                "output_rate_hz": f"{(self.outputs - outputs) / span:.1f}",
                "inputs": self.inputs, "outputs": self.outputs,
                "latency_p50_us": f"{p50:.1f}", "latency_p99_us": f"{p99:.1f}",
                "latency_max_us": f"{most:.1f}",
                **self.counted()}

    def counted(self):
        """Counters as {count_<reason>: number}."""
        return {f"count_{reason}": number for reason, number in sorted(self._counts().items())}

    def _counts(self):
        """All counters at one moment; threads go on counting."""
        return self.counters.copy() + Counter(lost=self.flow[2], velocity_missing=self.flow[3])


class Diagnostics:
    """Publishes `judge()` -> (level, sentence, {key: value}) on /diagnostics every diagnostics_period (steady)."""

    def __init__(self, node, judge):
        self._node, self._judge = node, judge
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._timer = None
        self.every(node.values.diagnostics_period)

    def every(self, period):
        """Sets the period [s]."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
        self._period = period
        self._timer = self._node.create_timer(period, self.publish, clock=STEADY)

    def publish(self):
        """Publishes once, now; nothing once ROS is shut down."""
        if not self._node.context.ok():
            return
        level, sentence, values = self._judge()
        if doubts := "; ".join(filter(None, (self._node.doubts, self._rivals()))):
            level, sentence = "WARN" if level == "OK" else level, f"{sentence}; {doubts}"
        values = values | {"period_s": self._period}
        status = DiagnosticStatus(
            level=LEVELS[level], name=self._node.get_fully_qualified_name().lstrip("/"), message=sentence,
            hardware_id=str(values.get("robot", "")),
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _rivals(self):
        """Sentence when more than one node commands the arm of this one; also logged."""
        topic = getattr(self._node.values, "command_topic", "")
        topic = topic and self._node.resolve_topic_name(topic)
        if not topic or self._node.count_publishers(topic) < 2:
            return ""
        found = self._node.get_publishers_info_by_topic(topic)
        names = ", ".join(sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in found))
        sentence = f"{len(found)} publishers command {topic}: {names}; an arm obeys one, end the others"
        self._node.get_logger().warning(sentence, throttle_duration_sec=5.0)
        return sentence
