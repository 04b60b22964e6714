"""Demo and tests listen on this machine only: no socket of theirs is open to a network."""
import os
import re
import signal
import socket
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path

import pytest

from rdyn_ros.bringup.loopback import PROFILE, RANGE
from support.ros_peer import Listener

LISTENS, UNBOUND = "0A", "07"  # states of sockets, of TCP and UDP, to which anybody may send


def open_to(pid):
    """{(protocol, address)} of the sockets of a process to which anybody may send."""
    links = [os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()]
    own = {match[1] for link in links if (match := re.match(r"socket:\[(\d+)\]", link))}
    found = set()
    for protocol in ("udp", "udp6", "tcp", "tcp6"):
        for row in Path(f"/proc/{pid}/net/{protocol}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = row.split()[:10]
            if inode in own and state in (LISTENS, UNBOUND):
                found.add((protocol[:3], address(local.partition(":")[0])))
    return found


def address(text):
    """IP address as the kernel prints it: words of four bytes, each in the byte order of the machine."""
    words = [int(text[k:k + 8], 16).to_bytes(4, sys.byteorder) for k in range(0, len(text), 8)]
    return ip_address(b"".join(words))


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.fixture
def demo():
    """`rdyn demo` in an environment that says nothing of networks; its nodes, once its web page is there."""
    environment = {name: value for name, value in os.environ.items() if name not in {RANGE, *PROFILE}}
    process = subprocess.Popen([sys.executable, "-m", "rdyn_ros.cli.main", "demo", "--robot", "planar_2r"],
                               env=environment, text=True, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert any("shown on" in line for line in process.stdout), "the demo ended before its page was there"
        yield [process.pid, *children(process.pid)]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


@pytest.mark.processes
def test_the_demo_is_open_to_this_machine_only(demo):
    found = set().union(*map(open_to, demo))
    assert len(demo) == 5
    assert {protocol for protocol, _ in found} == {"udp", "tcp"}    # DDS, and the page of the viewer
    assert all(where.is_loopback for _, where in found), found


def test_tests_are_open_to_this_machine_only():
    with Listener():
        found = open_to(os.getpid())
    assert found and all(where.is_loopback for _, where in found), found


def test_a_socket_that_is_open_to_networks_would_be_seen():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("::", 0))
        assert ("udp", ip_address("::")) in open_to(os.getpid())
