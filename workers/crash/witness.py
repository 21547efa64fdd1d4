"""The witness: N clients that commit numbered transactions and remember what the server acknowledged.

One thread serves all clients with a poll loop. Why this, and neither sysbench nor a thread per client:
docs/research/witness.md.
"""

import select
import threading
import time

from workers.crash.client import Client
from workers.crash.ledger import Ledger
from workers.errors import SandboxError, ServerError
from workers.servers.connection import connect
from workers.servers.target import Target

POLL_MS = 20
JOIN_S = 60.0


class Witness:
    """`begin`, wait, take the server down, `drain`, `ledger`; `close` whatever happens.

    The order at a crash is: freeze the server, drain, cut the power. An answer that is read after the freeze was
    sent before it, by a server whose disk still kept its promises: it is a true acknowledgement, and leaving it
    unread would hide a loss. After the cut the disk forgets while it says that all is well: an answer sent then
    would promise what cannot be kept, and no real machine could have sent it. A frozen server sends none.
    """

    def __init__(self, target: Target, schema: str, clients: int, secret: bytes) -> None:
        """Log in all clients. `secret`: of the digests in their rows. Raises ServerError."""
        self.began = 0.0  # monotonic clock
        self.drained_at_s = 0.0  # since then; 0 while the load goes on
        self._secret = secret
        self._clients: list[Client] = []
        self._quiet_ms: int | None = None  # set: read what is there, and end after that long without an answer
        self._thread = threading.Thread(target=self._serve, name="witness", daemon=True)
        self._poll = select.poll()
        self._by_file: dict[int, Client] = {}
        try:
            for number in range(clients):
                self._clients.append(_log_in(target, schema, number, secret))
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        for client in self._clients:
            self._by_file[client.fileno()] = client
            self._poll.register(client, select.POLLIN)
        self.began = time.monotonic()
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether any client is at work. If none is before the crash, something is wrong: see `trouble`."""
        return bool(self._by_file)

    @property
    def trouble(self) -> str:
        """What ended the first client that ended; "" while none has."""
        return next((client.trouble for client in self._clients if client.trouble), "")

    def drain(self, quiet_s: float = 0.0) -> None:
        """Send nothing more, read every answer that has been sent, and stop.

        `quiet_s`: how long an answer may be under way; 0 for a server on this host, whose answers lie in our
        socket's buffer once it is frozen or dead. SandboxError when it does not come to an end: then it may still be
        sending, and nothing it says can be relied on.
        """
        self.drained_at_s = time.monotonic() - self.began
        if not self._stop(quiet_s):
            raise SandboxError("The witness did not stop.", "The machine may be overloaded. Repeat the trial.")

    def ledger(self) -> Ledger:
        return Ledger(tuple(client.ledger() for client in self._clients)).sealed(self._secret)

    def close(self) -> None:
        """Stop and hang up. May be called twice, and at any moment."""
        self._stop(0.0)
        for client in self._clients:
            client.close()

    def _stop(self, quiet_s: float) -> bool:
        self._quiet_ms = int(quiet_s * 1000)
        if self._thread.is_alive():
            self._thread.join(JOIN_S + quiet_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        for client in self._clients:
            if not client.begin(self.began):
                self._leave(client)
        while self._by_file and self._answers():
            pass

    def _answers(self) -> bool:
        """One round of answers; False when it is time to stop."""
        quiet_ms = self._quiet_ms
        ready = self._poll.poll(POLL_MS if quiet_ms is None else quiet_ms)
        for file, _ in ready:
            client = self._by_file[file]
            if not client.answer(go_on=quiet_ms is None):
                self._leave(client)
        return bool(ready) or quiet_ms is None

    def _leave(self, client: Client) -> None:
        self._poll.unregister(client)
        del self._by_file[client.fileno()]


def _log_in(target: Target, schema: str, number: int, secret: bytes) -> Client:
    connection = connect(target)
    try:
        connection.select_db(schema)
    except Exception as error:
        connection.close()
        raise ServerError(f"The witness cannot use the schema {schema}: {error}.", "Nothing was written.") from error
    return Client(number, connection, secret)
