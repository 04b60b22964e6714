"""The dynamics node beside a plain rclpy + Pinocchio node that publishes the same, a process each."""
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from struct import unpack_from

import numpy as np
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn
from bench.robots import TIPS, urdf
from bench.row import Row
from bench.spinning import Spinning

TITLE = "ROS nodes: seven joints at 1 kHz, four torque topics and the pose"
RATE, ROUND, ROUNDS = 1000.0, 1.0, 5  # [Hz], [s], of each node in turns
RATES = (500, 1000, 1500, 2000, 3000, 4000, 6000, 8000)


class Contender:
    """A node process in its own namespace and the endpoints that talk to it."""

    def __init__(self, node, name):
        self.name, self.node = name, node
        self.publisher = node.create_publisher(JointState, f"/{name}/joint_states", qos_profile_sensor_data)
        self.arrived = {}
        node.create_subscription(JointState, f"/{name}/dynamics/compensation", self._hear,
                                 QoSProfile(depth=1000), raw=True)
        self.process, self.trips, self.cpu = None, [], 0.0

    def begin(self, command, env=None):
        """Starts the process."""
        self.process = subprocess.Popen([sys.executable, *command, "--ros-args", "-r", f"__ns:=/{self.name}"],
                                        env={**os.environ, **(env or {})})
        return self

    def _hear(self, data):
        self.arrived[unpack_from("<iI", data, 4)] = time.perf_counter()

    def cpu_time(self):
        """Time that all threads of the process have run [s]."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) * 1e-9

    def memory(self):
        """Resident memory of the process [MB]."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def run(self, message, rate=RATE, seconds=ROUND):
        """Publishes states at a rate; returns the share that was answered."""
        template, n = bytearray(serialize_message(message)), int(seconds * rate)
        sent, begin, cpu = {}, time.perf_counter(), self.cpu_time()
        for k in range(n):
            while (left := begin + k / rate - time.perf_counter()) > 0.0:
                time.sleep(left)
            stamp = divmod(time.time_ns(), 10**9)
            np.frombuffer(template, "<i4", 2, 4)[:] = stamp
            sent[stamp] = time.perf_counter()
            self.publisher.publish(bytes(template))
        time.sleep(0.05)
        self.cpu += self.cpu_time() - cpu
        trips = [self.arrived[s] - t for s, t in sent.items() if s in self.arrived]
        self.trips += trips
        return len(trips) / n

    def close(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)


def rows():
    """Start, round trip, CPU, sustained rate, services and memory."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _measure(Path(folder))


@contextmanager
def contenders(*names, kind=Contender):
    """Contenders whose processes are still to begin, in a ROS of their own; ended on the way out.

    Starts are heard by endpoints that are made with them, as in a launch. DDS needs up to 3 s more to bring a
    new process together with one that has run for long, whatever it does: a node of ten lines waits as long.
    Endpoints are made before their executor spins: the events executor looks for new ones only once a second.
    """
    bench = Spinning("bench", executor="events")
    made = [kind(bench.node, name) for name in names]
    bench.spin()
    try:
        with ExitStack() as running:
            yield [running.enter_context(closing(contender)) for contender in made]
    finally:
        bench.close()


def _measure(folder):
    file = folder / "panda.urdf"
    file.write_text(urdf("Panda"))
    robot = rdyn.load(file)
    q = 0.5 * (robot.limits.lower + robot.limits.upper) + 0.1
    message = JointState(name=list(robot.joint_names), position=q.tolist(), velocity=[0.1] * 7)
    command = ["-m", "rdyn_ros.nodes.dynamics_node", "--ros-args", "-p", f"robot:={file}",
               "-p", f"tips:=[{TIPS['Panda']}]", "-p", "state_timeout:=5.0"]
    cache = {"XDG_CACHE_HOME": str(folder)}
    with contenders("cold") as (cold,):
        yield Row("first torque after a cold start", started(cold.begin(command, cache), message), "s", target=3.0)
        cold.run(message, seconds=2.0)  # until all its machine code is kept
    starts = []
    for name in ("again", "once_more"):
        with contenders(name) as (again,):
            starts.append(started(again.begin(command, cache), message))
    with contenders("warm", "theirs", "other") as (ours, theirs, other):
        starts.append(started(ours.begin(command, cache), message))
        yield Row("first torque after a warm start, median of 3", float(np.median(starts)), "s", target=1.5)
        started(theirs.begin(["-m", "bench.pinocchio_node"]), message)
        yield from _compare(ours, theirs, message)
        started(other.begin(command, cache), message)
        yield from _services(ours, other, message)


def started(contender, message):
    """Time from the start of a contender to its first answer [s]."""
    began = time.perf_counter()
    while not contender.arrived:
        contender.run(message, seconds=0.01)
    return time.perf_counter() - began


def _compare(ours, theirs, message):
    peer = "rclpy + Pinocchio"
    for contender in (ours, theirs):
        contender.run(message, seconds=0.3)
        contender.trips.clear()
        contender.cpu = 0.0
    for _ in range(ROUNDS):
        for contender in (ours, theirs):
            contender.run(message)
    for word, percent in (("median", 50), ("p99", 99)):
        mine, other = (1e6 * np.percentile(c.trips, percent) for c in (ours, theirs))
        target = 1.0 / 0.6 if percent == 50 else None
        yield Row(f"round trip at 1 kHz, {word}", mine, "µs", peer, other, target)
    mine, other = (1e6 * c.cpu / len(c.trips) for c in (ours, theirs))
    yield Row("CPU time per state at 1 kHz", mine, "µs", peer, other, 1.0 / 0.35)
    mine, other = (1e6 / _sustained(c, message) for c in (ours, theirs))
    yield Row("time per state at the highest rate without loss", mine, "µs", peer, other, 2.0)


def _services(ours, other, message):
    ours.trips.clear()
    ours.run(message, seconds=1.5)
    alone = list(ours.trips)
    service, trips = _served(ours, ours, message)
    yield Row("inverse kinematics by service at 1 kHz, median", service, "ms", target=2.0)
    _, beside = _served(ours, other, message)
    _, passing = _served(ours, ours, message, "passing")
    for word, percent in (("median", 50), ("p99", 99)):
        what = "round trip while inverse kinematics is asked without pause"
        mine, spared, quiet, changing = (1e6 * np.percentile(each, percent) for each in (trips, beside, alone, passing))
        target = 0.8 if percent == 50 else None
        yield Row(f"{what}, {word}", mine, "µs", "asked of another node", spared, target)
        yield Row(f"{what}, {word}", mine, "µs", "not asked", quiet)
        yield Row(f"{what}, payload and gravity in transition, {word}", changing, "µs", "asked of another node", spared,
                  target)
    yield Row("memory", ours.memory(), "MB", target=200.0)


def _sustained(contender, message):
    """Highest rate [Hz] of RATES up to which every state is answered, in the better of two tries."""
    best = RATES[0]
    for rate in RATES:
        if not any(contender.run(message, rate, 0.5) == 1.0 for _ in range(2)):
            break
        best = rate
    return best


def _served(ours, asked, message, *how):
    """Median time of compute_ik of one node [ms] while states flow, and round trips of the states of ours [s].

    On two cores client and service take time from everybody, whichever node is asked.
    """
    client = subprocess.Popen([sys.executable, "-m", "bench.ik_client", f"/{asked.name}/dynamics", "3.0", *how],
                              stdout=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "asking\n"
    ours.trips.clear()
    ours.run(message, seconds=1.5)
    trips = list(ours.trips)
    while client.poll() is None:
        ours.run(message, seconds=0.1)
    return float(client.stdout.read()), trips
