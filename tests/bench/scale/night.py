"""Takes 1,000 queued experiments from queue to end, with the database code of the workers: claim of the experiment with
its host leases, claim and result of each measurement, end, finding. Nothing is loaded: what a measurement itself takes
is left out, so the figure is what the database and the workers' own code can carry. Each process plays many workers."""

import multiprocessing
import os
import time
from datetime import timedelta

MOST_PROCESSES = 4
HOURS = 4.0  # from 02:00 to 06:00


def measure(workers: int, experiments: int) -> None:
    import django
    from django.db import connections

    ids, players = _queue(experiments), _workers(workers)
    connections.close_all()
    processes = min(MOST_PROCESSES, workers)
    began = time.monotonic()
    share = [(ids[n::processes], players[n::processes]) for n in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes, django.setup) as pool:
        found = [one for part in pool.starmap(_play, share) for one in part]
    took_s = time.monotonic() - began
    claims = sorted(claim_s for claim_s, _ in found)
    an_hour = 3600 * len(found) / took_s
    print(
        f"{len(found):,} experiments by {workers} workers in {took_s:.0f} s: {an_hour:,.0f} an hour, "
        f"{HOURS * an_hour:,.0f} in {HOURS:.0f} hours\n"
        f"claim of an experiment: median {1000 * claims[len(claims) // 2]:.0f} ms, "
        f"95th percentile {1000 * claims[int(0.95 * len(claims))]:.0f} ms"
    )
    _check(ids)


def _queue(count: int) -> list[int]:
    """Copies of the newest experiments, as a schedule queues them."""
    from django.utils import timezone

    from dashboard.records.experiments.models import Cell, Experiment

    made = []
    for source in Experiment.objects.filter(state=Experiment.State.DONE).order_by("-created_at", "-pk")[:count]:
        cells = list(source.cells.all())
        source.pk, source.state, source.analysis, source.outcomes = None, Experiment.State.QUEUED, {}, {}
        source.created_at, source.started_at, source.ended_at = timezone.now() - timedelta(minutes=5), None, None
        source._state.adding = True
        source.save()
        for cell in cells:
            cell.pk, cell.experiment, cell.state, cell.started_at = None, source, Cell.State.WAITING, None
            cell._state.adding = True
        Cell.objects.bulk_create(cells)
        made.append(source.pk)
    return made


def _workers(count: int) -> list[int]:
    from dashboard.records.fleet.models import Worker

    return list(Worker.objects.alive().order_by("pk").values_list("pk", flat=True)[:count])


def _play(ids: list[int], players: list[int]) -> list[tuple[float, int]]:
    """(Seconds of the claim, experiment) of each."""
    from dashboard.records.fleet.models import Worker

    workers = list(Worker.objects.filter(pk__in=players))
    return [_run(experiment_id, workers[n % len(workers)]) for n, experiment_id in enumerate(ids)]


def _run(experiment_id: int, worker: object) -> tuple[float, int]:
    from django.utils import timezone

    from dashboard.findings import conclusion
    from dashboard.records.experiments import claiming, lifecycle
    from dashboard.records.experiments.models import Experiment, Run, RunEvidence, Series

    began = time.monotonic()
    mine = lifecycle.begin(experiment_id, worker, [f"host {os.getpid()} {experiment_id}"])
    claim_s = time.monotonic() - began
    like = Run.objects.order_by("pk").select_related("series", "evidence").first()
    while mine and like and (cell := claiming.claim(mine.cells.all(), mine)):
        series, evidence = like.series.columns, like.evidence
        fields = {"tps": like.tps, "transactions": like.transactions, "elapsed_s": 100.0, "latencies": like.latencies}
        run = Run.objects.create(
            cell=cell, started_at=timezone.now(), environment_id=like.environment_id, figures=like.figures,
            latency_ms=like.latency_ms, **fields,
        )  # fmt: skip
        Series.objects.create(run=run, columns=series)
        RunEvidence.objects.create(run=run, command=[], output=evidence.output, histogram=evidence.histogram)
        claiming.end(cell, "done")
    if mine:
        lifecycle.finish(mine, Experiment.State.DONE)
        conclusion.remember(Experiment.objects.get(pk=mine.pk))
    return claim_s, experiment_id


def _check(ids: list[int]) -> None:
    from dashboard.records.experiments.models import Cell, Experiment
    from dashboard.records.holds.models import HostLease

    done = Experiment.objects.filter(pk__in=ids, state=Experiment.State.DONE).count()
    open_cells = Cell.objects.filter(experiment__in=ids).exclude(state=Cell.State.DONE).count()
    left = HostLease.objects.filter(experiment__in=ids).count()
    print(f"done {done:,} of {len(ids):,}; measurements left {open_cells}; leases left {left}")
