"""A connection whose every answer has an end. PyMySQL limits the time of each read only, and reads as much as a server
sends: a hostile server would hold a thread for ever, or fill the worker's memory.

The limit of an answer begins anew with each statement, so no caller can forget it. Answers that may honestly be larger
say so (`most_bytes` of `ask.rows`). What is counted is the memory that an answer takes: its bytes, and for each field
the Python object that holds it. Numbers are looked at before they are converted: `int(Decimal("1E99999999"))` would
hold Python's lock for hours.
"""

import io
import math
import time
from collections.abc import Callable
from socket import socket
from ssl import CERT_NONE, PROTOCOL_TLS_CLIENT, SSLContext, SSLSocket
from typing import Any

import pymysql
from pymysql import converters
from pymysql.connections import MySQLResult
from pymysql.constants import CR, FIELD_TYPE

LOGIN_BYTES = 1 << 20
ANSWER_BYTES = 16 << 20  # SHOW GLOBAL VARIABLES of 5,000 names, some with values of 64 KB, is a tenth of it
FIELD_BYTES = 64  # of a Python object and its place in the row
MOST_COLUMNS = 4096  # of a table, and of a SELECT
MOST_DIGITS = 255  # the widest number column; a DECIMAL has 65 digits
READ_AT_ONCE = 1 << 16
SLOWEST_BYTES_PER_S = 1 << 20  # of an answer that may be larger than ANSWER_BYTES
NUMBER = frozenset("0123456789+-.")  # a DECIMAL has no exponent, and is no NaN


