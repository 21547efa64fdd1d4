"""The address of the web server."""

import socket
from contextlib import suppress

from dashboard.local.errors import LocalError

FIRST_PORT = 8000
LAST_PORT = 8099
BACKLOG = 2048  # as uvicorn has it


def listener(host: str, wanted: int | None) -> socket.socket:
    """A socket that listens on the wanted port, or on the first free one from 8000. The web server inherits it, so no
    other program can take the port meanwhile. Raises LocalError if no port is free."""
    *others, last = [wanted] if wanted is not None else range(FIRST_PORT, LAST_PORT + 1)
    for port in others:
        with suppress(OSError):
            return _listening(host, port)
    try:
        return _listening(host, last)
    except OSError as refused:
        raise LocalError(
            f"Port {last} on {host} cannot be used: {refused.strerror}. Nothing was started.",
            "Choose another with --port (and --host).",
        ) from refused


def port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


def address(host: str, port: int) -> str:
    """The address for a browser on this machine."""
    reached = local(host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def local(host: str) -> str:
    """The address on this machine that reaches a server listening on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound


def _listening(host: str, port: int) -> socket.socket:
    """Bound and listening: with SO_REUSEADDR two sockets can bind one port until the first one listens."""
    family, kind, proto, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, proto)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio leaves it out on an inherited socket
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(where)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made
