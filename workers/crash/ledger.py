"""What the client knows of every transaction: acknowledged, in doubt (sent, no answer), never sent."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workers.crash.transactions import Keys, client_of, key, number_of


@dataclass(frozen=True)
class ClientLedger:
    """One client's word. It sends 1, 2, 3 ... and waits for each answer.

    `sent`: the last number sent. `acknowledged_at_s[i]`: when number i + 1 was acknowledged, seconds since the load
    began (monotonic); nan: the server answered with an error or not at all, so it is in doubt.
    """

    client: int
    sent: int
    acknowledged_at_s: npt.NDArray[np.float64]  # length `sent`


@dataclass(frozen=True)
class Ledger:
    """All clients' words of one trial. After a crash: acknowledged must be present, in doubt may be, nothing else."""

    clients: tuple[ClientLedger, ...]

    def sent(self) -> Keys:
        """Keys of everything sent, ascending."""
        return _joined([np.arange(1, one.sent + 1, dtype=np.int64) + key(one.client, 0) for one in self.clients])

    def acknowledged(self) -> Keys:
        """Keys of everything acknowledged, ascending."""
        return _joined(
            [np.flatnonzero(~np.isnan(one.acknowledged_at_s)) + 1 + key(one.client, 0) for one in self.clients]
        )

    def in_doubt(self) -> Keys:
        return np.setdiff1d(self.sent(), self.acknowledged(), assume_unique=True)

    def acknowledged_at_s(self, keys: Keys) -> npt.NDArray[np.float64]:
        """When each of these (acknowledged) transactions was acknowledged."""
        found, client, number = np.full(len(keys), np.nan), client_of(keys), number_of(keys)
        for one in self.clients:
            mine = client == one.client
            found[mine] = one.acknowledged_at_s[number[mine] - 1]
        return found


def _joined(parts: list[Keys]) -> Keys:
    return np.sort(np.concatenate(parts)) if parts else np.array([], dtype=np.int64)
