"""Webhooks: HTTP POST, signed as in Standard Webhooks 1 (standardwebhooks.com), so that receivers can check it with a
library. HMAC-SHA256 over "id.timestamp.body", base64; the secret is written as whsec_BASE64."""

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from dashboard.records.notifications.channels.address import BadAddress, refuse_markup, resolve
from dashboard.records.notifications.models import Delivery
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

HINT = "https://... Messages arrive as POST with JSON. The address is stored encrypted; pages show only its host."
NO_ADDRESS = "This is not the address of a web service. Write it like https://hooks.example.org/path."
PREFIX = "whsec_"
SECRET_BYTES = 32
ANSWER_S = 10.0  # for each step
WHOLE_S = 30.0  # for all steps: a slow receiver must not block a worker
TRY_AGAIN = (408, 425, 429)  # other statuses from 400 to 499 are final


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


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
        raise BadAddress("Write the address without an account and without a # part. Messages are signed instead.")
    refuse_markup(address)
    return address


def shown(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" + ("/…" if parts.path.strip("/") or parts.query else "")


def sign(secret: str, key: str, at: int, body: bytes) -> str:
    raw = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.new(raw, f"{key}.{at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def body_of(message: Delivery) -> bytes:
    data = {"title": message.title, "text": message.text, "link": message.link, "path": message.path}
    told = {
        "type": message.event,
        "timestamp": message.created_at.isoformat(),
        "data": {**data, "facts": message.facts},
    }
    return json.dumps(told).encode()


def send(address: str, secret: str, message: Delivery) -> None:
    """Redirects are not followed and proxies of the environment are not used. Only the status of the answer is read."""
    parts, body, at = urlsplit(_allowed(address)), body_of(message), int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Durascope",
        "webhook-id": str(message.key),
        "webhook-timestamp": str(at),
        "webhook-signature": sign(secret, str(message.key), at, body),
    }
    host = parts.hostname or ""
    _judge(host, _post(host, parts, body, headers))


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
    try:
        with closing(_connected(host, port)) as plain, _limited(plain):
            connection.sock = plain
            if parts.scheme == "https":
                connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
            connection.request("POST", path, body, {**headers, "Connection": "close"})
            return connection.getresponse().status
    except ssl.SSLCertVerificationError as wrong:
        raise Undelivered(f"The certificate of {host} cannot be trusted: {wrong.verify_message}.") from wrong
    except (OSError, http.client.HTTPException) as failed:
        raise Undelivered(f"{host} does not answer like a web server: {type(failed).__name__}.") from failed
    finally:
        connection.close()


def _connected(host: str, port: int) -> socket.socket:
    """Connect to the first address that accepts. Raises Undelivered and OSError."""
    failed = OSError("no address")
    for address in resolve(host, port):
        try:
            return socket.create_connection((address, port), timeout=ANSWER_S)
        except OSError as refused:
            failed = refused
    raise failed


@contextmanager
def _limited(connected: socket.socket) -> Iterator[None]:
    """Cut the connection after WHOLE_S, through a duplicate of the socket: wrapping in TLS detaches the original."""
    twin = connected.dup()
    limit = threading.Timer(WHOLE_S, _cut, [twin])
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
