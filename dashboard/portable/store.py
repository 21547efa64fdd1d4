"""Stores a checked file in the database, in the caller's transaction. Django reads moments from their text."""

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.portable import shape
from dashboard.portable.read import Content, decide_again
from dashboard.records.accounts.actor import Actor
from dashboard.records.experiments.models import (
    Cell,
    Environment,
    Experiment,
    Probe,
    Run,
    RunEvidence,
    Series,
    Trial,
    TrialEvidence,
)
from dashboard.records.experiments.storing_runs import environment_row
from dashboard.records.servers.models import Server
from workers.bench.histogram import percentiles

AT_ONCE = 100  # runs in memory


def store(content: Content, user: Actor, sha256: str) -> Experiment:
    index = content.index
    servers = _servers(index.plan.targets, content.digest)
    experiment = _experiment(content, servers, user, sha256)
    environments = [
        environment_row(content.part(shape.FileEnvironment, n).as_given()) for n in range(1, index.environments + 1)
    ]
    probes = [
        Probe.objects.create(
            experiment=experiment, server_id=servers[server], data=content.part(shape.FileProbe, n).as_given()
        )
        for n, server in enumerate(index.probes, start=1)
    ]
    _cells(content, experiment, servers)
    _runs(content, experiment, environments, probes)
    _trials(content, experiment, servers, environments)
    return experiment


def _servers(targets: Sequence[shape.FileTarget], digest: str) -> dict[int, int]:
    """Place in the plan -> id of a placeholder server."""
    made = {}
    for place, target in enumerate(targets, start=1):
        name = f"{target.name[:40]} (server {place} of import {digest[:12]})"
        made[place] = Server.everything.create(name=name, kind=Server.Kind.IMPORTED).pk
    return made


def _origin(export: shape.FileExport, sha256: str) -> dict[str, str | int]:
    """As `shape.FileOrigin`, without the time, which has its own column."""
    known: dict[str, str | int] = {"address": export.address, "version": export.version}
    return {**known, "experiment_id": export.experiment_id, "exported_at": export.at, "sha256": sha256}


def _experiment(content: Content, servers: Mapping[int, int], user: Actor, sha256: str) -> Experiment:
    index, about, plan = content.index, content.index.experiment, content.index.plan
    targets = [{**one.as_given(), "server_id": servers[one.server_id]} for one in plan.targets]
    experiment = Experiment.objects.create(
        **about.as_given(),
        plan={**plan.model_dump(), "targets": targets},
        claims=index.claims.as_given() if index.claims else {},
        created_by=user if isinstance(user, User) else None,
        imported_at=timezone.now(),
        imported_from=_origin(index.export, sha256),
        imported_digest=content.digest,
    )
    experiment.refresh_from_db()
    return experiment


def _cells(content: Content, experiment: Experiment, servers: Mapping[int, int]) -> None:
    rows = ({**cell.as_given(), "server_id": servers[cell.server_id]} for cell in content.index.cells)
    Cell.objects.bulk_create((Cell(experiment=experiment, **row) for row in rows), batch_size=500)


def _runs(
    content: Content, experiment: Experiment, environments: Sequence[Environment], probes: Sequence[Probe]
) -> None:
    cells = dict(experiment.cells.values_list("position", "pk"))
    measured = content.measured
    for start in range(0, len(measured), AT_ONCE):
        some = measured[start : start + AT_ONCE]
        read = [content.part(shape.FileRun, cell.position) for cell in some]
        runs = Run.objects.bulk_create(
            Run(
                cell_id=cells[cell.position],
                started_at=one.started_at,
                tps=one.transactions / one.elapsed_s,
                latency_ms=_latency_ms(one),
                environment=environments[one.environment - 1],
                probe=probes[one.probe - 1] if one.probe else None,
                **one.model_dump(include=_AS_THEY_ARE, exclude_unset=True),
            )
            for cell, one in zip(some, read, strict=True)
        )
        pairs = list(zip(runs, read, strict=True))
        Series.objects.bulk_create(Series(run=run, columns=one.series) for run, one in pairs)
        RunEvidence.objects.bulk_create(
            RunEvidence(run=run, command=one.command, my_cnf=one.my_cnf, output=one.output, histogram=one.histogram)
            for run, one in pairs
        )


def _latency_ms(run: shape.FileRun) -> dict[str, float]:
    """Percentiles are computed from the histogram."""
    told = {"avg": run.latency_avg_ms, "max": run.latency_max_ms}
    most = float("inf") if told["max"] is None else told["max"]
    buckets = [(float(upper), int(count)) for upper, count in run.histogram]
    return percentiles(buckets, most) | {name: value for name, value in told.items() if value is not None}


_AS_THEY_ARE = {"elapsed_s", "transactions", "errors", "figures", "latencies", "load_average", "effective"}


def _trials(
    content: Content, experiment: Experiment, servers: Mapping[int, int], environments: Sequence[Environment]
) -> None:
    """In order of execution: a trial that repeats another comes after it."""
    ids: dict[int, int] = {}
    for row in sorted(content.index.trials, key=lambda one: one.position):
        evidence = content.part(shape.FileEvidence, row.position) if row.state == "done" else None
        trial = Trial.objects.create(
            experiment=experiment,
            **row.model_dump(exclude=_ELSEWHERE),
            server_id=servers[row.server_id],
            repeat_of_id=None if row.repeat_of is None else ids[row.repeat_of],
            environment=environments[row.environment - 1] if row.environment else None,
            verdict=decide_again(evidence) if evidence else "",
        )
        ids[row.position] = trial.pk
        if evidence:
            TrialEvidence.objects.create(trial=trial, data=evidence.as_given())


_ELSEWHERE = {"server_id", "repeat_of", "environment"}