def unverified() -> SSLContext:
    """For connections that check no certificate. The system's authorities are not read: that takes 20 ms."""
    context = SSLContext(PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = CERT_NONE
    return context


def _short(convert: Callable[[str], object]) -> Callable[[str], object]:
    def converted(text: str) -> object:
        if len(text) > MOST_DIGITS:
            raise ValueError("a number or a time of that length")
        return convert(text)

    return converted


def _exact(text: str) -> object:
    if not NUMBER.issuperset(text):
        raise ValueError("a DECIMAL that is no number")
    return converters.decoders[FIELD_TYPE.NEWDECIMAL](text)


_EXACT = (FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL)
CONVERSIONS = converters.encoders | {
    kind: convert if convert is converters.through else _short(_exact if kind in _EXACT else convert)
    for kind, convert in converters.decoders.items()
}


class Connection(pymysql.Connection):
    """`limit` bounds all answers together, until the next call of `limit`; `answer_s` and `most_bytes` each of them."""

    # Private in PyMySQL, which has no public way to the socket, to a timeout for each read or to a close without a
    # goodbye. tests/unit/servers/test_endless_servers.py fails if an upgrade renames one of them.
    _sock: socket
    _secure: bool
    server_version: str  # told before the login
    _read_timeout: float
    _write_timeout: float
    _force_close: Callable[[], None]
    _result: MySQLResult | None

    _current_timeout = 0.0

    plugin = ""  # by which the account logged in
    answer_s = 5.0
    most_bytes = ANSWER_BYTES
    _whole_until = _answer_until = math.inf
    _whole_left = _answer_left = math.inf
    _is_new = False
    _reader: io.BufferedReader | None = None

    @property
    def _rfile(self) -> io.BufferedReader | None:
        return self._reader

    @_rfile.setter
    def _rfile(self, made: io.BufferedReader | None) -> None:
        """PyMySQL sets it when it connects, and again when it encrypts."""
        self._reader = made and io.BufferedReader(_InTime(made.detach(), self._wait_no_longer), READ_AT_ONCE)

    def limit(self, seconds: float = math.inf, most_bytes: float = math.inf) -> None:
        self._whole_until, self._whole_left = time.monotonic() + seconds, most_bytes
        self._begin_answer()

    def certificate(self) -> bytes:
        """The server's certificate (DER); b"" when the connection is not encrypted."""
        return (self._sock.getpeercert(binary_form=True) if isinstance(self._sock, SSLSocket) else None) or b""

    def command(self, number: int, body: bytes) -> None:
        """Send a command of the protocol that is no statement. `arrived` reads its answer."""
        self._execute_command(number, body)

    def arrived(self, most: int) -> bytes:
        """One byte or more of the answer to `command`, as soon as they arrive, within the limit of all answers.
        `pymysql.Error`: the limit is reached, or the server is gone."""
        if self._whole_left == math.inf or not self._reader:
            raise RuntimeError("Bytes are read within a limit only.")
        self._answer_until = self._answer_left = math.inf
        try:
            part = self._reader.read1(most)
        except OSError as lost:
            raise self._broken(str(lost), lost) from lost
        self.spend(len(part))
        self._must_fit()
        if not part:
            raise self._broken("hung up", None)
        return part

    def spend(self, count: int) -> None:
        """So many bytes less may come. The next read fails if they were too many."""
        self._answer_left -= count
        self._whole_left -= count

    def _begin_answer(self) -> None:
        more_s = (self.most_bytes - ANSWER_BYTES) / SLOWEST_BYTES_PER_S
        self._answer_until, self._answer_left = time.monotonic() + self.answer_s + max(more_s, 0.0), self.most_bytes
        self._is_new = True

    def _execute_command(self, command: int, sql: str | bytes) -> None:
        self._begin_answer()  # what is left of the last answer counts as a part of this one
        super()._execute_command(command, sql)  # type: ignore[misc]  # private, not in the stubs

    def _create_ssl_ctx(self, sslp: SSLContext | dict[str, str]) -> SSLContext:
        """A dict (empty) asks for the TLS that the server offers."""
        return sslp if isinstance(sslp, SSLContext) else unverified()

    def _read_bytes(self, num_bytes: int) -> bytes:
        """Called twice for each row, so it calls little itself."""
        self._answer_left -= num_bytes
        self._whole_left -= num_bytes
        if self._answer_left < 0 or self._whole_left < 0:
            self._must_fit()
        try:
            data = self._reader.read(num_bytes) if self._reader else b""
        except OSError as lost:
            raise self._broken(str(lost), lost) from lost
        if len(data) < num_bytes:
            raise self._broken("hung up", None)
        return data

    def _read_query_result(self, unbuffered: bool = False) -> int:
        """As PyMySQL does it, with what it trusts a server for made an error."""
        self._result = None
        result = _BoundedResult(self)
        try:
            result.read()
        except Exception as failure:  # ValueError, IndexError, struct.error, UnicodeDecodeError, MemoryError ...
            if isinstance(failure, pymysql.Error) and isinstance(failure.args[0], int):
                raise
            raise self._nonsense(f"sent what no server sends ({type(failure).__name__})") from failure
        self._result = result
        if result.server_status is not None:
            self.server_status = result.server_status
        return result.affected_rows or 0

    def _must_fit(self) -> None:
        """Raises Nonsense if too much came."""
        if self._answer_left < 0 or self._whole_left < 0:
            in_one = f"sent more than {self.most_bytes >> 20} MiB for one statement"
            raise self._nonsense(in_one if self._answer_left < 0 else "sent more than was asked for")

    def _wait_no_longer(self) -> None:
        """Before each read of the socket. TimeoutError: the time is over."""
        if self._is_new and self._whole_until == math.inf:  # the first read of an answer may take its whole time
            self._is_new = False
            return
        left = min(self._whole_until, self._answer_until) - time.monotonic()
        if left <= 0:
            raise TimeoutError("took too long")
        self._current_timeout = min(left, self._read_timeout)  # PyMySQL compares it before it sends
        self._sock.settimeout(self._current_timeout)

    def _broken(self, why: str, cause: OSError | None) -> "Broken":
        self._force_close()
        return Broken(why, cause)

    def _nonsense(self, why: str) -> "Nonsense":
        self._force_close()
        return Nonsense(why, None)


class _InTime(io.RawIOBase):
    """A socket's file that asks before each read whether there is still time."""

    def __init__(self, raw: io.RawIOBase, before: Callable[[], None]) -> None:
        self._raw, self._before = raw, before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._before()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResult(MySQLResult):
    """The rows of one answer."""

    connection: Connection
    field_count: int

    def _get_descriptions(self) -> None:
        if not 0 < self.field_count <= MOST_COLUMNS:
            raise ValueError("an answer of so many columns")
        super()._get_descriptions()  # type: ignore[misc]

    def _read_row_from_packet(self, packet: object) -> tuple[object, ...]:
        self.connection.spend((1 + self.field_count) * FIELD_BYTES)
        row: tuple[object, ...] = super()._read_row_from_packet(packet)  # type: ignore[misc]
        return row


class Broken(pymysql.OperationalError):
    """`why`: what the server did. `original_exception`: where PyMySQL keeps the cause, and `trouble` finds it."""

    def __init__(self, why: str, cause: OSError | None) -> None:
        super().__init__(CR.CR_SERVER_LOST, f"Lost connection to MySQL server: it {why}")
        self.why, self.original_exception = why, cause


class Nonsense(Broken):
    """The answer was given up: an honest server does not send it."""
