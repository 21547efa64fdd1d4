"""Stored experiments, workers and measurements to vary, without a server behind them."""

import itertools
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from dashboard.records.experiments.models import Cell, Environment, Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from workers.bench.load import LoadResult
from workers.bench.measure import Measurement
from workers.bench.plan import Plan
from workers.conducting.conduct import PORTS
from workers.conducting.job import Ports
from workers.servers.facts import Facts


class Stage:
    """A server that is ready; `closed` tells which were put back."""

    closed: list[str] = []
    facts = Facts("mariadb", (10, 11, 0), "10.11.0", {"sync_binlog": "1", "report_password": "s3cret"}, {})

    def __init__(self, name, breaks=None):
        self.name, self.breaks = name, breaks

    def data_folder(self):
        return None

    def close(self):
        self.closed.append(self.name)
        if self.breaks:
            raise self.breaks


class Untold:
    """Nobody looks at the live page."""

    def __init__(self, experiment_id, mark):
        pass


def ports(**changes) -> Ports:
    """No server, no sysbench, no Redis; each look at the clock takes a second."""
    clock = itertools.count().__next__
    quiet = replace(PORTS, tell=Untold, clock=clock, sleep=lambda seconds: None)
    made_up = {"stage": lambda job, key: Stage(job.title(key)), "measure": lambda *_: measurement()}
    return replace(quiet, watch=lambda *_: nullcontext(), **made_up | changes)


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


def pending_restore(server: Server, experiment: Experiment, kind: str, name: str = "", old: str = "") -> PendingRestore:
    """As the experiment wrote it down while it ran."""
    return PendingRestore.objects.create(server=server, experiment=experiment, kind=kind, name=name, old=old)


def environment() -> Environment:
    return Environment.objects.get_or_create(digest="d", defaults={"data": {}})[0]


def measurement(transactions: int = 100) -> Measurement:
    load = LoadResult(("sysbench",), transactions, 1, 1.0, (), (), 1.0, 2.0, 0, "")
    return Measurement(datetime.now(UTC), load, {}, {}, {}, 0.1, "")
