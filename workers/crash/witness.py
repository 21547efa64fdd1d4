"""The witness: clients that commit numbered transactions and record the acknowledged ones.

One thread serves all clients with a poll loop. Why this, and neither sysbench nor a thread per client:
docs/research/witness.md.
"""

import select
import threading
import time
from collections.abc import Sequence

from workers.crash.client import Client, ConnectionLedger
from workers.crash.ledger import Ledger
from workers.crash.transactions import Write, statements
from workers.errors import SandboxError, ServerError
from workers.servers.connection import ANSWER_S, connect
from workers.servers.target import Target

POLL_MS = 20
JOIN_S = 60.0


class Witness:
    """`begin`, wait, take the server down, `drain`, `ledger`; `close` in any case.

    The order at a crash is: freeze the server, drain, cut the power. An answer that is read after the freeze was sent
    before it, when the disk still kept flushed data. It is an acknowledgement, and ignoring it would hide a loss. After
    the cut the disk drops data and reports success. An answer sent then would be false, and no real machine could send
    it. A frozen server sends none.
    """

    def __init__(
        self,
        target: Target,
        schema: str,
        clients: int,
        secret: bytes,
        first: int = 0,
        others: Sequence[Target] = (),
        write: Write = statements,
        commits: int = 0,
    ) -> None:
        """Log in all clients, numbered from `first`, by turns on the target and on the others. `secret`: of the digests
        in their rows. `write`: the SQL of their transactions. `commits`: of each client; 0: no limit. Raises
        ServerError."""
        self.began = 0.0  # monotonic clock
        self.drained_at_s = 0.0  # since then; 0 while the load goes on
        self._secret, self._targets = secret, (target, *others)
        self._clients: list[Client] = []
        self._quiet_ms: int | None = None  # set: only read, and end after that time without an answer
        self._thread = threading.Thread(target=self._serve, name="witness", daemon=True)
        self._poll = select.poll()
        self._by_file: dict[int, Client] = {}
        try:
            for number in range(first, first + clients):
                self._clients.append(log_in(self._target_of(number), schema, number, secret, write, commits=commits))
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        for client in self._clients:
            self._by_file[client.fileno()] = client
            self._watch(client)
        self.began = time.monotonic()
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether any client works. If none does before the crash, `trouble` says why."""
        return bool(self._by_file)

    @property
    def trouble(self) -> str:
        """The error of a client that ended; "" while none has."""
        return next((client.trouble for client in self._clients if client.trouble), "")

    @property
    def acknowledged(self) -> int:
        """Commits so far."""
        return sum(client.acknowledged for client in self._clients)

    def connections(self) -> tuple[ConnectionLedger, ...]:
        """Of each client. May be called while they work."""
        return tuple(client.connection(self._target_of(client.number)) for client in self._clients)

    def _target_of(self, number: int) -> Target:
        return self._targets[number % len(self._targets)]

    def drain(self, quiet_s: float = 0.0) -> None:
        """Send nothing more, read every answer that has been sent, and stop.

        `quiet_s`: how long an answer may be on its way; 0 for a server on this host, whose answers are in the socket's
        buffer once it is frozen or dead. SandboxError when it does not end: its ledger is then not reliable.
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
            if client.begin(self.began):
                self._watch(client)
            else:
                self._leave(client)
        while self._by_file and self._answers():
            pass

    def _answers(self) -> bool:
        """One round of answers; False when it is time to stop."""
        quiet_ms = self._quiet_ms
        ready = self._poll.poll(POLL_MS if quiet_ms is None else quiet_ms)
        for file, event in ready:
            client = self._by_file[file]
            if not client.answer(go_on=quiet_ms is None):
                self._leave(client)
            elif client.unsent or event & select.POLLOUT:
                self._watch(client)
        return bool(ready) or quiet_ms is None

    def _watch(self, client: Client) -> None:
        """For answers. While a packet is unsent, also for room in the socket's buffer."""
        self._poll.register(client, select.POLLIN | select.POLLOUT if client.unsent else select.POLLIN)

    def _leave(self, client: Client) -> None:
        self._poll.unregister(client)
        del self._by_file[client.fileno()]


def log_in(
    target: Target,
    schema: str,
    number: int,
    secret: bytes,
    write: Write = statements,
    *,
    commits: int = 0,
    timeout_s: float = 5,
    answer_s: float = ANSWER_S,
) -> Client:
    """Raises ServerError."""
    connection = connect(target, timeout_s=timeout_s, answer_s=answer_s)
    try:
        connection.select_db(schema)
    except Exception as error:
        connection.close()
        raise ServerError(f"The witness cannot use the schema {schema}: {error}.", "Nothing was written.") from error
    return Client(number, connection, secret, write, commits)
