"""ROS domains on which nobody lives, so that a trial never talks to another robot."""
from pathlib import Path

from ..errors import RdynError

TRIALS = range(88, 102)  # up to 101 the ports of DDS lie below the ephemeral ones


def ports_in_use():
    """UDP ports that are bound on this machine."""
    tables = (Path("/proc/net/udp"), Path("/proc/net/udp6"))
    rows = [row for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return {int(row.split()[1].rpartition(":")[2], 16) for row in rows}


def is_silent(domain):
    """Whether no DDS participant lives on the domain here: each binds ports from 7400 + 250 domain on."""
    first = 7400 + 250 * domain
    return ports_in_use().isdisjoint(range(first, first + 250))


def silent_domain(domains=TRIALS):
    """The first domain on which nobody lives."""
    for domain in domains:
        if is_silent(domain):
            return domain
    raise RdynError(f"all ROS domains {domains[0]} to {domains[-1]} are taken here; end other demos")
