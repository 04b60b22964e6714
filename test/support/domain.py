"""A ROS domain of one's own: no other run, and nothing a killed run left behind, is met on it."""
import fcntl
import os
import random
import tempfile
from pathlib import Path

DOMAINS = range(1, 88)  # 0 is everybody's default; up to 101 the ports lie below the ephemeral ones


def ports_in_use():
    """UDP ports that are bound on this machine."""
    tables = (Path("/proc/net/udp"), Path("/proc/net/udp6"))
    rows = [row for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return {int(row.split()[1].rpartition(":")[2], 16) for row in rows}


def is_silent(domain):
    """Whether no DDS participant lives on the domain: each binds ports from 7400 + 250 domain on."""
    first = 7400 + 250 * domain
    return ports_in_use().isdisjoint(range(first, first + 250))


def lock_domain():
    """(domain, lock): a silent domain and the open file whose lock keeps others away until it is closed."""
    for domain in random.SystemRandom().sample(DOMAINS, len(DOMAINS)):
        path = os.path.join(tempfile.gettempdir(), f"rdyn_ros_domain_{domain}.lock")
        try:
            lock = open(path, "a")  # noqa: SIM115 - stays open as long as the run
        except OSError:  # another user's
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        if is_silent(domain):
            return domain, lock
        lock.close()
    raise RuntimeError(f"all ROS domains {DOMAINS.start} to {DOMAINS.stop - 1} are taken on this machine")
