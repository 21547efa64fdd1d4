"""Where the web server listens."""

import socket

from dashboard.local.errors import LocalError

FIRST_PORT = 8000
LAST_PORT = 8099


def choose(host: str, wanted: int | None) -> int:
    """The wanted port, or the first free one from 8000. Raises LocalError when it cannot be had."""
    if wanted is not None:
        _check(host, wanted)
        return wanted
    for port in range(FIRST_PORT, LAST_PORT):
        if is_free(host, port):
            return port
    _check(host, LAST_PORT)
    return LAST_PORT


def is_free(host: str, port: int) -> bool:
    try:
        _bind(host, port)
    except OSError:
        return False
    return True


def address(host: str, port: int) -> str:
    """What to type into a browser on this machine."""
    return f"http://{bracketed(local(host))}:{port}"


def local(host: str) -> str:
    """An address of this machine on which a server that listens on `host` is reached."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _check(host: str, port: int) -> None:
    try:
        _bind(host, port)
    except OSError as refused:
        raise LocalError(
            f"Port {port} on {host} cannot be used: {refused.strerror}. Nothing was started.",
            "Choose another with --port (and --host).",
        ) from refused


def _bind(host: str, port: int) -> None:
    family, kind, proto, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, proto) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        attempt.bind(where)
