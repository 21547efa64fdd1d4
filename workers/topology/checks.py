"""The checks of a failover: each compares what clients know with what the nodes hold.

Every commit that the old primary acknowledged, and every one that a reader saw, must be on the new primary. A check
that lacks evidence, or raises, is unknown.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from workers.crash.checks import FIRST, Check, known, named, none_of, overtaken, run_all
from workers.crash.evidence import ReplicaSeen, together, without
from workers.crash.ledger import Ledger
from workers.crash.verdict import CheckResult, invalid, unknown, valid
from workers.topology.evidence import FailoverEvidence

KEPT = ("kept",)


@dataclass(frozen=True)
class FailoverCheck(Check[FailoverEvidence]):
    """`applies`: to this evidence; else the check is left out."""

    applies: Callable[[FailoverEvidence], bool] = lambda evidence: not evidence.of_replica


def run_checks(ledger: Ledger, evidence: FailoverEvidence) -> tuple[CheckResult, ...]:
    """Every check that applies, in the registry's order."""
    applying = {key: check for key, check in CHECKS.items() if check.applies(evidence)}
    return run_all(applying, ledger, evidence, PIECES, _empty)


def _empty(check: Check[FailoverEvidence], evidence: FailoverEvidence) -> str:
    idle = check.of == KEPT and not len(known(evidence.kept).all())
    return "no transaction of the clients is on the new primary" if idle else ""


