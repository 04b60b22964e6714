"""How much memory a node may take.

ROS reads a request before the node sees it, and makes room for a list as long as the request says it is, provided that
it brings a byte for each (`_fast_cdr.cpp` sees to that): one that lies could take a hundred times its size, and freeze
the node while it is filled. So what comes while a node runs has a bound.
"""
import resource
from contextlib import contextmanager
from pathlib import Path

MOST_BYTES = 250_000  # of a message, some 1000 points of a trajectory: to read more would hold up the loop
MORE = 200_000_000  # [byte] beyond what the node has at its start; a robot of 300 bodies takes 100,000,000


def bound():
    """Lets this process ask for so much memory beyond what it has now; asking for more fails."""
    used = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    _limit(used + MORE if most == resource.RLIM_INFINITY else min(used + MORE, most))


@contextmanager
def unbound():
    """Lifts the bound while files of the user are read; what they took is not counted afterwards."""
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    _limit(most)
    try:
        yield
    finally:
        if before != most:
            bound()


def _limit(soft):
    resource.setrlimit(resource.RLIMIT_DATA, (soft, resource.getrlimit(resource.RLIMIT_DATA)[1]))
