"""The checks of a trial: each compares the ledger (what the client knows) with the evidence (what is left).

Acknowledged commits must be present. Commits in doubt may be present or absent, but engine and binary log must agree.
Other commits must be absent. A check that lacks evidence, or raises, is unknown. Keys are sorted numpy arrays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from workers.crash.evidence import Evidence, Oddities, Read, Seen, together, without
from workers.crash.ledger import Ledger
from workers.crash.replica_check import judge_replicas
from workers.crash.transactions import CLIENT_SHIFT, NOBODY, Keys, client_of, pairs
from workers.crash.verdict import CheckResult, invalid, nothing_to_check, unknown, valid

T = TypeVar("T")
E = TypeVar("E", bound=Read)

FIRST = 10  # offenders with names
IMPOSSIBLE = "a row whose client or number cannot exist"
PIECES = {
    "stays_down": "the server's state",
    "gtids": "GTIDs",
    "prepared_left": "prepared transactions",
    "tables_ok": "the tables' state",
    "rewritten": "the binary log as it stood at the crash",
}
PLACES = {"engine": "the engine", "binlog": "the binary log", "replicas": "the replica"}
BOTH = ("engine", "binlog")


@dataclass(frozen=True)
class Check(Generic[E]):
    """`needs`: the required evidence, of "stays_down", "engine", "binlog", "gtids", "rewritten", "prepared_left",
    "tables_ok", "replicas", "outage"; without a binlog, GTIDs, a replica or a client that reconnects the check is left
    out. `judge` makes the result; its `key` is filled in later. `of`: the places whose transactions it looks at, keys
    of PLACES. If all are empty, a valid result is marked as vacuous."""

    title: str
    needs: tuple[str, ...]
    judge: Callable[[Ledger, E], CheckResult]
    of: tuple[str, ...] = ()


def run_checks(ledger: Ledger, evidence: Evidence) -> tuple[CheckResult, ...]:
    """Every check that applies, in the registry's order."""
    applying = {key: check for key, check in CHECKS.items() if _applies(check, evidence)}
    return run_all(applying, ledger, evidence, PIECES, _empty)


def run_all(
    checks: Mapping[str, Check[E]],
    ledger: Ledger,
    evidence: E,
    pieces: Mapping[str, str],
    empty: Callable[[Check[E], E], str],
) -> tuple[CheckResult, ...]:
    """With a damaged ledger all are unknown. `pieces`: words for `needs`. `empty`: why a check had nothing to look at;
    "": it had."""
    if why := ledger.fault(evidence.secret):
        says = f"Unclear: the ledger of acknowledged commits is not reliable: {why}."
        return tuple(replace(unknown(says), key=key) for key in checks)

    def judged(check: Check[E]) -> CheckResult:
        if lacking := [name for name in check.needs if _is_lacking(getattr(evidence, name))]:
            why = "; ".join(evidence.problems) or "it was not read"
            what = ", ".join(pieces.get(name, name) for name in lacking)
            return unknown(f"Unclear: {what} could not be read ({why}).")
        try:
            found = check.judge(ledger, evidence)
            nothing = empty(check, evidence) if found.outcome == "valid" else ""
            return nothing_to_check(nothing) if nothing else found
        except Exception as error:  # a check that raises must never count as valid
            return unknown(f"The check failed: {type(error).__name__}: {error}.")

    return tuple(replace(judged(check), key=key) for key, check in checks.items())


def missing_from(seen: Seen, ledger: Ledger) -> Keys:
    """Acknowledged transactions that are missing, or not whole. An altered one is not missing, too."""
    return without(ledger.acknowledged(), seen.there())


def _stays_down(ledger: Ledger, evidence: Evidence) -> CheckResult:
    if why := evidence.stays_down:
        return invalid(1, f"The server does not recover without help: {why}")
    return valid("The server started after the crash and recovered without help.")


def _lost(place: str, ledger: Ledger, evidence: Evidence) -> CheckResult:
    total = len(ledger.acknowledged())
    if not total:
        return unknown("Nothing was acknowledged before the crash, so nothing could be lost.")
    return none_of(
        missing_from(_seen(evidence, place), ledger),
        f"of {total:,} acknowledged transactions are missing in {PLACES[place]}",
        f"All {total:,} acknowledged transactions are in {PLACES[place]}.",
    )


def _only(place: str, ledger: Ledger, evidence: Evidence) -> CheckResult:
    other = "binlog" if place == "engine" else "engine"
    return none_of(
        without(_seen(evidence, place).whole, _seen(evidence, other).there()),
        f"transactions are in {PLACES[place]} and not in {PLACES[other]}",
        f"Every transaction of {PLACES[place]} is in {PLACES[other]} too.",
    )


def _torn(ledger: Ledger, evidence: Evidence) -> CheckResult:
    return none_of(
        together([seen.parts for seen in _places(evidence)]),
        "transactions are there only in part: some of their rows are missing",
        "Every transaction is there with all of its rows or with none.",
    )


