"""A connection with a limit for all its answers. PyMySQL limits the time of each read only: a server that sends slowly
or without end would hold a thread for ever."""

import time
from collections.abc import Callable
from io import BufferedReader
from socket import socket
from ssl import CERT_NONE, PROTOCOL_TLS_CLIENT, SSLContext, SSLSocket

import pymysql
from pymysql.constants import CR

LOGIN_BYTES = 1 << 20


def unverified() -> SSLContext:
    """For connections that check no certificate. The system's authorities are not read: that takes 20 ms."""
    context = SSLContext(PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = CERT_NONE
    return context


class Connection(pymysql.Connection):
    """`limit` bounds all reads until the next call of `limit`. Without a limit, PyMySQL reads."""

    # Private in PyMySQL 1.2, which has no public way to the socket, to a timeout for each read or to a close without a
    # goodbye. tests/unit/servers/test_endless_servers.py fails if an upgrade renames one of them.
    _sock: socket
    _rfile: BufferedReader
    _secure: bool
    server_version: str  # told before the login
    _read_timeout: float
    _write_timeout: float
    _force_close: Callable[[], None]
    _execute_command: Callable[[int, bytes], None]

    _until: float | None = None

    def limit(self, seconds: float | None, most_bytes: int = 0) -> None:
        """None: no limit."""
        self._until = None if seconds is None else time.monotonic() + seconds
        self._bytes_left = most_bytes

    def certificate(self) -> bytes:
        """The server's certificate (DER); b"" when the connection is not encrypted."""
        return (self._sock.getpeercert(binary_form=True) if isinstance(self._sock, SSLSocket) else None) or b""

    def command(self, number: int, body: bytes) -> None:
        """Send a command of the protocol that is no statement. `arrived` reads its answer."""
        self._execute_command(number, body)

    def arrived(self, most: int) -> bytes:
        """One byte or more of the answer to `command`, as soon as they arrive, within the limit. `pymysql.Error`: the
        limit is reached, or the server is gone."""
        if self._until is None:
            raise RuntimeError("Bytes are read within a limit only.")
        part = self._read_some(most, self._until)
        self._bytes_left -= len(part)
        if self._bytes_left < 0:
            raise self._broken("sent more than was asked for", None)
        return part

    def _create_ssl_ctx(self, sslp: SSLContext | dict[str, str]) -> SSLContext:
        """A dict (empty) asks for the TLS that the server offers."""
        return sslp if isinstance(sslp, SSLContext) else unverified()

    def _read_bytes(self, num_bytes: int) -> bytes:
        if self._until is None:
            whole: bytes = super()._read_bytes(num_bytes)  # type: ignore[misc]  # private, not in the stubs
            return whole
        self._bytes_left -= num_bytes
        if self._bytes_left < 0:
            raise self._broken("sent more than was asked for", None)
        parts, missing = [], num_bytes
        while missing:
            part = self._read_some(missing, self._until)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _read_some(self, most: int, until: float) -> bytes:
        """One byte or more, from one read of the socket."""
        left = until - time.monotonic()
        if left <= 0:
            raise self._broken("took too long", TimeoutError())
        self._current_timeout = min(left, self._read_timeout)
        self._sock.settimeout(self._current_timeout)
        try:
            part = self._rfile.read1(most)
        except OSError as lost:
            raise self._broken(str(lost), lost) from lost
        if not part:
            raise self._broken("hung up", None)
        return part

    def _broken(self, why: str, cause: OSError | None) -> "Broken":
        self._force_close()
        return Broken(why, cause)


class Broken(pymysql.OperationalError):
    """`why`: what the server did. `original_exception`: where PyMySQL keeps the cause, and `trouble` finds it."""

    def __init__(self, why: str, cause: OSError | None) -> None:
        super().__init__(CR.CR_SERVER_LOST, f"Lost connection to MySQL server: it {why}")
        self.why, self.original_exception = why, cause
