"""A made-up trial in which all is well, to be spoilt by tests."""

from dataclasses import replace
from typing import Any

import numpy as np

from workers.crash.checks import run_checks
from workers.crash.evidence import BinlogSeen, Evidence, Oddities, ReplicaSeen, Seen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.outage import ClientOutage
from workers.crash.transactions import Keys, key
from workers.crash.verdict import CheckResult

CLIENTS, SENT = 3, 40  # of each client the last one is in doubt


def ledger() -> Ledger:
    """Clients take turns: each one's answer comes 1 ms after the one before it."""
    times = np.append(np.arange(1, SENT) / 100, np.nan)
    return Ledger(tuple(ClientLedger(client, SENT, times + client / 1000) for client in range(CLIENTS)))


def in_order() -> Keys:
    """What was acknowledged, in that order."""
    told = ledger().acknowledged()
    return told[np.argsort(ledger().told_at_s(told))]


def keys(*pairs: tuple[int, int]) -> Keys:
    return np.array([key(client, n) for client, n in pairs], dtype=np.int64)


def without(seen: Seen, *pairs: tuple[int, int]) -> Seen:
    return replace(seen, whole=np.setdiff1d(seen.whole, keys(*pairs)))


def along_with(seen: Seen, *pairs: tuple[int, int]) -> Seen:
    return replace(seen, whole=np.union1d(seen.whole, keys(*pairs)))


def all_well(**changed: Any) -> Evidence:
    """Everything acknowledged is everywhere; `engine`, `binlog` (its Seen) and fields of Evidence may be changed."""
    everything = Seen(ledger().acknowledged())
    state = {"order": in_order(), **changed.pop("state", {})}
    binlog = BinlogSeen(changed.pop("binlog", everything), {}, "open", "binlog.000002:339", **state)
    caught_up = [ReplicaSeen(moment, "caught up", "", 0) for moment in ("after recovery", "after the primary wrote on")]
    good = Evidence(
        everything,
        binlog,
        replicas=tuple(caught_up),
        replica_expected=True,
        prepared_left=0,
        tables_ok=True,
        stays_down="",
        rewritten=Oddities(),
        outage=ClientOutage(1.0, 1.5, after=7, missing=0),
    )
    return replace(good, **changed)


def judged(evidence: Evidence) -> dict[str, CheckResult]:
    return {result.key: result for result in run_checks(ledger(), evidence)}


def bad(evidence: Evidence) -> dict[str, str]:
    """The checks that are not valid."""
    return {key: result.outcome for key, result in judged(evidence).items() if result.outcome != "valid"}