def _never_sent(ledger: Ledger, evidence: Evidence) -> CheckResult:
    strangers = [without(seen.all(), ledger.sent()) for seen in _places(evidence)]
    return none_of(
        together(strangers),
        "transactions are there that no client ever sent",
        "Nothing is there that no client sent.",
    )


def _altered(ledger: Ledger, evidence: Evidence) -> CheckResult:
    """Also on a replica: a row that is wrong on both sides is no difference between them. Rows that were written after
    the crash have right digests."""
    replicas = [one.seen for one in evidence.replicas if one.seen]
    return none_of(
        together([seen.altered for seen in (*_places(evidence), *replicas)]),
        "transactions have rows that differ from what was written",
        "Every row holds what the client wrote.",
    )


def _order(ledger: Ledger, evidence: Evidence) -> CheckResult:
    gaps = [overtaken(missing_from(seen, ledger), seen.whole) for seen in _places(evidence)]
    return none_of(
        together(gaps),
        "acknowledged transactions are missing although a later one of the same client is there",
        "No client lost a commit and kept a later one.",
    )


def overtaken(missing: Keys, present: Keys) -> Keys:
    """Missing transactions of which a later one of the same client is present."""
    if not len(missing) or not len(present):
        return missing[:0]
    ends = (client_of(missing) + 1) << CLIENT_SHIFT  # the first key beyond the client's
    last = present[np.maximum(np.searchsorted(present, ends) - 1, 0)]
    found: Keys = missing[(client_of(last) == client_of(missing)) & (last > missing)]
    return found


def _twice(ledger: Ledger, evidence: Evidence) -> CheckResult:
    return none_of(
        known(evidence.binlog).seen.twice,
        "transactions are more than once in the binary log: a replica would apply them again",
        "No transaction is in the binary log more than once.",
    )


def _binlog_foreign(ledger: Ledger, evidence: Evidence) -> CheckResult:
    """Only the witness uses a sandbox. An attached server may commit anything outside the witness's schema."""
    log = known(evidence.binlog)
    odd = log.odd if evidence.others_write else log.odd + log.others
    if odd:
        return _noted(odd, "events in the binary log did not come from the client")
    return none_of(
        log.scattered,
        "transactions are not in one piece in the binary log, or their rows are in another order",
        "The binary log holds the clients' transactions and nothing else.",
    )


def _binlog_order(ledger: Ledger, evidence: Evidence) -> CheckResult:
    if gaps := known(evidence.binlog).gaps:
        return _noted(gaps, "GTIDs in the binary log do not follow the one before")
    return none_of(
        overtaken_in(known(evidence.binlog).order, ledger),
        "transactions are in the binary log before one that was acknowledged before they were sent",
        "If one transaction was acknowledged before another was sent, it comes first in the binary log.",
    )


def overtaken_in(order: Keys, ledger: Ledger) -> Keys:
    """Transactions that are too early in the binary log. A client sends each after the answer to the one before, so all
    transactions that were acknowledged until then must precede it."""
    told_s, sent_s = ledger.told_at_s(order), ledger.told_at_s(order - 1)
    first_told_from_here_s = np.minimum.accumulate(told_s[::-1])[::-1]
    return together([order[:-1][(first_told_from_here_s[1:] <= sent_s[:-1]) & np.isfinite(sent_s[:-1])]])


def _binlog_rewritten(ledger: Ledger, evidence: Evidence) -> CheckResult:
    if evidence.rewritten:
        return _noted(evidence.rewritten, "files of the binary log differ from the copy that was taken at the crash")
    return valid("Recovery changed no byte of the binary log that the disk held after the crash.")


def _noted(odd: Oddities, what: str) -> CheckResult:
    return invalid(odd.count, f"{odd.count:,} {what}: {'; '.join(odd.first)}.")


def _gtid_reused(ledger: Ledger, evidence: Evidence) -> CheckResult:
    names = tuple(dict.fromkeys((*known(evidence.binlog).reused, *evidence.reissued)))
    if not names:
        return valid("No GTID of an acknowledged transaction was used again.")
    where = f"after {evidence.gtid_after}" if evidence.gtid_after else "from the beginning"
    count = "1 GTID has" if len(names) == 1 else f"{len(names):,} GTIDs have"
    more = f" and {len(names) - FIRST:,} more" if len(names) > FIRST else ""
    first = f"{', '.join(names[:FIRST])}{more}"
    says = f"{count} two transactions: one was acknowledged before the crash, and the test wrote one after the recovery"
    return invalid(len(names), f"{says} ({first}). After the crash the server numbers transactions again {where}.")


def _binlog_unreadable(ledger: Ledger, evidence: Evidence) -> CheckResult:
    if why := known(evidence.binlog).unreadable:
        return invalid(1, why)
    return valid(
        f"A replica can read all files of the binary log, to its end ({known(evidence.binlog).end_at}). "
        "The restart began a new file: the load is in the files before."
    )


def _prepared_left(ledger: Ledger, evidence: Evidence) -> CheckResult:
    count = evidence.prepared_left
    if count:
        return invalid(count, f"{count:,} prepared transactions are left and hold their locks.")
    return valid("No prepared transaction is left.")


