"""The ledger: the client's knowledge of every transaction, acknowledged, in doubt (sent, no answer) or never sent."""

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Self

import numpy as np
import numpy.typing as npt

from workers.crash.evidence import joined
from workers.crash.transactions import Keys, client_of, key, number_of


@dataclass(frozen=True)
class ClientLedger:
    """The ledger of one client, which sends 1, 2, 3 ... and waits for each answer.

    `sent`: the last number sent. `acknowledged_at_s[i]`: when number i + 1 was acknowledged, seconds since the load
    began (monotonic); nan: the server answered with an error or not at all, so it is in doubt. `open_end`: how many of
    the last numbers may have no answer. A client waits for each answer, so it is 1; the margin of two clocks adds more.
    """

    client: int
    sent: int
    acknowledged_at_s: npt.NDArray[np.float64]  # length `sent`
    open_end: int = 1

    def until(self, at_s: float, margin_s: float) -> "ClientLedger":
        """What this client knew at a moment. It sends a number when it has the answer to the number before. What lies
        within the margin of the two clocks is in doubt."""
        surely, possibly = (int((self.acknowledged_at_s <= at).sum()) for at in (at_s - margin_s, at_s + margin_s))
        sent = min(self.sent, possibly + 1) if at_s + margin_s >= 0 else 0
        times = np.where(np.arange(sent) < surely, self.acknowledged_at_s[:sent], np.nan)
        return ClientLedger(self.client, sent, times, max(1, sent - surely))

    def fault(self) -> str:
        """Its contradiction; "" when there is none."""
        times = self.acknowledged_at_s
        if len(times) != self.sent:
            return f"client {self.client} sent {self.sent} transactions and has {len(times)} answers"
        if np.isnan(times[: -self.open_end]).any():
            return f"client {self.client} went on without an answer"
        if (np.diff(times[~np.isnan(times)]) < 0).any():
            return f"client {self.client} has an answer that came before the one to an earlier transaction"
        return ""


@dataclass(frozen=True)
class Ledger:
    clients: tuple[ClientLedger, ...]
    seal: str = ""  # a keyed digest of all of it, made by the witness

    def sealed(self, secret: bytes) -> Self:
        return replace(self, seal=self._digest(secret))

    def until(self, at_s: float, secret: bytes, margin_s: float = 0.0) -> Self:
        """What the clients knew at a moment since the load began. Check `fault` of the whole ledger first."""
        return replace(self, clients=tuple(one.until(at_s, margin_s) for one in self.clients)).sealed(secret)

    def fault(self, secret: bytes) -> str:
        """Why it is not reliable; "" when it is. Without a secret the seal is not checked."""
        names = [one.client for one in self.clients]
        if len(set(names)) != len(names):
            return "a client is there twice"
        if secret and self.seal != self._digest(secret):
            return "it is not the one that the witness wrote"
        return next((why for one in self.clients if (why := one.fault())), "")

    def sent(self) -> Keys:
        """Keys of everything sent, ascending."""
        return np.sort(joined(np.arange(1, one.sent + 1, dtype=np.int64) + key(one.client, 0) for one in self.clients))

    def acknowledged(self) -> Keys:
        """Keys of everything acknowledged, ascending."""
        numbers = ((one.client, np.flatnonzero(~np.isnan(one.acknowledged_at_s)) + 1) for one in self.clients)
        return np.sort(joined(ns + key(client, 0) for client, ns in numbers))

    def in_doubt(self) -> Keys:
        return np.setdiff1d(self.sent(), self.acknowledged(), assume_unique=True)

    def told_at_s(self, keys: Keys) -> npt.NDArray[np.float64]:
        """When each of these keys was acknowledged: -inf before a client's first one, inf when it never was."""
        found, client, number = np.full(len(keys), np.inf), client_of(keys), number_of(keys)
        found[number == 0] = -np.inf
        for one in self.clients:
            mine = np.flatnonzero((client == one.client) & (number > 0) & (number <= one.sent))
            times = one.acknowledged_at_s[number[mine] - 1]
            found[mine] = np.where(np.isnan(times), np.inf, times)
        return found

    def _digest(self, secret: bytes) -> str:
        digest = blake2b(key=secret, digest_size=16)
        for one in self.clients:
            digest.update(f"{one.client} {one.sent} {len(one.acknowledged_at_s)} {one.open_end};".encode())
            digest.update(np.ascontiguousarray(one.acknowledged_at_s).tobytes())
        return digest.hexdigest()
