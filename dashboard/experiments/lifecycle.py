"""The measurement's way into the database: claims, states, debts, runs. Every change of state is a conditional
UPDATE, so that a worker that was taken for dead cannot overwrite what happened since."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from dashboard.experiments import claiming, waiting
from dashboard.experiments.actions import cancel_waiting
from dashboard.experiments.models import Cell, Environment, Evidence, Experiment, Probe, Run, Series
from dashboard.experiments.states import move
from dashboard.fleet import leases
from dashboard.fleet.models import Worker
from dashboard.holds.models import HostLease
from dashboard.nul import storable
from dashboard.retry import LOST, patient
from dashboard.servers.models import Server
from workers.bench.measure import Measurement
from workers.errors import DurascopeError
from workers.metrics.registry import SOURCES
from workers.metrics.source import Reading


def begin(experiment_id: int, worker: Worker, hosts: Iterable[str]) -> Experiment | None:
    """Claim a queued experiment and lease its hosts; None when it is not queued, a host is busy or is being put in
    order, or the worker's heartbeat has stopped: others take it for dead, and would take the experiment away at once.
    """
    names = set(hosts)
    unpaid = leases.unpaid(experiment_id, names)  # before anything is locked: it looks names up
    try:
        return _begin(experiment_id, worker, names, uuid.uuid4(), unpaid)
    except IntegrityError:  # another one leased a host of these at the same moment
        return None


@patient
def _begin(
    experiment_id: int, worker: Worker, hosts: set[str], claim: uuid.UUID, unpaid: Server | None = None
) -> Experiment | None:
    with transaction.atomic():
        experiment = Experiment.objects.select_for_update().get(pk=experiment_id)
        if experiment.state != Experiment.State.QUEUED:
            return experiment if experiment.claim == claim else None  # it was ours already, and the answer was lost
        if not worker.is_alive:
            return None
        if reason := waiting.why_not_begin(hosts, unpaid):
            say(experiment, reason)
            return None
        leases.take(experiment, hosts, timezone.now())
        row = Experiment.objects.filter(pk=experiment_id)
        started_at = experiment.started_at or timezone.now()
        move(row, Experiment.State.RUNNING, worker=worker, claim=claim, started_at=started_at, error="", mend="")
        return row.get()


def refuse(experiment_id: int, why: DurascopeError) -> None:
    """End a queued experiment that cannot be run."""
    queued = Experiment.objects.filter(pk=experiment_id, state=Experiment.State.QUEUED)
    move(queued, Experiment.State.FAILED, error=why.message, mend="Plan it anew.", ended_at=timezone.now())


@patient
def finish(experiment: Experiment, state: str, error: str = "", mend: str = "") -> bool:
    """End an experiment whose claim still holds: its leases are returned, nothing of it stays running.

    False, and nothing is changed, when it was taken away: it may run elsewhere by now.
    """
    ended = {"error": storable(error), "mend": storable(mend), "ended_at": timezone.now()}
    with transaction.atomic():
        if not move(claiming.held(experiment), state, phase="", claim=None, **ended):
            return False
        HostLease.objects.filter(experiment=experiment).delete()
        for rows in (experiment.cells, experiment.trials):
            move(rows.all(), Cell.State.INTERRUPTED, ended_at=timezone.now())
        if state == Experiment.State.CANCELLED:
            cancel_waiting(experiment)
    return True


@patient
def say(experiment: Experiment, phase: str) -> None:
    """What happens right now, in words, for the live page. Without a claim: of an experiment that waits."""
    phase = storable(phase)[:200]
    Experiment.objects.filter(pk=experiment.pk, claim=experiment.claim).exclude(phase=phase).update(phase=phase)


def is_cancelled(experiment: Experiment) -> bool:
    """Whether somebody asked to stop, or the experiment was taken from this worker. Asked while something is measured:
    a database that does not answer is asked again next time."""
    try:
        return not claiming.held(experiment).filter(cancel_asked=False).exists()
    except LOST:
        connection.close()
        return False


@patient
def save_run(cell: Cell, done: Measurement, environment: Environment, probe: Probe | None) -> Run | None:
    """Store a measurement and mark its cell measured; None (nothing stored) when the cell was taken away."""
    load = done.load
    with transaction.atomic():
        if not move(claiming.claimed(cell), Cell.State.DONE, ended_at=timezone.now()):
            return Run.objects.filter(cell=cell, started_at=done.started_at).first()  # stored, and the answer was lost
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
        Evidence.objects.create(
            run=run,
            command=load.argv,
            my_cnf=storable(done.my_cnf),
            output=storable(load.output),
            histogram=load.histogram,
        )
    return run


def _in_order(readings: Mapping[str, Reading]) -> list[Reading]:
    """Best source first, the order of the registry."""
    return [readings[key] for key in SOURCES if key in readings]


def _figures(done: Measurement) -> list[dict[str, Any]]:
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


@patient
@transaction.atomic
def save_probe(experiment: Experiment, server_id: int, data: dict[str, Any]) -> Probe:
    """Raises Taken."""
    claiming.must_hold(experiment)
    return Probe.objects.create(experiment=experiment, server_id=server_id, data=data)


@patient
def environment_row(data: dict[str, Any]) -> Environment:
    """The row that holds this environment, made once for all runs that share it."""
    data = storable(data)
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return Environment.objects.get_or_create(digest=digest, defaults={"data": data})[0]