def _tables_damaged(ledger: Ledger, evidence: Evidence) -> CheckResult:
    if evidence.tables_ok:
        return valid("The server finds no damage in the tables.")
    return invalid(1, "The server finds a table damaged (CHECK TABLE).")


def _client_back(ledger: Ledger, evidence: Evidence) -> CheckResult:
    outage = known(evidence.outage)
    if outage.seconds is None:
        return unknown(f"It is unclear how long writes were refused: {outage.why}.")
    return valid(f"A client reconnected and committed again {outage.seconds:.2f} s after its last acknowledged commit.")


CHECKS: dict[str, Check[Evidence]] = {
    "stays-down": Check("Server restarted", ("stays_down",), _stays_down),
    "lost-engine": Check("All acknowledged commits in the engine", ("engine",), partial(_lost, "engine")),
    "lost-binlog": Check("All acknowledged commits in the binary log", ("binlog",), partial(_lost, "binlog")),
    "engine-only": Check(
        "Every commit of the engine is also in the binary log", BOTH, partial(_only, "engine"), of=("engine",)
    ),
    "binlog-only": Check(
        "Every commit of the binary log is also in the engine", BOTH, partial(_only, "binlog"), of=("binlog",)
    ),
    "torn": Check("Each transaction whole or absent", ("engine",), _torn, of=BOTH),
    "altered": Check("Rows as the client wrote them", ("engine",), _altered, of=(*BOTH, "replicas")),
    "never-sent": Check("Only transactions that were sent", ("engine",), _never_sent, of=BOTH),
    "order": Check("Commits of a client without a gap", ("engine",), _order, of=BOTH),
    "binlog-twice": Check("Each transaction once in the binary log", ("binlog",), _twice, of=("binlog",)),
    "binlog-foreign": Check("Only the clients' events in the binary log", ("binlog",), _binlog_foreign, of=("binlog",)),
    "binlog-order": Check("Binary log in order", ("binlog",), _binlog_order, of=("binlog",)),
    "binlog-rewritten": Check("Binary log left unchanged by recovery", ("binlog", "rewritten"), _binlog_rewritten),
    "gtid-reused": Check("Each GTID names one transaction", ("binlog", "gtids"), _gtid_reused),
    "binlog-unreadable": Check("Binary log readable for a replica", ("binlog",), _binlog_unreadable),
    "prepared-left": Check("All prepared transactions ended", ("prepared_left",), _prepared_left),
    "tables-damaged": Check("Tables undamaged", ("tables_ok",), _tables_damaged),
    "replica": Check(
        "Replica running with equal rows", ("replicas",), lambda _, evidence: judge_replicas(evidence.replicas)
    ),
    "client-back": Check("Reconnecting client commits again", ("outage",), _client_back),
}


def _applies(check: Check[Evidence], evidence: Evidence) -> bool:
    expected = {
        "binlog": evidence.binlog_expected,
        "gtids": evidence.gtids_expected,
        "rewritten": evidence.files_expected,
        "replicas": evidence.replica_expected,
        "outage": evidence.outage is not None,
    }
    return all(expected.get(need, True) for need in check.needs)


def _empty(check: Check[Evidence], evidence: Evidence) -> str:
    binlog = evidence.binlog.seen if evidence.binlog else None
    seen = [("engine", evidence.engine), ("binlog", binlog), *(("replicas", one.seen) for one in evidence.replicas)]
    looked_at = [(PLACES[name], one) for name, one in seen if one and name in check.of]
    if any(len(one.all()) for _, one in looked_at):
        return ""
    words = dict.fromkeys(place for place, _ in looked_at)
    return f"no transaction of the clients is in {' or in '.join(words)}" if words else ""


def _is_lacking(piece: object) -> bool:
    return piece is None or (isinstance(piece, tuple) and not piece)


def known(piece: T | None) -> T:
    """A piece of evidence in the check's `needs`, so it is there."""
    if piece is None:
        raise LookupError("it uses evidence that is not in its `needs`")
    return piece


def _seen(evidence: Evidence, place: str) -> Seen:
    return known(evidence.engine) if place == "engine" else known(evidence.binlog).seen


def _places(evidence: Evidence) -> list[Seen]:
    return [known(evidence.engine), *([evidence.binlog.seen] if evidence.binlog else [])]


def none_of(offenders: Keys, what: str, otherwise: str) -> CheckResult:
    """Invalid with the first offenders named, valid when there are none."""
    count = len(offenders)
    if not count:
        return valid(otherwise)
    first = named(offenders)
    title = IMPOSSIBLE if NOBODY in offenders else "transaction {1:,} of client {0}".format(*first[0])
    return invalid(count, f"{count:,} {what}, the first is {title}.", first)


def named(offenders: Keys) -> tuple[tuple[int, int], ...]:
    """The first ones as (client, n)."""
    return pairs(offenders[offenders != NOBODY][:FIRST])
