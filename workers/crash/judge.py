"""The last step of a crash trial: collect the evidence, run the checks, form the verdict."""

from dataclasses import replace

from workers.crash.chain import LOG_LINES, Judged, Recovered
from workers.crash.checks import missing_from, run_checks
from workers.crash.evidence import Evidence, ReplicaSeen, Seen
from workers.crash.inspect import read_binlog, telling
from workers.crash.ledger import Ledger
from workers.crash.setup_and_result import LostWork
from workers.crash.verdict import verdict


def judge(recovered: Recovered) -> Judged:
    evidence, promoted = _refusing(recovered) if recovered.refused else _answering(recovered)
    recovered.timeline.step("checks")
    ledger, crash_at_s = recovered.witness.ledger(), recovered.witness.drained_at_s
    checks = run_checks(ledger, evidence)
    return Judged(
        **vars(recovered),
        evidence=evidence,
        checks=checks,
        verdict=verdict(checks),
        lost_engine=_loss(ledger, evidence.engine, crash_at_s),
        lost_binlog=_loss(ledger, evidence.binlog.seen if evidence.binlog else None, crash_at_s),
        lost_replica=_loss(ledger, promoted, crash_at_s),
    )


def _refusing(recovered: Recovered) -> tuple[Evidence, None]:
    """A server that does not come back has only its files as evidence."""
    look = recovered.look
    look.problems.append("the server does not come back")
    return replace(
        _expected(recovered),
        binlog=look.binlog() if recovered.has_binlog else None,
        stays_down=recovered.refused,
        gtids_known=False,
        recovery_lines=telling(recovered.server.log_text.splitlines()[-LOG_LINES:]),
        problems=tuple(look.problems),
    ), None


def _answering(recovered: Recovered) -> tuple[Evidence, Seen | None]:
    """Second: the replica's transactions if it were promoted; None: not known."""
    recovered.timeline.step("evidence")
    look = recovered.look
    found = replace(
        _expected(recovered),
        engine=look.engine(),
        binlog=(log := look.binlog() if recovered.has_binlog else None),
        rewritten=look.rewritten(recovered.before, log) if log else None,
        gtid_before=recovered.gtid_before,
        gtid_after=(look.gtid_position() or "") if recovered.has_binlog else "",
        prepared_left=look.prepared_left(),
        tables_ok=look.tables_ok(),
        stays_down="",
        recovery_lines=telling(recovered.recovery.log_lines if recovered.recovery else ()),
    )
    promoted, replicas = _of_replica(recovered)
    reissued = _reissued(recovered) if recovered.has_binlog and recovered.has_gtids else ()
    known = replace(found, replicas=replicas, reissued=reissued or (), gtids_known=reissued is not None)
    return replace(known, problems=tuple(look.problems)), promoted


def _expected(recovered: Recovered) -> Evidence:
    """The evidence that this trial can have, still empty."""
    return Evidence(
        engine=None,
        binlog=None,
        binlog_expected=recovered.has_binlog,
        replica_expected=recovered.replica is not None,
        gtids_expected=recovered.has_gtids,
        others_write=recovered.setup.attached is not None,
        secret=recovered.secret,
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


def _reissued(recovered: Recovered) -> tuple[str, ...] | None:
    """GTIDs of acknowledged transactions that now name others; None: not known. Transactions in doubt do not count,
    because a server may lose them. The primary of a replica has written on already."""
    look, place = recovered.look, recovered.before
    before = look.piece("binlog before the crash", lambda: read_binlog(place, recovered.schema, recovered.secret))
    if before is None or not (recovered.replica or look.write_on()):
        return None
    acknowledged = set(recovered.witness.ledger().acknowledged().tolist())
    return look.reissued({gtid: key for gtid, key in before.gtids.items() if key in acknowledged})


def _loss(ledger: Ledger, seen: Seen | None, crash_at_s: float) -> LostWork | None:
    if seen is None:
        return None
    lost = missing_from(seen, ledger)
    first_s = ledger.acknowledged_at_s(lost).min(initial=crash_at_s)
    return LostWork(len(lost), 1000 * (crash_at_s - float(first_s)))
