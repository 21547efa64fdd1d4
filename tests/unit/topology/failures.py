"""A failover in which nothing was lost, and ways to falsify its evidence."""

from dataclasses import replace

import numpy as np

from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import key
from workers.topology.checks import run_checks
from workers.topology.evidence import FailoverEvidence, GtidsSeen
from workers.topology.kinds.following.following import AFTER_CRASH
from workers.topology.setup_and_result import UpdatesSeen
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
        rebuilt=False,
        stays_down="",
        struck=frozenset(),
        has_gtids=True,
        logs_updates=True,
        gtids=GtidsSeen((), (), acknowledged),
        of_replica=False,
        rejoined=ReplicaSeen(REJOIN, "caught up", "", 0),
        others=(("replica 2", ReplicaSeen(REJOIN, "caught up", "", 0)),),
        updates=UpdatesSeen(acknowledged=9, refused=3, overwritten=0, missing=0, reads=12, stale=0),
        secret=SECRET,
    )


def sound_replica():
    """A replica crashed, came back and has every row of its primary."""
    back = ReplicaSeen(AFTER_CRASH, "caught up", "", 0, Seen(ledger().sent()))
    return replace(
        sound(), of_replica=True, has_gtids=False, gtids=None, returns=False, stays_down="", rejoined=back,
        updates=None,
    )  # fmt: skip


def without_key(seen, *pairs):
    return replace(seen, whole=np.setdiff1d(seen.whole, keys(*pairs)))


def outcomes(evidence, of=None):
    return {result.key: result.outcome for result in run_checks(of or ledger(), evidence)}


def flagged(evidence, of=None):
    return {name for name, outcome in outcomes(evidence, of).items() if outcome != "valid"}
