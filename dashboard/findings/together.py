"""A load from several workers at once: the workers, and the differences between their starts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.findings.grouped import grouped
from dashboard.records.experiments.models import Cell, Experiment, Part, Run
from workers.bench.merge import PartLoad, common_tps, started_within_s


@dataclass(frozen=True)
class LoadShare:
    by: str
    threads: int
    transactions: int
    tps: float
    began_ms: float
    load_average: float | None


@dataclass(frozen=True)
class JointLoad:
    """`within_ms`: an upper bound of the differences between starts; None if parts are not stored (imported
    experiments)."""

    count: int
    hosts: str
    within_ms: float | None
    common_tps: float | None = None
    shares: tuple[LoadShare, ...] = ()


def of_experiment(experiment: Experiment, *, shared: bool) -> JointLoad | None:
    """The largest difference of all measured cells; None: one worker made the load."""
    count = experiment.as_plan().load_workers
    if count < 2:
        return None
    done = Part.objects.filter(cell__experiment=experiment, cell__state=Cell.State.DONE, state=Part.State.DONE)
    rows = list(done.values_list("cell_id", "by", "began_s", "trip_s").order_by("number"))
    by_cell = grouped(
        (cell, PartLoad(by, began_s or 0.0, trip_s or 0.0, None))  # type: ignore[arg-type]
        for cell, by, began_s, trip_s in rows
    )
    within = max((started_within_s(parts) * 1000 for parts in by_cell.values()), default=None)
    return JointLoad(count, _hosts({by for _, by, _, _ in rows}, shared=shared), within)


def of_run(run: Run, *, shared: bool) -> JointLoad | None:
    count = run.cell.experiment.as_plan().load_workers
    if count < 2:
        return None
    rows = list(run.cell.parts.filter(state=Part.State.DONE).order_by("number"))
    if not rows:
        return JointLoad(count, "", None)
    loads = [one.load for one in rows]
    hosts = _hosts({one.by for one in rows}, shared=shared)
    shares = tuple(_share(part, load, shared=shared) for part, load in zip(rows, loads, strict=True))
    return JointLoad(count, hosts, started_within_s(loads) * 1000, common_tps(loads), shares)


def _share(part: Part, done: PartLoad, *, shared: bool) -> LoadShare:
    load = done.load
    by = f"worker {part.number + 1}" if shared else part.by
    tps = load.transactions / load.elapsed_s
    return LoadShare(by, part.threads, load.transactions, tps, done.began_s * 1000, part.load_average)


def _hosts(workers: Iterable[str], *, shared: bool) -> str:
    """Their names; for guests their number."""
    hosts: Sequence[str] = sorted({by.rpartition(":")[0] for by in workers})
    if shared or not hosts:
        return f"{len(hosts)} host{'s' * (len(hosts) > 1)}" if hosts else ""
    return f"host{'s' * (len(hosts) > 1)} {', '.join(hosts)}"