def _takes_over(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    if count := len(known(evidence.after).acknowledged()):
        return valid(f"The new primary acknowledged {count:,} commits.")
    return invalid(1, "The new primary acknowledged no commit.")


def _lost(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    acknowledged = ledger.acknowledged()
    if not len(acknowledged):
        return unknown("Nothing was acknowledged before the fault, so nothing could be lost.")
    return none_of(
        without(acknowledged, known(evidence.kept).there()),
        f"of {len(acknowledged):,} acknowledged commits are missing on the new primary",
        f"All {len(acknowledged):,} acknowledged commits are on the new primary.",
    )


def _phantoms(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    read = known(evidence.read)
    if not len(read):
        return unknown("The reader saw no commit before the fault.")
    return none_of(
        without(read, known(evidence.kept).there()),
        "commits were read on the old primary and are missing on the new one",
        f"Every one of the {len(read):,} commits that were read is on the new primary.",
    )


def _late(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    return none_of(
        known(evidence.late),
        "commits were acknowledged by the old primary after the failover",
        "The old primary acknowledged nothing after the failover.",
    )


def _updates(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    found = known(evidence.updates)
    if found.missing is None:
        return unknown("The updated rows of the new primary could not be read.")
    if not found.acknowledged:
        return unknown("No update was acknowledged before the fault.")
    if not (lost := found.overwritten + found.missing):
        return valid(f"None of the {found.acknowledged:,} acknowledged updates is lost.")
    return invalid(
        lost,
        f"Of {found.acknowledged:,} acknowledged updates {found.overwritten:,} were overwritten by an update that had "
        f"not read them, and {found.missing:,} are missing on the new primary.",
    )


def _stale(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    found = known(evidence.updates)
    if not found.reads:
        return unknown("No row was read before an acknowledged update.")
    if found.overwritten:
        return unknown("Updates were overwritten, so a low version may be the newest one.")
    if found.stale:
        return invalid(
            found.stale,
            f"{found.stale:,} of {found.reads:,} reads had an older version than one that was acknowledged before.",
        )
    return valid(f"Each of the {found.reads:,} reads had the newest version that had been acknowledged.")


def _torn(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    return none_of(
        known(evidence.kept).parts,
        "transactions are on the new primary only in part: some of their rows are missing",
        "Every transaction is on the new primary with all of its rows or with none.",
    )


def _altered(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    return none_of(
        known(evidence.kept).altered,
        "transactions have rows on the new primary that differ from what was written",
        "Every row on the new primary holds what the client wrote.",
    )


def _never_sent(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    return none_of(
        without(known(evidence.kept).all(), ledger.sent()),
        "transactions are on the new primary that no client ever sent",
        "Nothing is on the new primary that no client sent.",
    )


def _order(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    kept = known(evidence.kept)
    return none_of(
        overtaken(without(ledger.acknowledged(), kept.there()), kept.whole),
        "acknowledged commits are missing although a later one of the same client is there",
        "No client lost a commit and kept a later one.",
    )


def _swapped(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    """A replica skips a GTID that it has. If it names another transaction there, rows differ and nothing says so."""
    if swapped := known(evidence.gtids).swapped:
        first = ", ".join(swapped[:FIRST])
        return invalid(len(swapped), f"{len(swapped):,} GTIDs name other transactions on the new primary: {first}.")
    return valid("Each GTID names the same transaction on the old primary and on the new one.")


def _gtids_name_rows(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    """Replicas trust GTIDs: one without rows is never fetched again, and rows without one reach no other replica."""
    by_gtid, kept = known(evidence.gtids).named, known(evidence.kept)
    without_rows, without_gtid = without(by_gtid, kept.all()), without(kept.whole, by_gtid)
    if not len(without_rows) and not len(without_gtid):
        return valid(f"The GTIDs of the new primary name exactly the {len(kept.whole):,} transactions that it has.")
    return invalid(
        len(without_rows) + len(without_gtid),
        f"On the new primary {len(without_rows):,} transactions have a GTID and no rows, "
        f"and {len(without_gtid):,} have rows and no GTID in its binary log.",
        named(together((without_rows, without_gtid))),
    )


def _old_starts(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    if why := evidence.stays_down:
        return invalid(1, f"The old primary does not start again: {why}")
    return valid("The old primary started again.")


def _rejoins(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    return _follows("The old primary", known(evidence.rejoined))


def _crashed_replica(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    """Compared with its primary, and with what clients know: a primary that lost the same commits hides nothing."""
    replica = known(evidence.rejoined)
    if replica.state != "caught up" or replica.seen is None or replica.different_rows is None:
        return _follows("The replica", replace(replica, different_rows=None))
    missing, twice = without(ledger.acknowledged(), replica.seen.there()), replica.seen.twice
    if not (len(missing) or len(twice) or replica.different_rows):
        return valid("The replica caught up and has every row of the primary once.")
    return invalid(
        max(len(missing) + len(twice), replica.different_rows),
        f"The replica caught up without an error: {len(missing):,} acknowledged commits are missing there, "
        f"{len(twice):,} are there twice, {replica.different_rows:,} rows differ from the primary's.",
        named(together((missing, twice))),
    )


def _others(ledger: Ledger, evidence: FailoverEvidence) -> CheckResult:
    """A node that the fault struck may refuse. One that it spared must go on."""
    results = [
        _stopped(name.capitalize(), seen)
        if seen.state == "stopped" and name not in evidence.struck
        else _follows(name.capitalize(), seen)
        for name, seen in evidence.others
    ]
    worst = min(results, key=lambda result: ("invalid", "unknown", "valid").index(result.outcome))
    return replace(worst, says=" ".join(result.says for result in results))


def _stopped(name: str, seen: ReplicaSeen) -> CheckResult:
    return invalid(1, f"{name} was not struck by the fault, and stopped: it applies nothing any more: {seen.error}.")


def _follows(name: str, seen: ReplicaSeen) -> CheckResult:
    """A node that refuses to follow, and says so, misleads nobody: it must be rebuilt."""
    if seen.state == "stopped":
        return valid(f"{name} refuses to follow the primary, and must be rebuilt: {seen.error}.")
    if seen.state != "caught up" or seen.different_rows is None:
        return unknown(f"Whether {name[0].lower()}{name[1:]} has the same rows is unclear: {seen.error}")
    if seen.different_rows:
        return invalid(
            seen.different_rows,
            f"{name} follows the primary without an error, and {seen.different_rows:,} rows differ.",
            (*seen.only_source, *seen.only_follower),
        )
    if seen.other_gtids:
        return invalid(1, f"{name} follows the primary with equal rows, and executed GTIDs differ: {seen.other_gtids}.")
    errant = f" It has GTIDs that the primary lacks: {seen.errant}." if seen.errant else ""
    return valid(f"{name} follows the primary and has the same rows.{errant}")


PIECES = {
    "kept": "the rows of the new primary",
    "read": "what the reader saw",
    "late": "the moment of the failover",
    "after": "the commits on the new primary",
    "stays_down": "whether the old primary starts",
    "gtids": "the GTIDs in both binary logs",
    "rejoined": "the node that was down, as a replica",
}


def _has_updates(evidence: FailoverEvidence) -> bool:
    return evidence.updates is not None


CHECKS: dict[str, FailoverCheck] = {
    "takes-over": FailoverCheck("New primary accepts commits", ("after",), _takes_over),
    "lost-promoted": FailoverCheck("All acknowledged commits on the new primary", KEPT, _lost),
    "phantoms": FailoverCheck("All commits that clients read on the new primary", ("kept", "read"), _phantoms),
    "late": FailoverCheck("Old primary silent after the failover", ("late",), _late),
    "torn-promoted": FailoverCheck("Each transaction whole or absent on the new primary", KEPT, _torn, of=KEPT),
    "altered-promoted": FailoverCheck("Rows of the new primary as the client wrote them", KEPT, _altered, of=KEPT),
    "never-sent-promoted": FailoverCheck(
        "Only transactions that were sent on the new primary", KEPT, _never_sent, of=KEPT
    ),
    "order-promoted": FailoverCheck("Commits of a client without a gap on the new primary", KEPT, _order, of=KEPT),
    "swapped": FailoverCheck(
        "Each GTID names one transaction", ("gtids",), _swapped, applies=lambda evidence: evidence.has_gtids
    ),
    "gtid-rows": FailoverCheck(
        "GTIDs of the new primary name the rows that it has",
        ("gtids", "kept"),
        _gtids_name_rows,
        applies=lambda evidence: evidence.has_gtids and evidence.logs_updates,
        of=KEPT,
    ),
    "old-starts": FailoverCheck(
        "Old primary starts again",
        ("stays_down",),
        _old_starts,
        applies=lambda evidence: evidence.returns and not evidence.rebuilt,
    ),
    "rejoin": FailoverCheck(
        "Old primary follows equal or refuses",
        ("stays_down", "rejoined"),
        _rejoins,
        applies=lambda evidence: evidence.returns,
    ),
    "crashed-replica": FailoverCheck(
        "Struck replica equal or stopped",
        ("rejoined",),
        _crashed_replica,
        applies=lambda evidence: evidence.of_replica,
    ),
    "lost-updates": FailoverCheck("No acknowledged update lost", (), _updates, applies=_has_updates),
    "stale-reads": FailoverCheck("Reads as new as acknowledged updates", (), _stale, applies=_has_updates),
    "others": FailoverCheck(
        "Other nodes follow the primary with equal rows", (), _others, applies=lambda evidence: bool(evidence.others)
    ),
}
