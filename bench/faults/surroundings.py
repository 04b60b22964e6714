"""What goes wrong around a system: its disk, its neighbours, its network."""
import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from geometry_msgs.msg import Inertia
from rdyn_interfaces.srv import SetPayload

from ..outcomes import Outcome, in_rows, not_tried
from .case import Case
from .system import System
from .watch import COMMANDS, TORQUES

NETWORKS = ("rdyn_a", "rdyn_b")
MOUNT, FILLER = "needs the right to mount a file system", "filler"


def surroundings(limits):
    """Outcomes of all of them."""
    home = {"XDG_CACHE_HOME": "/proc/none", "HOME": "/proc/none", "ROS_LOG_DIR": ""}
    yield from _starts("a home that cannot be written", home)
    yield from _full("a full disk under the cache")
    yield from _fills_up("the disk of cache and logs fills up under a swinging arm", limits)
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
    with disk("64k") as folder:
        if folder:
            fill(folder)
            yield from _starts(tried, {"XDG_CACHE_HOME": str(folder)})
        else:
            yield not_tried(tried, MOUNT)


@in_rows
def _fills_up(tried, limits):
    """The disk of cache and logs fills up while the arm swings and a payload is compiled, then it is free again."""
    def hurt(system):
        fill(folder)
        client = system.watch.node.create_client(SetPayload, "control/set_payload")
        client.wait_for_service(limits.recovery)
        client.call_async(SetPayload.Request(inertia=Inertia(m=0.1)))

    with disk("8m") as folder:
        if folder:
            with System(env={"XDG_CACHE_HOME": str(folder), "ROS_LOG_DIR": str(folder / "log")}) as system:
                system.ready()
                yield Case(tried, hurt, lambda s: (folder / FILLER).unlink(), flowing=(COMMANDS, TORQUES),
                           lasts=3.0)(system, limits)
        else:
            yield not_tried(tried, MOUNT)


@contextmanager
def disk(size):
    """Folder of a file system of its own with so many bytes, or None where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="rdyn_disk_"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True)
    try:
        yield None if mounted.returncode else folder
    finally:
        subprocess.run(["umount", folder], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def fill(folder):
    """Leaves no free byte on the disk of a folder."""
    with suppress(OSError), open(folder / FILLER, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@in_rows
def _neighbour(tried, limits):
    with System() as system:
        system.ready()
        other = System(namespace="other")
        yield Case(tried, lambda s: other.__enter__(), lambda s: other.__exit__(None, None, None),
                   flowing=(COMMANDS, TORQUES), lasts=8.0)(system, limits)


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
