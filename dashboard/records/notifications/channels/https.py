"""POST to an address on the web. It may reach public hosts only, over TLS, without redirects and proxies."""

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from dashboard.records.notifications.channels.address import BadAddress, refuse_markup, resolve
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

NO_ADDRESS = "This is not the address of a web service. Write it like https://hooks.example.org/path."
ANSWER_S = 10.0  # for each step
WHOLE_S = 30.0  # for all steps from the look-up of the name on: a slow receiver must not block a worker
TRY_AGAIN = (408, 425, 429)  # other statuses from 400 to 499 are final


def check(address: str) -> str:
    """Raises BadAddress. The host is resolved and checked at each message."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as wrong:
        raise BadAddress(NO_ADDRESS) from wrong
    if not parts.hostname or port == 0 or not address.isascii() or not address.isprintable() or " " in address:
        raise BadAddress(NO_ADDRESS)
    if parts.scheme not in ("https", *(["http"] if "http" in settings.WEBHOOK_ALLOW else [])):
        raise BadAddress("The address must begin with https://. DURASCOPE_WEBHOOK_ALLOW=http allows http:// too.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise BadAddress("Write the address without an account and without a # part.")
    refuse_markup(address)
    return address


def shown(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" + ("/…" if parts.path.strip("/") or parts.query else "")


def post(address: str, body: object, headers: Mapping[str, str] | None = None) -> None:
    """Send `body` as JSON, bytes as they are. Only the status of the answer is read. Raises Undelivered, and
    Undeliverable if another attempt is pointless."""
    parts = urlsplit(_allowed(address))
    content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    sent = {"Content-Type": "application/json", "User-Agent": "Durascope", "Connection": "close", **(headers or {})}
    host = parts.hostname or ""
    _judge(host, _post(host, parts, content, sent))


def _allowed(address: str) -> str:
    """Checked again: the settings may have changed since the address was stored."""
    try:
        return check(address)
    except BadAddress as wrong:
        raise Undeliverable(str(wrong)) from wrong


def _judge(host: str, status: int) -> None:
    if 200 <= status < 300:
        return
    says = f"{host} answered {status}."
    if 300 <= status < 400:
        raise Undeliverable(f"{says} Redirects are not followed.", "Enter the address of the redirect.")
    if 400 <= status < 500 and status not in TRY_AGAIN:
        raise Undeliverable(says, "The receiver rejects messages at this address: check its settings and the address.")
    raise Undelivered(says)


def _post(host: str, parts: SplitResult, body: bytes, headers: dict[str, str]) -> int:
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = http.client.HTTPConnection(host, port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    until = time.monotonic() + WHOLE_S
    try:
        with closing(_connected(host, port, until)) as plain, _limited(plain, until):
            connection.sock = plain
            if parts.scheme == "https":
                connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
            connection.request("POST", path, body, headers)
            return connection.getresponse().status
    except ssl.SSLCertVerificationError as wrong:
        raise Undelivered(f"The certificate of {host} cannot be trusted: {wrong.verify_message}.") from wrong
    except (OSError, http.client.HTTPException) as failed:
        raise Undelivered(f"{host} does not answer like a web server: {type(failed).__name__}.") from failed
    finally:
        connection.close()


def _connected(host: str, port: int, until: float) -> socket.socket:
    """Connect to the first address that accepts. Raises Undelivered and OSError."""
    failed = OSError("no address")
    for address in _resolved(host, port):
        if (left_s := until - time.monotonic()) <= 0:
            break
        try:
            return socket.create_connection((address, port), timeout=min(ANSWER_S, left_s))
        except OSError as refused:
            failed = refused
    raise failed


def _resolved(host: str, port: int) -> list[str]:
    """In a thread of its own: the system's look-up of a name cannot be limited. Raises as `resolve` does."""
    found: Future[list[str]] = Future()

    def look_up() -> None:
        try:
            found.set_result(resolve(host, port))
        except Exception as failed:
            found.set_exception(failed)

    threading.Thread(target=look_up, name="name look-up", daemon=True).start()
    try:
        return found.result(ANSWER_S)
    except TimeoutError as silent:
        raise Undelivered(f"The worker's machine did not resolve the name {host} within {ANSWER_S:g} s.") from silent


@contextmanager
def _limited(connected: socket.socket, until: float) -> Iterator[None]:
    """Cut the connection at `until`, through a duplicate of the socket: wrapping in TLS detaches the original."""
    twin = connected.dup()
    limit = threading.Timer(until - time.monotonic(), _cut, [twin])
    limit.daemon = True
    limit.start()
    try:
        yield
    finally:
        limit.cancel()
        twin.close()


def _cut(twin: socket.socket) -> None:
    with suppress(OSError):  # it is over already
        twin.shutdown(socket.SHUT_RDWR)
