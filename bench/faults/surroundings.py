"""What goes wrong around a system: its disk, its neighbours, its network."""
import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from ..outcomes import Outcome, in_rows, not_tried
from .case import Case
from .system import System

NETWORKS = ("rdyn_a", "rdyn_b")


def surroundings(limits):
    """Outcomes of all of them."""
    home = {"XDG_CACHE_HOME": "/proc/none", "HOME": "/proc/none", "ROS_LOG_DIR": tempfile.gettempdir()}
    yield from _starts("a home that cannot be written", home)
    yield from _full("a full disk under the cache")
    yield from _neighbour("a second system in the same domain", limits)
    yield from _link("two networks, the link cut for 2 s")


@in_rows
def _starts(tried, env):
    """A whole system comes up under such conditions."""
    with System(env=env) as system:
        took = system.ready()
        yield Outcome(tried, 1, f"torques after {took:.1f} s", "60 s", took < 60.0)


@in_rows
def _full(tried):
    with full_disk() as folder:
        if folder:
            yield from _starts(tried, {"XDG_CACHE_HOME": str(folder)})
        else:
            yield not_tried(tried, "needs the right to mount a file system")


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


@in_rows
def _neighbour(tried, limits):
    with System() as system:
        system.ready()
        other = System(namespace="other")
        yield Case(tried, lambda s: other.__enter__(), lambda s: other.__exit__(None, None, None), again=True,
                   lasts=8.0)(system, limits)


@in_rows
def _link(tried):
    """Simulator in one network, the rest in another, the cable pulled for 2 s; needs root and iproute2."""
    try:
        if why := _refused(_network()):
            yield not_tried(tried, f"needs network namespaces: {why}")
            return
        words = ["ip", "netns", "exec", NETWORKS[1], sys.executable, "-m", "bench.faults.link", tried]
        inside = subprocess.run(words, capture_output=True, text=True, timeout=300)
        if inside.returncode:
            raise RuntimeError(inside.stderr.strip()[-300:])
        yield Outcome(*json.loads(inside.stdout.strip().splitlines()[-1]))
    finally:
        _refused(f"ip netns del {name}" for name in NETWORKS)


def _network():
    """Commands that make two networks with a cable between them."""
    yield from (f"ip netns add {name}" for name in NETWORKS)
    yield "ip link add rdyn_va netns rdyn_a type veth peer name rdyn_vb netns rdyn_b"
    for k, name in enumerate(NETWORKS):
        end = f"rdyn_v{name[-1]}"
        for words in (f"addr add 10.231.0.{k + 1}/24 dev {end}", f"link set {end} up", "link set lo up",
                      f"link set {end} multicast on", f"route add 224.0.0.0/4 dev {end}"):
            yield f"ip -n {name} {words}"


def _refused(commands):
    """Why one of the commands was refused; "" when all went through."""
    if not shutil.which("ip"):
        return "there is no command ip"
    done = [subprocess.run(line.split(), capture_output=True, text=True) for line in commands]
    return next((answer.stderr.strip() for answer in done if answer.returncode), "")
