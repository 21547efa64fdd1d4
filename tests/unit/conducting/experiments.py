"""Stored experiments, workers and measurements to vary, without a server behind them."""

from datetime import UTC, datetime

from dashboard.experiments.models import Cell, Environment, Experiment
from dashboard.fleet.models import Worker
from dashboard.holds.models import PendingRestore
from dashboard.servers.models import Server
from workers.bench.load import LoadResult
from workers.bench.measure import Measurement
from workers.bench.plan import Plan


def worker(**fields) -> Worker:
    return Worker.objects.create(host="here", pid=1, **fields)


def attached(name: str = "db1", host: str = "192.0.2.7", **fields) -> Server:
    return Server.objects.create(name=name, kind="attached", host=host, user="u", **fields)


def experiment(server: Server, cells: int = 2) -> Experiment:
    """Queued, with waiting cells."""
    plan = {"targets": [{"server_id": server.pk, "name": server.name}]}
    made = Experiment.objects.create(name=f"on {server}", plan=plan, seed=1, by_command_line=True)
    Cell.objects.bulk_create(
        Cell(experiment=made, server=server, position=n, block=n, variant="v", workload="w", threads=1, repeat=1)
        for n in range(cells)
    )
    return made


def planned(plan: Plan) -> Experiment:
    """Queued, with the first block of the plan's cells."""
    made = Experiment.objects.create(name=plan.name, plan=plan.as_dict(), seed=plan.seed, by_command_line=True)
    Cell.objects.bulk_create(
        Cell(
            experiment=made,
            server_id=cell.target.server_id,
            position=cell.position,
            block=cell.block,
            variant=cell.variant.name,
            workload=cell.workload.label,
            threads=cell.threads,
            repeat=cell.repeat,
        )
        for cell in plan.cells()
        if cell.block == 0
    )
    return made


def owe(server: Server, experiment: Experiment, kind: str, name: str = "", old: str = "") -> PendingRestore:
    """As the experiment wrote it down while it ran."""
    return PendingRestore.objects.create(server=server, experiment=experiment, kind=kind, name=name, old=old)


def environment() -> Environment:
    return Environment.objects.get_or_create(digest="d", defaults={"data": {}})[0]


def measurement(transactions: int = 100) -> Measurement:
    load = LoadResult(("sysbench",), transactions, 1, 1.0, (), (), 1.0, 2.0, 0, "")
    return Measurement(datetime.now(UTC), load, {}, {}, {}, 0.1, "")
