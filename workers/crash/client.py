"""One client of the witness: a connection that sends numbered transactions, statement by statement."""

import contextlib
import ssl
import time
from array import array

import numpy as np

from workers.crash.ledger import ClientLedger
from workers.crash.transactions import statements
from workers.servers.limited import Connection

COM_QUERY = b"\x03"
HEADER_BYTES = 4  # three of length, one of sequence
OK, ERR = 0x00, 0xFF
READ_BYTES = 65536
# Over TLS what arrived may be part of a record, or none of ours: a session ticket. OpenSSL then says what it waits for.
NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
AHEAD = 128  # transactions that are written out at once, because numpy makes many digests in the time of one


class Client:
    """PyMySQL logs in; from then on its socket is used directly: a statement is one packet, an answer one packet.

    A client ends at its first trouble, whatever that is (`trouble` says it): the transaction it was in is in doubt,
    and nothing is ever sent twice. `connection` is closed by `close`.
    """

    def __init__(self, number: int, connection: Connection, secret: bytes) -> None:
        self.number, self.sent, self.trouble = number, 0, ""
        self._secret = secret
        self._ahead: list[list[bytes]] = []  # packets of the transactions to come, the next one last
        self._acknowledged = array("d")
        self._connection, self._socket = connection, connection._sock
        self._socket.setblocking(False)
        self._pending = b""
        self._left: list[bytes] = []  # packets of the current transaction, the next one last
        self._began = 0.0

    def fileno(self) -> int:
        return self._socket.fileno()

    def begin(self, began: float) -> bool:
        """Send the first statement. `began`: the load's beginning on the monotonic clock. False: it has ended."""
        self._began = began
        return self._send()

    def answer(self, go_on: bool) -> bool:
        """Take what has arrived and, unless `go_on` is False, send what follows. False: the client has ended."""
        try:
            while not self._is_whole():
                arrived = self._socket.recv(READ_BYTES)
                if not arrived:
                    return self._end("the server closed the connection")
                self._pending += arrived
        except NOT_YET:
            return True
        except OSError as lost:
            return self._end(str(lost))
        return self._take(go_on)

    def ledger(self) -> ClientLedger:
        """What it knows. It waits for every answer, so only the last transaction sent can be in doubt.

        May be asked for while the client is at work: a copy is taken first, for an array that numpy looks at cannot
        grow, and what was acknowledged by then has been sent.
        """
        acknowledged = self._acknowledged[:]
        sent = self.sent
        times = np.full(sent, np.nan)
        times[: len(acknowledged)] = acknowledged
        return ClientLedger(self.number, sent, times)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._connection._force_close()

    def _is_whole(self) -> bool:
        """Whether a whole packet has arrived."""
        held = len(self._pending)
        return held >= HEADER_BYTES and held >= HEADER_BYTES + int.from_bytes(self._pending[:3], "little")

    def _take(self, go_on: bool) -> bool:
        packet, self._pending = self._pending, b""
        if packet[HEADER_BYTES] != OK:
            return self._end(_refusal(packet))
        if not self._left:
            self._acknowledged.append(time.monotonic() - self._began)
        return self._send() if go_on else True

    def _send(self) -> bool:
        """A packet of some dozen bytes fits the socket's buffer, which is empty: the server has answered."""
        if not self._left:
            self._left = self._next()
            self.sent += 1
        try:
            self._socket.send(self._left.pop())
        except OSError as lost:
            return self._end(str(lost))
        return True

    def _next(self) -> list[bytes]:
        if not self._ahead:
            first = self.sent + 1
            written = statements(self._secret, self.number, range(first, first + AHEAD))
            self._ahead = [[_packet(sql) for sql in reversed(one)] for one in reversed(written)]
        return self._ahead.pop()

    def _end(self, trouble: str) -> bool:
        self.trouble = trouble
        return False


def _packet(sql: bytes) -> bytes:
    return (len(sql) + 1).to_bytes(3, "little") + b"\0" + COM_QUERY + sql


def _refusal(packet: bytes) -> str:
    """The words of an ERR packet: number, `#` and state, text."""
    if packet[HEADER_BYTES] != ERR:
        return "the server sent something else than OK"
    number = int.from_bytes(packet[HEADER_BYTES + 1 : HEADER_BYTES + 3], "little")
    text = packet[HEADER_BYTES + 3 :].decode("utf-8", "replace")
    return f"{number}: {text[6:] if text.startswith('#') else text}"
