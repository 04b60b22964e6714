"""What goes wrong around a system: its clock, its disk, its neighbours, its network."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from rosgraph_msgs.msg import Clock

from ..outcomes import Outcome
from .cases import Case
from .system import System
from .watch import TORQUES


def surroundings(limits):
    """Outcomes of all of them."""
    with System(use_sim_time="true") as system:
        system.ready()
        for seconds, word in ((1000, "forward"), (-1000, "back")):
            jump = _ClockJump(seconds)
            yield Case(f"sim time steps {word} by 1000 s and returns", jump.begin, jump.end,
                       again=True)(system, limits)
        yield Case("sim time stands still for 1 s",
                   lambda s: s.freeze("simulator", 1.0), lambda s: s.thawed(), silent=(TORQUES,),
                   again=True)(system, limits)
        yield Case("sim time begins anew: simulator restarted", lambda s: s.kill("simulator"),
                   lambda s: s.restart("simulator"), silent=(TORQUES,), again=True, lasts=2.0)(system, limits)
    yield _starts("a home that cannot be written", {"XDG_CACHE_HOME": "/proc/none", "HOME": "/proc/none"})
    with full_disk() as folder:
        if folder:
            yield _starts("a full disk under the cache", {"XDG_CACHE_HOME": str(folder)})
    with System() as system:
        system.ready()
        other = System(namespace="other")
        yield Case("a second system in the same domain", lambda s: other.__enter__(),
                   lambda s: other.__exit__(None, None, None), again=True, lasts=8.0)(system, limits)
    yield from _link(limits)


class _ClockJump:
    """Somebody else publishes another /clock for a while."""

    def __init__(self, seconds):
        self._seconds, self._timer = seconds, None

    def begin(self, system):
        node = system.watch.node
        publisher, start = node.create_publisher(Clock, "/clock", 10), time.monotonic()

        def tick():
            message = Clock()
            message.clock.sec = max(0, int(time.monotonic() - start) + 2000 + self._seconds)
            publisher.publish(message)

        self._timer = node.create_timer(0.01, tick)

    def end(self, system):
        system.watch.node.destroy_timer(self._timer)


def _starts(tried, env):
    """A whole system comes up under such conditions."""
    env = {"ROS_LOG_DIR": tempfile.gettempdir(), **env}
    try:
        with System(env=env) as system:
            took = system.ready()
            return Outcome(tried, 1, f"torques after {took:.1f} s", "60 s", took < 60.0)
    except TimeoutError as problem:
        return Outcome(tried, 1, str(problem), "60 s", False)


@contextmanager
def full_disk():
    """A file system without a free byte, or None where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="rdyn_full_"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True)
    try:
        if mounted.returncode:
            yield None
            return
        with suppress(OSError), open(folder / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        yield folder
    finally:
        subprocess.run(["umount", folder], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _link(limits):
    """Simulator in one network, the rest in another, the cable pulled for 2 s; needs root and iproute2."""
    names = ("rdyn_a", "rdyn_b")
    if os.geteuid() or not shutil.which("ip"):
        return
    commands = [f"ip netns add {name}" for name in names]
    commands += ["ip link add rdyn_va netns rdyn_a type veth peer name rdyn_vb netns rdyn_b"]
    for k, name in enumerate(names):
        end = f"rdyn_v{name[-1]}"
        commands += [f"ip -n {name} addr add 10.231.0.{k + 1}/24 dev {end}", f"ip -n {name} link set {end} up",
                     f"ip -n {name} link set lo up", f"ip -n {name} link set {end} multicast on",
                     f"ip -n {name} route add 224.0.0.0/4 dev {end}"]
    try:
        if any(subprocess.run(line.split(), capture_output=True).returncode for line in commands):
            return
        words = ["ip", "netns", "exec", "rdyn_b", sys.executable, "-m", "bench.faults.link"]
        inside = subprocess.run(words, capture_output=True, text=True, timeout=300)
        told = inside.stdout.strip().splitlines()
        yield Outcome(*json.loads(told[-1])) if inside.returncode == 0 else Outcome(
            "two networks, the link cut for 2 s", 1, inside.stderr.strip()[-300:], "", False)
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
