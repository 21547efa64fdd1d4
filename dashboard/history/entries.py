"""Makes the entries of an ended experiment, so that no page has to add up its runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from statistics import fmean

from django.db import transaction

from dashboard.findings.analysis import analysis_of
from dashboard.findings.counted import counted
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import tallies
from dashboard.findings.crash.trials import Tried, trials_of
from dashboard.findings.point import Point
from dashboard.records.experiments.models import Experiment, Run, Trial
from dashboard.records.experiments.states import OVER
from dashboard.records.history import track_keys
from dashboard.records.history.models import Entry, Noted, Track
from workers.bench.plan import CONTROLS, Plan

Found = tuple[track_keys.TrackKey, str, dict[str, object]]  # track, unit of throughput, fields of the entry
IDENTITY = ("server_id", "condition", "variant", "settings")  # of a track
WRITTEN = [field.name for field in Entry._meta.fields if field.name not in ("id", "track", "experiment")]


def note(experiment: Experiment) -> None:
    """Write or rewrite its entries, also after a failure: finished cells were measured."""
    plan = experiment.as_plan()
    _store(experiment, [*_measured(experiment, plan), *_crashed(experiment, plan)])


def mark(experiment: Experiment, problem: str) -> None:
    """Store why the experiment cannot be read."""
    _store(experiment, (), problem)


@transaction.atomic
def _store(experiment: Experiment, found: Iterable[Found], problem: str = "") -> None:
    """Does nothing if the experiment was resumed or deleted meanwhile; it is noted when it ends again. The row is
    locked against a resume."""
    same_end = Experiment.objects.filter(pk=experiment.pk, state__in=OVER, ended_at=experiment.ended_at)
    if experiment.ended_at is None or not same_end.select_for_update().values_list("pk").first():
        return
    _write(experiment, found)
    Noted.objects.bulk_create(
        [Noted(experiment=experiment, ended_at=experiment.ended_at, problem=problem)],
        update_conflicts=True,
        unique_fields=["experiment"],
        update_fields=["ended_at", "problem"],
    )


def _write(experiment: Experiment, found: Iterable[Found]) -> None:
    """Two statements, however many tracks. In one order, so that two rounds do not wait for each other."""
    by_track = {tuple(getattr(key, name) for name in IDENTITY): (key, counts, fields) for key, counts, fields in found}
    ordered = [by_track[one] for one in sorted(by_track)]
    tracks = Track.objects.bulk_create(
        [Track(**asdict(key), counts=counts, unlooked=True) for key, counts, _ in ordered],
        update_conflicts=True,
        unique_fields=IDENTITY,
        update_fields=["kind", "says", "means", "counts", "unlooked"],
    )
    at = experiment.started_at or experiment.created_at
    Entry.objects.bulk_create(
        [
            Entry(track=track, experiment=experiment, at=at, **fields)
            for track, (_, _, fields) in zip(tracks, ordered, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["track", "experiment"],
        update_fields=WRITTEN,
    )


def _measured(experiment: Experiment, plan: Plan) -> Iterator[Found]:
    points = analysis_of(experiment).points
    first = Run.objects.filter(pk__in=[point.run_ids[0] for point in points])
    environments = dict(first.values_list("pk", "environment_id"))
    for point in points:
        names = (point.server_id, point.variant, point.workload, point.threads)
        fields = {**_figures(point), "environment_id": environments[point.run_ids[0]]}
        yield track_keys.load_track(plan, *names), counted(plan, point.workload), fields


def _figures(point: Point) -> dict[str, object]:
    fsyncs = point.fsyncs
    return {
        "repeats": point.repeats,
        "tps": point.tps,
        "tps_lo": point.lo,
        "tps_hi": point.hi,
        "p99_ms": point.latency_ms.get("p99"),
        "fsyncs": sum(one.value for one in fsyncs.values()) if fsyncs else None,
        "fsyncs_from": "; ".join(f"{files}: {one.source}" for files, one in sorted(fsyncs.items()))[:200],
    }


def _crashed(experiment: Experiment, plan: Plan) -> Iterator[Found]:
    """Without experiments whose self-test failed, and without controls."""
    trials = trials_of(experiment)
    if self_test(trials).failed:
        return
    environments = dict(experiment.trials.values_list("pk", "environment_id"))
    done = (one for one in trials if one.state == Trial.State.DONE and one.kind not in CONTROLS)
    for (server, variant, kind), tally in tallies(done).items():
        alike = tally.trials
        fields: dict[str, object] = {"repeats": len(alike), "environment_id": environments[alike[0].id]}
        key = track_keys.crash_track(plan, server, variant, kind)
        yield key, "commits", fields | (_failed_over(alike) if key.kind == Track.Kind.FAILOVER else _lost(alike))


def _lost(alike: Sequence[Tried]) -> dict[str, object]:
    return {f"lost_{place}": _mean(trial.lost(place) for trial in alike) for place in ("engine", "binlog")}


def _failed_over(alike: Sequence[Tried]) -> dict[str, object]:
    """What the new primary lacks, or the replica that crashed, and how long writes were refused."""
    outages = (1000 * trial.recovery_s for trial in alike if trial.recovery_s is not None)
    return {"lost_engine": _mean(trial.lost("engine") for trial in alike), "outage_ms": _mean(outages)}


def _mean(figures: Iterable[float | None]) -> float | None:
    """Of the trials where it is known."""
    known = [one for one in figures if one is not None]
    return fmean(known) if known else None
