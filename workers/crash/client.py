"""One client of the witness: a connection that sends numbered transactions, statement by statement."""

import contextlib
import ssl
import time
from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workers.crash.ledger import ClientLedger
from workers.crash.transactions import Write, statements
from workers.servers.limited import Connection
from workers.servers.target import Target

COM_QUERY = b"\x03"
HEADER_BYTES = 4  # three of length, one of sequence
OK, ERR = 0x00, 0xFF
READ_BYTES = 65536
MOST_BYTES = READ_BYTES  # of an answer: OK, or an error of at most 512 bytes
# Over TLS, a part of a record or a session ticket may arrive. OpenSSL then says what it waits for.
NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
AHEAD = 128  # transactions that are prepared at once: numpy makes many digests in the time of one
AT_FIRST = 8  # a client that reconnects may be refused at once


@dataclass(frozen=True)
class Refusal:
    """`at_s`: since the load began. `says`: the server's error."""

    at_s: float
    says: str


@dataclass(frozen=True)
class ConnectionLedger:
    """What a client knows of one connection. `since_s`: it was logged in, in seconds since the load began. `refused`:
    its last transaction was answered with an error, so it failed; None: no transaction was."""

    target: Target
    since_s: float
    ledger: ClientLedger
    refused: Refusal | None

    @property
    def acknowledged_at_s(self) -> npt.NDArray[np.float64]:
        times = self.ledger.acknowledged_at_s
        known: npt.NDArray[np.float64] = times[~np.isnan(times)]
        return known

    @property
    def in_doubt(self) -> int:
        """Sent, and no answer came."""
        return self.ledger.sent - len(self.acknowledged_at_s) - (self.refused is not None)


class Client:
    """PyMySQL logs in. Then its socket is used directly: a statement is one packet, an answer one packet.

    A client ends at its first error, kept in `trouble`. Its transaction is then in doubt, and nothing is sent twice.
    `refused`: whether the server answered with that error. `close` closes the connection. `commits`: after these it
    sends nothing more; 0: it always goes on. `unsent`: the rest of a packet that the socket's buffer did not take;
    `answer` goes on with it.
    """

    def __init__(
        self, number: int, connection: Connection, secret: bytes, write: Write = statements, commits: int = 0
    ) -> None:
        self.number, self.sent, self.trouble, self._commits = number, 0, "", commits
        self.refused: Refusal | None = None
        self._secret, self._write = secret, write
        self._ahead = self._written()  # packets of the transactions to come, the next one last
        self._acknowledged = array("d")
        self._connection, self._socket = connection, connection._sock
        self._socket.setblocking(False)
        self._pending = b""
        self._left: list[bytes] = []  # packets of the current transaction, the next one last
        self.unsent = b""
        self._began = 0.0

    def fileno(self) -> int:
        return self._socket.fileno()

    def begin(self, began: float) -> bool:
        """Send the first statement. `began`: of the load, on the monotonic clock. False: the client has ended."""
        self._began = began
        return self._send()

    def answer(self, go_on: bool) -> bool:
        """Read the answer and, if `go_on`, send the next statement. Until it comes, send what is `unsent`. False: the
        client has ended."""
        try:
            while not self._is_whole():
                arrived = self._socket.recv(READ_BYTES)
                if not arrived:
                    return self._end("the server closed the connection")
                self._pending += arrived
                if len(self._pending) > MOST_BYTES:
                    return self._end("the server sent more than an answer to a commit")
        except NOT_YET:
            return not self.unsent or self._push()
        except OSError as lost:
            return self._end(str(lost))
        return self._take(go_on)

    @property
    def acknowledged(self) -> int:
        return len(self._acknowledged)

    def ledger(self) -> ClientLedger:
        """The ledger of this client. It waits for every answer, so only the last transaction can be in doubt.

        May be called while the client works. The copy is taken first: numpy would lock the array, and everything
        acknowledged by then has been sent.
        """
        acknowledged = self._acknowledged[:]
        sent = self.sent
        times = np.full(sent, np.nan)
        times[: len(acknowledged)] = acknowledged
        return ClientLedger(self.number, sent, times)

    def connection(self, target: Target, since_s: float = 0.0) -> ConnectionLedger:
        """May be called while the client works."""
        refused = self.refused  # first: its transaction has been sent by then
        return ConnectionLedger(target, since_s, self.ledger(), refused)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._connection._force_close()

    def _is_whole(self) -> bool:
        arrived = len(self._pending)
        return arrived >= HEADER_BYTES and arrived >= HEADER_BYTES + int.from_bytes(self._pending[:3], "little")

    def _take(self, go_on: bool) -> bool:
        packet, self._pending = self._pending, b""
        if packet[HEADER_BYTES] != OK:
            if packet[HEADER_BYTES] == ERR:
                self.refused = Refusal(time.monotonic() - self._began, _refusal(packet))
            return self._end(_refusal(packet))
        if not self._left:
            self._acknowledged.append(time.monotonic() - self._began)
            go_on = go_on and self.sent != self._commits
        return self._send() if go_on else True

    def _send(self) -> bool:
        """The server has answered, so the socket's buffer is empty and a small packet fits at once."""
        if not self._left:
            self._ahead = self._ahead or self._written()
            self._left = self._ahead.pop()
            self.sent += 1
        self.unsent = self._left.pop()
        return self._push()

    def _push(self) -> bool:
        try:
            self.unsent = self.unsent[self._socket.send(self.unsent) :]
        except NOT_YET:
            return True
        except OSError as lost:
            return self._end(str(lost))
        return True

    def _written(self) -> list[list[bytes]]:
        first = self.sent + 1
        written = self._write(self._secret, self.number, range(first, first + (AHEAD if self.sent else AT_FIRST)))
        return [[_packet(sql) for sql in reversed(one)] for one in reversed(written)]

    def _end(self, trouble: str) -> bool:
        self.trouble = trouble
        return False


def _packet(sql: bytes) -> bytes:
    return (len(sql) + 1).to_bytes(3, "little") + b"\0" + COM_QUERY + sql


def _refusal(packet: bytes) -> str:
    """The text of an ERR packet: number, `#` and state, message."""
    if packet[HEADER_BYTES] != ERR:
        return "the server did not answer with OK"
    number = int.from_bytes(packet[HEADER_BYTES + 1 : HEADER_BYTES + 3], "little")
    text = packet[HEADER_BYTES + 3 :].decode("utf-8", "replace")
    return f"{number}: {text[6:] if text.startswith('#') else text}"
