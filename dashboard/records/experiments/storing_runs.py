"""Measurements as rows. A run is stored only while the claim of its cell is valid (`claiming`)."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import retried
from dashboard.records.experiments import claiming
from dashboard.records.experiments.models import Cell, Environment, Experiment, Probe, Run, RunEvidence, Series
from dashboard.records.experiments.states import move
from workers.bench.measure import Measurement
from workers.metrics import SOURCES
from workers.metrics.source import Reading
from workers.servers.printable import storable


@retried
def save_run(cell: Cell, done: Measurement, environment: Environment, probe: Probe | None) -> Run | None:
    """Store a measurement and end its cell. None, and nothing stored, if the cell was taken away."""
    load = done.load
    with transaction.atomic():
        if not move(claiming.claimed(cell), Cell.State.DONE, ended_at=timezone.now()):
            # An earlier try may have stored it, and its answer was lost.
            return Run.objects.filter(cell=cell, started_at=done.started_at).first()
        run = Run.objects.create(
            cell=cell,
            started_at=done.started_at,
            elapsed_s=load.elapsed_s,
            transactions=load.transactions,
            errors=load.errors,
            tps=load.transactions / load.elapsed_s,
            latency_ms={**load.percentiles_ms, "avg": load.latency_avg_ms, "max": load.latency_max_ms},
            figures=storable(_figures(done)),
            latencies=[asdict(latency) for reading in _in_order(done.readings) for latency in reading.latencies],
            environment=environment,
            probe=probe,
            load_average=done.load_average,
            effective=storable(dict(done.effective)),
        )
        Series.objects.create(run=run, columns=_columns(done))
        RunEvidence.objects.create(
            run=run,
            command=load.argv,
            my_cnf=without_nul(done.my_cnf),
            output=without_nul(load.output),
            histogram=load.histogram,
        )
    return run


def _in_order(readings: Mapping[str, Reading]) -> list[Reading]:
    """Best source first, in the order of the registry."""
    return [readings[key] for key in SOURCES if key in readings]


def _figures(done: Measurement) -> list[dict[str, object]]:
    found = [asdict(figure) for reading in _in_order(done.readings) for figure in reading.figures]
    return found + [{"name": "", "value": None, "source": key, "note": why} for key, why in done.missing.items()]


def _columns(done: Measurement) -> dict[str, list[float | None]]:
    columns: dict[str, list[float | None]] = {}
    for name in ("t_s", "tps", "qps", "writes", "errors", "p95_ms"):
        values = [getattr(second, name) for second in done.load.seconds]
        columns[name] = [None if value is None else round(value, 4) for value in values]
    for reading in reversed(_in_order(done.readings)):
        columns |= {name: list(values) for name, values in reading.per_second.items()}
    return columns


@retried
@transaction.atomic
def save_probe(experiment: Experiment, server_id: int, data: dict[str, object]) -> Probe:
    """Raises Taken."""
    claiming.require_claim(experiment)
    return Probe.objects.create(experiment=experiment, server_id=server_id, data=data)


@retried
def environment_row(data: dict[str, object]) -> Environment:
    """The row of this environment, shared by all runs in it."""
    data = storable(data)
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return Environment.objects.get_or_create(digest=digest, defaults={"data": data})[0]
