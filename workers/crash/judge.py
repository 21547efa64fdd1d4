"""The last step of a crash trial: collect the evidence, run the checks, form the verdict."""

from dataclasses import replace

from workers.crash import left_out
from workers.crash.chain import LOG_LINES, Judged, Recovered
from workers.crash.checks import missing_from, run_checks
from workers.crash.collect import Case, of_answering, of_refusing, with_reissued
from workers.crash.evidence import Evidence, ReplicaSeen, Seen, without
from workers.crash.ledger import Ledger
from workers.crash.outage import ClientOutage
from workers.crash.reconnecting import FIRST
from workers.crash.replica_check import has_written_on
from workers.crash.setup_and_result import LostWork
from workers.crash.transactions import client_of
from workers.crash.verdict import verdict


def judge(recovered: Recovered) -> Judged:
    ledger, crash_at_s = recovered.ledger(), recovered.witness.drained_at_s
    evidence, promoted = _evidence(recovered, ledger)
    evidence = replace(evidence, outage=_counted(recovered.outage, ledger, evidence.engine))
    recovered.timeline.step("checks")
    checks, attached, known = run_checks(ledger, evidence), recovered.setup.attached, recovered.so_far()
    result = replace(
        known,
        notes={**known.notes, **left_out.notes(evidence, attached.service if attached else "")},
        evidence=evidence,
        checks=checks,
        verdict=verdict(checks),
        lost_engine=lost_work(ledger, evidence.engine, crash_at_s),
        lost_binlog=lost_work(ledger, evidence.binlog.seen if evidence.binlog else None, crash_at_s),
        lost_replica=lost_work(ledger, promoted, crash_at_s),
        lost_both=lost_from_both(ledger, evidence),
    )
    return Judged(**vars(recovered), result=result)


def lost_work(ledger: Ledger, seen: Seen | None, crash_at_s: float) -> LostWork | None:
    """None: it is not known what this place holds. Commits may be lost that were acknowledged after the crash: by a
    server that was not shut off, or by one that came back."""
    if seen is None:
        return None
    lost = missing_from(seen, ledger)
    if not len(lost):
        return LostWork(0, 0.0)
    times = ledger.told_at_s(lost)
    return LostWork(len(lost), 1000 * float(times.max(initial=crash_at_s) - times.min()))


def lost_from_both(ledger: Ledger, evidence: Evidence) -> int | None:
    """Acknowledged transactions that neither engine nor binlog holds. None: not both were read."""
    if evidence.engine is None or evidence.binlog is None:
        return None
    return len(without(missing_from(evidence.engine, ledger), evidence.binlog.seen.there()))


def _counted(outage: ClientOutage | None, ledger: Ledger, engine: Seen | None) -> ClientOutage | None:
    """With the commits that were acknowledged afterwards and are missing."""
    if outage is None or outage.first_s is None or engine is None:
        return outage
    lost = missing_from(engine, ledger)
    lost = lost[(client_of(lost) >= FIRST) & (ledger.told_at_s(lost) >= outage.first_s)]
    return replace(outage, missing=len(lost))


def _evidence(recovered: Recovered, ledger: Ledger) -> tuple[Evidence, Seen | None]:
    """Second: the replica's transactions if it were promoted; None: not known."""
    case = _case(recovered, ledger)
    if recovered.refused:
        return of_refusing(case, recovered.refused, recovered.server.log_text.splitlines()[-LOG_LINES:]), None
    recovered.timeline.step("evidence")
    found = of_answering(case, recovered.recovery.log_lines if recovered.recovery else ())
    promoted, replicas = _of_replica(recovered)
    has_names = recovered.has_binlog and recovered.has_gtids and case.has_files
    named = recovered.look.gtids("binlog before the crash", recovered.before) if has_names else None
    return with_reissued(case, replace(found, replicas=replicas), named, has_written_on(replicas)), promoted


def _case(recovered: Recovered, ledger: Ledger) -> Case:
    return Case(
        look=recovered.look,
        ledger=ledger,
        has_binlog=recovered.has_binlog,
        has_gtids=recovered.has_gtids,
        before=recovered.before,
        gtid_before=recovered.gtid_before,
        replica_expected=recovered.replica is not None,
        others_write=recovered.setup.attached is not None,
    )


def _of_replica(recovered: Recovered) -> tuple[Seen | None, tuple[ReplicaSeen, ...]]:
    """The replica's transactions if it were promoted, and its reconnections."""
    replica, look = recovered.replica, recovered.look
    if replica is None:
        return None, ()
    recovered.timeline.step("replica")
    promoted = look.piece("replica", replica.promote)
    if promoted is None:
        return None, ()
    return promoted, look.piece("replica", lambda: replica.reconnections(recovered.settings)) or ()
