"""The clients after the fault: each one whose connection ended reconnects to wherever writes are accepted.

The trial stands for the service address: `reach` says which servers it leads to at present. Before a promotion it leads
to none, because a replica of a trial would take writes too early; in a cluster it leads to every node that is left.
"""

from collections.abc import Callable, Sequence

from workers.crash.client import ConnectionLedger
from workers.crash.evidence import Seen, without
from workers.crash.ledger import Ledger
from workers.crash.reconnecting import ReconnectingClient
from workers.crash.replica import SCHEMA
from workers.servers.target import Target

FIRST = 4096  # number of the first connection in the ledger; clients before the fault have smaller numbers
SPAN = 4096  # numbers of one client
MOST = 16  # a thread each: more would measure the threads


class ReconnectedClients:
    """`begin`, `reach`, `end`, `ledger`; `close` in any case."""

    def __init__(
        self, clients: int, secret: bytes, make: Callable[..., ReconnectingClient] = ReconnectingClient
    ) -> None:
        self._secret = secret
        self._targets: tuple[Target, ...] = ()
        self._clients = [
            make(lambda: self._targets, SCHEMA, secret, FIRST + number * SPAN) for number in range(min(clients, MOST))
        ]
        self._begun = False

    def begin(self, began: float) -> None:
        """`began`: of the load, on the monotonic clock. Nothing the second time."""
        if not self._begun:
            self._begun = True
            for client in self._clients:
                client.begin(began)

    def reach(self, targets: Sequence[Target]) -> None:
        """New connections lead to these servers, by turns. Present connections stay."""
        self._targets = tuple(targets)

    def all_answered(self) -> bool:
        return all(any(len(one.acknowledged_at_s) for one in client) for client in self.by_client())

    def close(self) -> None:
        """Read the last answers and hang up. May be called twice, and at any moment."""
        self._targets = ()
        for client in self._clients:
            client.end()
        for client in self._clients:
            client.close()

    def by_client(self) -> tuple[tuple[ConnectionLedger, ...], ...]:
        """The connections of each client, in order."""
        return tuple(client.connections() for client in self._clients)

    def connections(self) -> tuple[ConnectionLedger, ...]:
        return tuple(one for client in self.by_client() for one in client)

    def ledger(self) -> Ledger:
        return Ledger(tuple(one.ledger for one in self.connections())).sealed(self._secret)

    def left_out(self, seen: Seen) -> Seen:
        """Transactions that a node holds from before: those of these clients, who may be committing already, left
        out."""
        own = self.ledger().sent()
        return Seen(*(without(keys, own) for keys in vars(seen).values()))
