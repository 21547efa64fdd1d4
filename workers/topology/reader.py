"""A client that only reads: it shows which commits other users of the primary saw."""

import contextlib
import socket
import threading

import numpy as np

from workers.crash.replica import SCHEMA
from workers.crash.transactions import Keys, client_of, number_of
from workers.errors import DurascopeError
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

NEWEST = f"SELECT client, MAX(n) FROM `{SCHEMA}`.one GROUP BY client"  # noqa: S608 - no foreign text
LAST_ANSWER_S = 0.1  # an answer that the server sent before it was frozen is in the socket by then


class CommitReader:
    """Asks round and round for each client's newest commit. `begin`, `drain`, `close`.

    A commit that is read is visible to everybody. If a failover loses it, the reader has acted on data that never were:
    only this tells AFTER_COMMIT from AFTER_SYNC.
    """

    def __init__(self, target: Target) -> None:
        """Log in. Raises ServerError."""
        self.rounds = 0
        self._newest: dict[int, int] = {}
        self._over = threading.Event()
        self._connection = connect(target)
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    @property
    def saw_any(self) -> bool:
        return bool(self._newest)

    def drain(self) -> None:
        """Read the last answer and stop. A frozen server sends none."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(LAST_ANSWER_S)
            with contextlib.suppress(OSError, AttributeError):
                self._connection._sock.shutdown(socket.SHUT_RDWR)
            self._thread.join()

    def close(self) -> None:
        self.drain()
        with contextlib.suppress(OSError):
            self._connection._force_close()

    def read(self, sent: Keys) -> Keys:
        """Those of the sent transactions that were seen. A client commits in order, so everything before its newest
        commit was visible too. Call it after `drain`."""
        newest = np.array([self._newest.get(client, 0) for client in client_of(sent).tolist()], dtype=np.float64)
        seen: Keys = sent[number_of(sent) <= newest]
        return seen

    def _read(self) -> None:
        with contextlib.suppress(DurascopeError, OSError):  # the server is gone: what was read counts
            while not self._over.is_set():
                for client, newest in ask.rows(self._connection, NEWEST):
                    number = ask.integer(client)
                    self._newest[number] = max(ask.integer(newest), self._newest.get(number, 0))
                self.rounds += 1
