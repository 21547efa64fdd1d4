"""A crash trial as rows: verdict, counts and evidence, stored as long as the trial is this claim's (see `claiming`)."""

from dataclasses import asdict

import numpy as np
from django.db import transaction
from django.utils import timezone

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import retried
from dashboard.records.experiments import claiming
from dashboard.records.experiments.models import Environment, Trial, TrialEvidence
from dashboard.records.experiments.states import move
from workers.crash.evidence import BinlogSeen, Evidence, ReplicaSeen, Seen
from workers.crash.setup_and_result import LostWork, TrialResult
from workers.topology.setup_and_result import FailoverStory

MOST_NAMED = 50  # GTIDs that are kept by name; with a replica there can be thousands


@retried
def save(trial: Trial, result: TrialResult, environment: Environment, failover: FailoverStory | None = None) -> bool:
    """Store verdict and evidence; False (nothing stored) when the trial was taken away. `failover`: of a topology."""
    with transaction.atomic():
        stored = move(
            claiming.claimed(trial),
            Trial.State.DONE,
            ended_at=timezone.now(),
            verdict=result.verdict,
            error=without_nul(f"{result.failed_at}: {result.error}") if result.error else "",
            sent=result.sent,
            acknowledged=result.acknowledged,
            in_doubt=result.in_doubt,
            lost_engine=_count(result.lost_engine),
            lost_engine_ms=result.lost_engine.ms if result.lost_engine else None,
            lost_binlog=_count(result.lost_binlog),
            lost_binlog_ms=result.lost_binlog.ms if result.lost_binlog else None,
            lost_replica=_count(result.lost_replica),
            recovery_s=result.recovery_s,
            environment=environment,
        )
        if stored:
            TrialEvidence.objects.create(
                trial=trial,
                data=without_nul(evidence_json(result) | ({"failover": asdict(failover)} if failover else {})),
            )
    return bool(stored) or _is_stored(trial)


def _is_stored(trial: Trial) -> bool:
    """By this claim: it was, and the answer was lost."""
    return Trial.objects.filter(pk=trial.pk, state=Trial.State.DONE, started_at=trial.started_at).exists()


def evidence_json(result: TrialResult) -> dict[str, object]:
    """What TrialEvidence.data holds: everything but the transactions themselves, of which the offenders are kept."""
    found = result.evidence
    return {
        "checks": [asdict(check) for check in result.checks],
        "steps": [asdict(step) for step in result.steps],
        "crash_at_s": result.crash_at_s,
        "failed_at": result.failed_at,
        "error": result.error,
        "sets": _sets(result),
        "log_lines": list(result.log_lines),
        "my_cnf": result.my_cnf,
        "notes": dict(result.notes),
        "digest_key": result.digest_key,
        **(_evidence(found) if found else {}),
    }


def _evidence(found: Evidence) -> dict[str, object]:
    return {
        "binlog": _binlog(found.binlog),
        "replicas": [_replica(replica) for replica in found.replicas],
        "gtid_before": found.gtid_before,
        "gtid_after": found.gtid_after,
        "reissued": list(found.reissued[:MOST_NAMED]),
        "prepared_left": found.prepared_left,
        "tables_ok": found.tables_ok,
        "recovery_lines": list(found.recovery_lines),
        "problems": list(found.problems),
    }


def _binlog(seen: BinlogSeen | None) -> dict[str, object] | None:
    if seen is None:
        return None
    return {"end": seen.end, "end_at": seen.end_at, "unreadable": seen.unreadable, "reused": list(seen.reused)}


def _replica(seen: ReplicaSeen) -> dict[str, object]:
    return {name: getattr(seen, name) for name in ("moment", "state", "error", "different_rows")}


def _sets(result: TrialResult) -> dict[str, int | None]:
    """Sizes to draw the sets to scale; None: not known."""
    found = result.evidence
    engine, binlog = (found.engine, found.binlog.seen if found.binlog else None) if found else (None, None)
    in_engine, in_binlog = _all(engine), _all(binlog)
    return {
        "sent": result.sent,
        "acknowledged": result.acknowledged,
        "in_doubt": result.in_doubt,
        "engine": None if in_engine is None else len(in_engine),
        "binlog": None if in_binlog is None else len(in_binlog),
        "engine_and_binlog": None
        if in_engine is None or in_binlog is None
        else len(np.intersect1d(in_engine, in_binlog)),
        "acknowledged_in_engine": _kept(result, result.lost_engine),
        "acknowledged_in_binlog": _kept(result, result.lost_binlog),
    }


def _all(seen: Seen | None) -> np.ndarray | None:
    return None if seen is None else seen.all()


def _kept(result: TrialResult, lost: LostWork | None) -> int | None:
    return None if lost is None else result.acknowledged - lost.transactions


def _count(lost: LostWork | None) -> int | None:
    return lost.transactions if lost else None
