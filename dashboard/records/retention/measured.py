"""Thins out old experiments, one at a time. What decides a sentence or an interval stays for ever: runs, commits of
each second, counters of each second, histograms, verdicts, checks, the numbers of transactions."""

from collections.abc import Callable, Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from dashboard.records.experiments.models import Comment, Experiment, RunEvidence, Series, Trial, TrialEvidence
from dashboard.records.experiments.states import OVER
from dashboard.records.sharing.models import ShareLink

# Columns of seconds that only the page of one measurement draws.
SAMPLES = frozenset(
    {"qps", "writes", "p95_ms", "cpu_s", "run_queue"}
    | {"disk_writes", "disk_flushes", "disk_written_bytes", "disk_busy_ms"}
)
TEXTS = frozenset({"log_lines", "recovery_lines", "my_cnf"})  # of a trial in which nothing was lost
ROWS = 50  # in one transaction


def thin_samples(experiment_id: int, now: datetime) -> None:
    _rewrite(Series.objects.filter(run__cell__experiment=experiment_id), "columns", SAMPLES)
    Experiment.everything.filter(pk=experiment_id).update(samples_thinned_at=now)


def thin_evidence(experiment_id: int, now: datetime) -> None:
    runs = RunEvidence.objects.filter(run__cell__experiment=experiment_id)
    for pks in _batches(runs):
        runs.filter(pk__in=pks).update(output="", my_cnf="")
    held = TrialEvidence.objects.filter(trial__experiment=experiment_id, trial__verdict=Trial.Verdict.VALID)
    _rewrite(held, "data", TEXTS)
    Experiment.everything.filter(pk=experiment_id).update(evidence_thinned_at=now)


def due(mark: str, before: datetime) -> QuerySet[Experiment, int]:
    """Ids of experiments that ended before and were not thinned out since. Some are kept whole: those that are
    imported, marked as baseline, confirmed by a person, or shown by a share link."""
    links = ShareLink.objects.filter(revoked_at=None)
    shown = Q(pk__in=links.exclude(experiment=None).values("experiment")) | Q(
        pk__in=ShareLink.compared.through.objects.filter(sharelink__in=links).values("experiment_id")
    )
    confirmed = Q(pk__in=Comment.objects.filter(confirms=True).values("experiment"))
    ended = Experiment.everything.filter(state__in=OVER, ended_at__lt=before, imported_at=None, baseline_of=None)
    thinned = Q((mark, None)) | Q((f"{mark}__lt", F("ended_at")))
    return ended.filter(thinned).exclude(shown | confirmed).order_by("ended_at", "pk").values_list("pk", flat=True)


def _rewrite(rows: QuerySet[Series] | QuerySet[TrialEvidence], column: str, without: Iterable[str]) -> None:
    for pks in _batches(rows):
        with transaction.atomic():
            for row in rows.filter(pk__in=pks).select_for_update(of=("self",)):
                kept = {name: value for name, value in getattr(row, column).items() if name not in without}
                setattr(row, column, kept)
                row.save(update_fields=[column])


def _batches(rows: QuerySet[Series] | QuerySet[RunEvidence] | QuerySet[TrialEvidence]) -> Iterable[tuple[int, ...]]:
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    return (tuple(pks[first : first + ROWS]) for first in range(0, len(pks), ROWS))


Thin = Callable[[int, datetime], None]
MEASURED: dict[str, tuple[str, Thin]] = {
    "samples": ("samples_thinned_at", thin_samples),
    "evidence": ("evidence_thinned_at", thin_evidence),
}
