"""Dynamics and control beside a driver at 1 kHz for minutes: cycles kept, memory flat, latency told."""
import struct
import subprocess
import sys
import threading
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

import rdyn_ros
from rdyn_ros.bringup.description import describe
from rdyn_ros.bringup.fleet import Fleet

from .faults.system import System
from .faults.watch import STATES, TORQUES, Watch
from .memory import memory
from .outcomes import Outcome

RATE = 1000.0  # [Hz]
LOST = 1e-3  # part of the cycles that may be lost on a machine that is not real-time
GROWTH = 1.0  # [MB] after the first minute
NODES = ("dynamics", "control")
START = 60.0  # [s] until all talk
STAMP = struct.Struct("<iI")  # where a serialized message has it: after 4 bytes


class Driver(threading.Thread):
    """Says at RATE, with the present time, that an arm stands and its motors carry its weight.

    After a pause of the machine it goes on at its pace, as drivers do; `sent` counts what it said.
    """

    def __init__(self, publisher, robot):
        super().__init__(daemon=True)
        q = 0.5 * (robot.limits.lower + robot.limits.upper) + 0.2
        self._message = bytearray(serialize_message(JointState(
            name=list(robot.joint_names), position=q.tolist(), velocity=[0.0] * len(q),
            effort=robot.gravity_torque(q).tolist())))
        self._publisher, self._done, self.sent = publisher, False, 0

    def run(self):
        due = time.perf_counter()
        while not self._done:
            while (left := due - time.perf_counter()) > 0.0:
                time.sleep(left)
            STAMP.pack_into(self._message, 4, *divmod(time.time_ns(), 10**9))
            self._publisher.publish(bytes(self._message))
            self.sent += 1
            due = max(due, time.perf_counter() - 1.0 / RATE) + 1.0 / RATE

    def end(self):
        """Says no more."""
        self._done = True
        self.join()


def endurance_trials(seconds):
    """Outcomes of a run of dynamics and control, torque on, of so many seconds at 1 kHz."""
    robot, seen, latencies = rdyn_ros.load("arm_7r"), {}, []
    sys.setswitchinterval(1e-4)  # the driver must not wait for the listener

    def keep(message):
        for status in (status for status in message.status if status.name in NODES):
            told = {pair.key: pair.value for pair in status.values}
            seen[status.name] = driver.sent, int(told["inputs"]), int(told["outputs"])

    def clock(data):
        seconds, nanoseconds = STAMP.unpack_from(data, 4)
        latencies.append(1e-9 * (time.time_ns() - seconds * 10**9 - nanoseconds))

    with Fleet(describe("control", robot=robot.name), output=subprocess.DEVNULL) as fleet:
        watch = Watch(topics=(), executor="events")
        watch.node.create_subscription(DiagnosticArray, "/diagnostics", keep, 10)
        watch.node.create_subscription(JointState, TORQUES, clock, 1000, raw=True)
        driver = Driver(watch.node.create_publisher(JointState, STATES, 10), robot)
        driver.start()
        try:
            begin = time.monotonic()
            while not latencies or any(name not in seen for name in NODES):
                if time.monotonic() > begin + START:
                    yield Outcome("a system at 1 kHz", 1, "did not start", f"{START:g} s", False)
                    return
                time.sleep(0.1)
            watch.enable()
            warm = min(60.0, seconds / 4)
            time.sleep(warm)
            before = {name: memory("RssAnon", process.pid) for name, process in fleet.running.items()}
            latencies.clear()
            first = dict(seen)
            time.sleep(seconds - warm)
            last = dict(seen)
            grown = {name: memory("RssAnon", process.pid) - before[name]
                     for name, process in fleet.running.items()}
        finally:
            driver.end()
            watch.close()
    p50, p999 = 1e3 * np.percentile(latencies, (50, 99.9))
    yield Outcome("from joint state to torque and back in this process", len(latencies),
                  f"p50 {p50:.2f} ms, p99.9 {p999:.2f} ms", "reported", True)
    for name in NODES:
        sent, inputs, outputs = (after - then for after, then in zip(last[name], first[name], strict=True))
        lost = 1.0 - outputs / sent
        yield Outcome(f"{name} at 1 kHz for {seconds / 60:.0f} minutes", sent,
                      f"{100 * lost:.3f} % of the cycles lost, "
                      f"{inputs - outputs} states not answered", f"{100 * LOST} % lost", lost < LOST)
    yield from _memories(grown, "meanwhile", warm)


def simulation_trials(seconds):
    """Outcomes of a run of all nodes, the arm swinging: memory of simulator and viewer."""
    with System(viewer="true") as system:
        system.ready()
        system.swing()
        warm = min(60.0, seconds / 2)
        time.sleep(warm)
        before = {name: memory("RssAnon", system.pids()[name]) for name in ("simulator", "viewer")}
        time.sleep(seconds - warm)
        grown = {name: memory("RssAnon", system.pids()[name]) - used for name, used in before.items()}
    yield from _memories(grown, "beside a swinging arm", warm)


def _memories(grown, when, warm):
    for name, growth in grown.items():
        yield Outcome(f"memory of {name} {when}", 1, f"{growth:+.2f} MB after the first {warm:.0f} s",
                      f"{GROWTH:g} MB", growth < GROWTH)
