"""A closed loop at 1 kHz for minutes: cycles kept, memory flat, latency told."""
import struct
import subprocess
import time
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState

from rdyn_ros.bringup.description import describe
from rdyn_ros.bringup.fleet import Fleet

from .faults.watch import TORQUES, Watch
from .outcomes import Outcome

RATE = 1000.0  # [Hz]
LOST = 1e-3  # part of the cycles that may be lost on a machine that is not real-time
GROWTH = 1.0  # [MB] after the first minute
NODES = ("dynamics", "control")
START = 60.0  # [s] until all talk


def private_memory(pid):
    """Resident memory of a process that is its own, not shared [MB]."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024.0


def endurance_trials(seconds):
    """Outcomes of a run of simulator, dynamics and control of so many seconds at 1 kHz."""
    processes = describe("simulation", robot="arm_7r", viewer="false")
    with Fleet(processes, output=subprocess.DEVNULL) as fleet:
        watch, seen, latencies = Watch(topics=()), {}, []

        def keep(message):
            for status in (status for status in message.status if status.name in NODES):
                told = {pair.key: pair.value for pair in status.values}
                stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
                seen[status.name] = stamp, int(told["inputs"]), int(told["outputs"])

        def clock(data, info):
            seconds, nanoseconds = struct.unpack_from("<iI", data, 4)
            latencies.append(1e-9 * (info["received_timestamp"] - seconds * 10**9 - nanoseconds))

        watch.node.create_subscription(DiagnosticArray, "/diagnostics", keep, 10)
        watch.node.create_subscription(JointState, TORQUES, clock, 1000, raw=True)
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
            before = {name: private_memory(process.pid) for name, process in fleet.running.items()}
            latencies.clear()
            first = dict(seen)
            time.sleep(seconds - warm)
            last = dict(seen)
            grown = {name: private_memory(process.pid) - before[name]
                     for name, process in fleet.running.items()}
        finally:
            watch.close()
    p50, p999 = 1e3 * np.percentile(latencies, (50, 99.9))
    yield Outcome("from joint state to torque in another process", len(latencies),
                  f"p50 {p50:.2f} ms, p99.9 {p999:.2f} ms", "reported", True)
    for name in NODES:
        took, inputs, outputs = (after - then for after, then in zip(last[name], first[name], strict=True))
        lost = 1.0 - outputs / (RATE * took)
        yield Outcome(f"{name} at 1 kHz for {seconds / 60:.0f} minutes", outputs,
                      f"{100 * lost:.3f} % of the cycles lost, "
                      f"{inputs - outputs} states not answered", f"{100 * LOST} % lost", lost < LOST)
    for name, growth in grown.items():
        yield Outcome(f"memory of {name} meanwhile", 1, f"{growth:+.2f} MB after the first minute",
                      f"{GROWTH:g} MB", growth < GROWTH)
