"""Who may open the page: pages of other sites must not reach a robot through the browser of its user.

A browser that was lured to another site still connects to 127.0.0.1 on its behalf. Two headers give that
away: Host (a foreign name that resolves to us) and Origin (the site that asks).
"""
import ipaddress
import socket
from contextlib import contextmanager
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets import Headers
from websockets.asyncio import server as websockets_server
from websockets.http11 import Response

from ..errors import RdynError


def may_enter(host, origin, names=()):
    """Whether a request with these headers is ours.

    Host must be localhost, an IP address or one of `names`; Origin, if there is one, must be the page itself.
    """
    name = urlsplit(f"//{host or ''}").hostname or ""
    return _is_ours(name, names) and (origin is None or urlsplit(origin).netloc == host)


def _is_ours(name, names):
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@contextmanager
def guarded(names):
    """While this lasts, websocket servers are started with the check in front of all they serve."""
    serve = websockets_server.serve

    def guarded_serve(*arguments, process_request, **options):
        def check(connection, request):
            host, origin = request.headers.get("Host"), request.headers.get("Origin")
            if may_enter(host, origin, names):
                return process_request(connection, request)
            body = f"Refused: Host {host!r} with Origin {origin!r}; see parameter allowed_hosts.\n"
            return Response(HTTPStatus.FORBIDDEN, "Forbidden", Headers(), body.encode())

        return serve(*arguments, process_request=check, **options)

    websockets_server.serve = guarded_serve
    try:
        yield
    finally:
        websockets_server.serve = serve


def check_address(host):
    """Refuses an address that this machine cannot serve on."""
    try:
        family, kind, *_, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(address)
    except OSError as error:
        raise RdynError(f"host '{host}' is not an address of this machine ({error.strerror}); 127.0.0.1 "
                        "serves this machine only, 0.0.0.0 every network it is in") from None
