"""Only the page itself may talk to the viewer: other hosts and origins are refused, over real sockets."""
import socket

import pytest

import rdyn_ros as rdyn

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from rdyn_ros.viewer import View
from rdyn_ros.viewer.guard import check_address, may_enter


@pytest.mark.parametrize(("host", "origin", "names", "enters"), [
    ("127.0.0.1:8080", None, (), True),
    ("localhost:8080", "http://localhost:8080", (), True),
    ("[::1]:8080", "http://[::1]:8080", (), True),
    ("192.168.1.7:8080", "http://192.168.1.7:8080", (), True),
    ("robot.lab:8080", "http://robot.lab:8080", ("robot.lab",), True),
    ("robot.lab:8080", None, (), False),
    ("evil.example:8080", "http://evil.example:8080", (), False),
    ("127.0.0.1:8080", "http://evil.example", (), False),
    ("127.0.0.1:8080", "http://127.0.0.1:9000", (), False),
    ("127.0.0.1:8080", "null", (), False),
    ("", None, (), False),
    (None, None, (), False),
])
def test_who_may_enter(host, origin, names, enters):
    assert may_enter(host, origin, names) is enters


@pytest.fixture(scope="module")
def port():
    view = View(rdyn.load("planar_2r"), port=18080)
    yield int(view.address.rpartition(":")[2])
    view.close()


def answer(port, *headers, address="127.0.0.1"):
    with socket.create_connection((address, port), timeout=30) as peer:
        peer.sendall("\r\n".join(["GET / HTTP/1.1", *headers, "Connection: close", "", ""]).encode())
        return peer.makefile("rb").readline().decode().split()[1]


UPGRADE = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")


def test_the_page_and_its_socket_are_served_to_themselves_only(port):
    host = f"Host: 127.0.0.1:{port}"
    assert answer(port, host) == "200"
    assert answer(port, "Host: evil.example") == "403"
    assert answer(port, host, "Origin: http://evil.example") == "403"
    upgrade = ("Connection: Upgrade", *UPGRADE)
    assert answer(port, host, f"Origin: http://127.0.0.1:{port}", *upgrade) == "101"
    assert answer(port, host, "Origin: http://evil.example", *upgrade) == "403"


def test_nothing_is_served_beyond_this_machine(port):
    with pytest.raises(OSError):
        answer(port, "Host: 127.0.0.2", address="127.0.0.2")


def test_an_address_that_is_not_ours_is_refused_in_a_sentence():
    check_address("127.0.0.1")
    with pytest.raises(rdyn.RdynError, match=r"host '203.0.113.9' is not an address of this machine"):
        check_address("203.0.113.9")
    with pytest.raises(rdyn.RdynError, match=r"host 'no.such.name.invalid'"):
        check_address("no.such.name.invalid")
