"""A crash trial as rows: verdict, counts and evidence. They are stored only while the claim of the trial is valid
(`claiming`)."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from django.db import transaction
from django.utils import timezone

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import retried
from dashboard.records.experiments import claiming
from dashboard.records.experiments.models import Environment, KeptCrashPoint, Trial, TrialEvidence
from dashboard.records.experiments.states import move
from workers.crash.evidence import Evidence
from workers.crash.points.story import PointsResult
from workers.crash.setup_and_result import LostWork, TrialResult
from workers.topology.setup_and_result import FailoverStory

MOST_NAMED = 50  # GTIDs that are stored; with a replica there can be thousands


@retried
def save(trial: Trial, result: TrialResult, environment: Environment, failover: FailoverStory | None = None) -> bool:
    """Store verdict and evidence. False, and nothing stored, if the trial was taken away. `failover`: of a topology."""
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
            phantoms=failover.phantoms if failover else None,
            recovery_s=result.recovery_s,
            environment=environment,
        )
        if stored:
            data = evidence_json(result) | ({"failover": asdict(failover)} if failover else {})
            TrialEvidence.objects.create(trial=trial, data=without_nul(data))
            for number, archive in result.archives.items() if isinstance(result, PointsResult) else ():
                KeptCrashPoint.objects.create(trial=trial, number=number, archive=archive)
    # The second: an earlier try of this claim stored it, and its answer was lost.
    same = Trial.objects.filter(pk=trial.pk, state=Trial.State.DONE, started_at=trial.started_at)
    return bool(stored) or same.exists()


def evidence_json(result: TrialResult) -> dict[str, object]:
    """The content of TrialEvidence.data: everything except the transactions. Offending transactions are kept."""
    found = result.evidence
    return {
        "checks": [asdict(check) for check in result.checks],
        "steps": [asdict(step) for step in result.steps],
        "sets": _sets(result),
        "notes": dict(result.notes),
        **_named(result, ("crash_at_s", "failed_at", "error", "log_lines", "my_cnf", "digest_key")),
        **(_evidence(found) if found else {}),
        **({"points": result.points.as_stored()} if isinstance(result, PointsResult) else {}),
    }


def _evidence(found: Evidence) -> dict[str, object]:
    return {
        "binlog": _named(found.binlog, ("end", "end_at", "unreadable", "reused")) if found.binlog else None,
        "replicas": [_named(one, ("moment", "state", "error", "different_rows")) for one in found.replicas],
        "reissued": found.reissued[:MOST_NAMED],
        "outage": asdict(found.outage) if found.outage else None,
        **_named(found, ("gtid_before", "gtid_after", "prepared_left", "tables_ok", "recovery_lines", "problems")),
    }


def _named(of: object, names: Sequence[str]) -> dict[str, object]:
    return {name: getattr(of, name) for name in names}


def _sets(result: TrialResult) -> dict[str, int | None]:
    """Sizes of the sets, for a drawing to scale; None: not known."""
    found = result.evidence
    in_engine = found.engine.all() if found and found.engine else None
    in_binlog = found.binlog.seen.all() if found and found.binlog else None
    both = None if in_engine is None or in_binlog is None else len(np.intersect1d(in_engine, in_binlog))
    return {
        "sent": result.sent,
        "acknowledged": result.acknowledged,
        "in_doubt": result.in_doubt,
        "engine": None if in_engine is None else len(in_engine),
        "binlog": None if in_binlog is None else len(in_binlog),
        "engine_and_binlog": both,
        "acknowledged_in_engine": _kept(result, result.lost_engine),
        "acknowledged_in_binlog": _kept(result, result.lost_binlog),
        "acknowledged_in_neither": result.lost_both,
    }


def _kept(result: TrialResult, lost: LostWork | None) -> int | None:
    """None also for a recorded load: its worst crash point is not its end."""
    if lost is None or isinstance(result, PointsResult):
        return None
    return result.acknowledged - lost.transactions


def _count(lost: LostWork | None) -> int | None:
    return lost.transactions if lost else None
