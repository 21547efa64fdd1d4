"""What a checked file says, into the database: in the caller's transaction, all or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from dashboard.portable.read import Content, verdict_of
from dashboard.records.experiments.models import (
    Cell,
    Environment,
    Evidence,
    Experiment,
    Probe,
    Run,
    Series,
    Trial,
    TrialEvidence,
)
from dashboard.records.experiments.run_results import environment_row
from dashboard.records.servers.models import Server

AT_ONCE = 100  # runs in memory
Row = Mapping[str, Any]


def store(content: Content, user: Any, sha256: str) -> Experiment:
    """The experiment with everything below it, marked as imported."""
    index = content.index
    servers = _servers(index["plan"]["targets"], content.digest)
    experiment = _experiment(index, servers, user)
    Experiment.objects.filter(pk=experiment.pk).update(
        imported_at=timezone.now(), imported_from=_origin(index["export"], sha256), imported_digest=content.digest
    )
    experiment.refresh_from_db()
    environments = [environment_row(content.environment(n)) for n in range(1, index["environments"] + 1)]
    probes = [
        Probe.objects.create(experiment=experiment, server_id=servers[server], data=content.probe(n))
        for n, server in enumerate(index["probes"], start=1)
    ]
    _cells(content, experiment, servers)
    _runs(content, experiment, environments, probes)
    _trials(content, experiment, servers, environments)
    return experiment


def _servers(targets: Sequence[Row], digest: str) -> dict[int, int]:
    """Place in the plan -> id of a server that stands for it."""
    made = {}
    for place, target in enumerate(targets, start=1):
        name = f"{target['name'][:40]} (server {place} of import {digest[:12]})"
        made[place] = Server.everything.create(name=name, kind=Server.Kind.IMPORTED).pk
    return made


def _origin(export: Row, sha256: str) -> dict[str, Any]:
    """As `shape.FileOrigin`, without the moment, which has a column of its own."""
    told = {name: export[name] for name in ("address", "version", "experiment_id")}
    return {**told, "exported_at": export["at"], "sha256": sha256}


def _experiment(index: Row, servers: Mapping[int, int], user: Any) -> Experiment:
    about, plan = index["experiment"], index["plan"]
    targets = [{**one, "server_id": servers[one["server_id"]]} for one in plan["targets"]]
    return Experiment.objects.create(
        **{**about, **_moments(about, "created_at")},
        plan={**plan, "targets": targets},
        claims=index["claims"] or {},
        created_by=user if getattr(user, "is_authenticated", False) else None,
    )


def _cells(content: Content, experiment: Experiment, servers: Mapping[int, int]) -> None:
    rows = ({**cell, **_moments(cell), "server_id": servers[cell["server_id"]]} for cell in content.index["cells"])
    Cell.objects.bulk_create((Cell(experiment=experiment, **row) for row in rows), batch_size=500)


def _runs(
    content: Content, experiment: Experiment, environments: Sequence[Environment], probes: Sequence[Probe]
) -> None:
    cells = dict(experiment.cells.values_list("position", "pk"))
    for some in _batches(content.measured):
        read = [content.run(cell["position"]) for cell in some]
        runs = Run.objects.bulk_create(
            Run(
                cell_id=cells[cell["position"]],
                started_at=_moment(one.run["started_at"]),
                tps=one.run["transactions"] / one.run["elapsed_s"],
                latency_ms=one.latency_ms,
                environment=environments[one.run["environment"] - 1],
                probe=probes[one.run["probe"] - 1] if one.run["probe"] else None,
                **{name: one.run[name] for name in _AS_THEY_ARE},
            )
            for cell, one in zip(some, read, strict=True)
        )
        pairs = list(zip(runs, read, strict=True))
        Series.objects.bulk_create(Series(run=run, columns=one.columns) for run, one in pairs)
        Evidence.objects.bulk_create(
            Evidence(run=run, command=one.run["command"], my_cnf=one.my_cnf, output=one.output, histogram=one.histogram)
            for run, one in pairs
        )


_AS_THEY_ARE = ("elapsed_s", "transactions", "errors", "figures", "latencies", "load_average", "effective")


def _trials(
    content: Content, experiment: Experiment, servers: Mapping[int, int], environments: Sequence[Environment]
) -> None:
    """In order of execution: one that repeats another comes after it."""
    ids: dict[int, int] = {}
    for row in sorted(content.index["trials"], key=lambda one: one["position"]):
        evidence = content.evidence(row["position"]) if row["state"] == Trial.State.DONE else None
        place = row["environment"]
        known = {name: value for name, value in row.items() if name not in ("repeats", "environment", "server_id")}
        trial = Trial.objects.create(
            experiment=experiment,
            **{**known, **_moments(row)},
            server_id=servers[row["server_id"]],
            repeats_id=ids.get(row["repeats"]),
            environment=environments[place - 1] if place else None,
            verdict=verdict_of(evidence) if evidence else "",
        )
        ids[row["position"]] = trial.pk
        if evidence:
            TrialEvidence.objects.create(trial=trial, data=evidence)


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))


def _moments(row: Row, *more: str) -> dict[str, datetime | None]:
    return {name: _moment(row[name]) for name in ("started_at", "ended_at", *more)}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
