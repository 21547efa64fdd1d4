"""A client that reconnects after each error: to the same address, or to the next one of several."""

import select
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from workers.crash.client import Client, ConnectionLedger
from workers.crash.ledger import ClientLedger
from workers.crash.outage import ONE_CONNECTION, ClientOutage, longest
from workers.crash.witness import log_in
from workers.errors import reason
from workers.host.until import until
from workers.servers.target import Target

FIRST = 3000  # the number of its first connection in the ledger; each further one has the next number
LOGIN_S = 1.0
SILENT_S = 2.0  # without an answer for so long, it gives up the connection
MOST_PATIENCE = 8  # times as long: each failure doubles both, because a busy server is late every time
LAST_ANSWER_S = 1.0  # at the end
PAUSE_S = 0.05  # between two attempts
POLL_S = 0.02
AFTER_S = 0.2  # how long it commits after the first answer
MOST_WORDS = 300
MOST_CONNECTIONS = 2000  # each has a number in the ledger


class ReconnectingClient:
    """`begin`, `outage`, `ledgers`; `close` in any case.

    A client of the witness ends at its first error. So each connection is a client of its own in the ledger, and
    nothing is sent twice."""

    def __init__(self, targets: Callable[[], Sequence[Target]], schema: str, secret: bytes, first: int = FIRST) -> None:
        """`targets`: the present addresses, tried by turns; none: it waits. `first`: the number of its first
        connection in the ledger."""
        self._targets, self._schema, self._secret, self._first = targets, schema, secret, first
        self._began, self._turn = 0.0, 0
        self._clients: list[Client] = []
        self._logins: list[tuple[Target, float]] = []  # of the clients, in order
        self._failed_logins, self._trouble, self._patience = 0, "", 1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="reconnecting client", daemon=True)

    def begin(self, began: float) -> None:
        """`began`: of the load, on the monotonic clock."""
        self._began = began
        self._thread.start()

    @property
    def has_committed(self) -> bool:
        return self._acknowledged_after(self._began)

    def ledgers(self) -> tuple[ClientLedger, ...]:
        """Of each connection. May be called while it works."""
        return tuple(client.ledger() for client in self._clients[:])

    def connections(self) -> tuple[ConnectionLedger, ...]:
        """May be called while it works."""
        return tuple(
            client.connection(target, since_s)
            for client, (target, since_s) in zip(self._clients[:], self._logins, strict=False)
        )

    def outage(self, limit_s: float, must_go_on: Callable[[], None]) -> ClientOutage:
        """Call it when the server takes writes again. It waits until a commit is acknowledged from now on, and ends the
        client."""
        now = time.monotonic()
        back = until(lambda: self._acknowledged_after(now), limit_s, POLL_S, must_go_on)
        time.sleep(AFTER_S if back else 0)
        self.close()
        return self._outage(back)

    def close(self) -> None:
        """Read the last answer and hang up. May be called twice, and at any moment."""
        self.end()
        if self._thread.is_alive():
            self._thread.join()

    def end(self) -> None:
        """Send nothing more. `close` waits for the last answer."""
        self._over.set()

    def _acknowledged_after(self, moment: float) -> bool:
        newest = [client.ledger().acknowledged_at_s for client in self._clients[-1:]]
        return any((times > moment - self._began).any() for times in newest)

    def _outage(self, back: bool) -> ClientOutage:
        connections = self.connections()
        times = [one.acknowledged_at_s for one in connections]
        failed = self._failed_logins + sum(one.refused is not None for one in connections)
        counted = ClientOutage(failed=failed, in_doubt=sum(one.in_doubt for one in connections))
        if not back:
            return replace(counted, why=f"the client committed nothing afterwards: {self._trouble or 'no answer came'}")
        if not (gap := longest(times)):
            return replace(counted, why=ONE_CONNECTION)
        after = sum(int((one >= gap[1]).sum()) for one in times)
        return replace(counted, last_s=gap[0], first_s=gap[1], after=after)

    def _work(self) -> None:
        while not self._over.is_set() and len(self._clients) < MOST_CONNECTIONS:
            targets = self._targets()
            if targets and (client := self._logged_in(targets[self._turn % len(targets)])):
                self._commit(client)
                client.close()
                self._patience = 1 if client.acknowledged else min(2 * self._patience, MOST_PATIENCE)
                self._trouble = client.trouble[:MOST_WORDS] or self._trouble
            self._turn += 1
            self._over.wait(PAUSE_S)

    def _logged_in(self, target: Target) -> Client | None:
        number, limit_s = self._first + len(self._clients), LOGIN_S * self._patience
        try:
            client = log_in(target, self._schema, number, self._secret, timeout_s=limit_s, answer_s=limit_s)
        except Exception as failure:  # whatever it is, the next attempt may succeed
            self._failed_logins, self._trouble = self._failed_logins + 1, reason(failure)[:MOST_WORDS]
            self._patience = min(2 * self._patience, MOST_PATIENCE)
            return None
        self._logins.append((target, time.monotonic() - self._began))
        self._clients.append(client)
        return client

    def _commit(self, client: Client) -> None:
        """Until an error, a silence, or the end. At the end the last answer is read: the rows are compared then."""
        poll = select.poll()
        poll.register(client, select.POLLIN)
        goes_on, heard, silent_s = client.begin(self._began), time.monotonic(), SILENT_S * self._patience
        while goes_on:
            over = self._over.is_set()
            if poll.poll(1000 * POLL_S):
                goes_on, heard = client.answer(go_on=not over) and not over, time.monotonic()
            elif time.monotonic() > heard + (LAST_ANSWER_S if over else silent_s):
                client.trouble = "the server gave no answer"
                return
