"""A failover in which nothing was lost, and ways to falsify its evidence."""

from dataclasses import replace

import numpy as np

from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import key
from workers.topology.checks import judge_all
from workers.topology.evidence import FailoverEvidence
from workers.topology.takeover import REJOIN

SECRET = b"s" * 16
CLIENTS, EACH = 3, 20


def ledger(first=0, each=EACH, secret=SECRET):
    """Every client sent one more than was acknowledged: it is in doubt."""
    times = np.append(np.arange(1, each + 1) / 10, np.nan)
    clients = tuple(ClientLedger(first + number, each + 1, times + number / 100) for number in range(CLIENTS))
    return Ledger(clients).sealed(secret)


def keys(*pairs):
    return np.array(sorted(key(client, n) for client, n in pairs), dtype=np.int64)


def sound():
    """Everything acknowledged is on the new primary; the old one follows it with the same rows."""
    acknowledged = ledger().acknowledged()
    return FailoverEvidence(
        kept=Seen(acknowledged),
        read=acknowledged,
        late=keys(),
        after=ledger(2000),
        returns=True,
        old=Seen(ledger().sent()),
        stays_down="",
        rejoined=ReplicaSeen(REJOIN, "caught up", "", 0),
        others=(("replica 2", ReplicaSeen(REJOIN, "caught up", "", 0)),),
        secret=SECRET,
    )


def without_key(seen, *pairs):
    return replace(seen, whole=np.setdiff1d(seen.whole, keys(*pairs)))


def outcomes(evidence, of=None):
    return {result.key: result.outcome for result in judge_all(of or ledger(), evidence)}


def flagged(evidence, of=None):
    return {name for name, outcome in outcomes(evidence, of).items() if outcome != "valid"}
