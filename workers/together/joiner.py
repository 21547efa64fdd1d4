"""One part of a cell's load, from the claim to its result: this worker joins others (workers.together.shared_load)."""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import LOST, retried
from dashboard.records.experiments import leases
from dashboard.records.experiments.models import Cell, Experiment, Part
from dashboard.records.experiments.states import AT_WORK, move
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from workers.bench import sysbench
from workers.bench.load import Answer, AskedSeldom, IsCancelled, LoadRequest, LoadSecond, OnSecond
from workers.bench.merge import PartLoad
from workers.errors import Cancelled, DurascopeError, LoadError, TogetherError, reason
from workers.host import environment
from workers.servers.connection import connect
from workers.servers.printable import sentence
from workers.servers.target import Target
from workers.together.barrier import Barrier, Opened
from workers.upkeep.heartbeat import heartbeat

log = logging.getLogger(__name__)
State = Part.State


def join(part_id: int, worker: Worker) -> None:
    """Take the part, unless it is another's or nobody's any more, and put its load on the server."""
    part = claim(part_id, worker, timezone.now())
    if part is None:
        return
    try:
        _load(part)
    except DurascopeError as failure:
        _fail(part, failure)
    except Exception as failure:
        log.exception("part %s of cell %s", part.number, part.cell_id)
        _fail(part, TogetherError(f"Unexpected: {reason(failure)}"))


@retried
@transaction.atomic
def claim(part_id: int, worker: Worker, mark: datetime) -> Part | None:
    """Under the locks of its experiment and cell, in this order as everywhere: a part of a cell that is over, or was
    claimed anew, is never taken; nor a second one by the same process. This host is leased with it."""
    part = Part.objects.filter(pk=part_id).select_related("cell").first()
    if part is None or not _is_still_measured(part):
        return None
    part.refresh_from_db()
    if part.state == State.TAKEN and part.worker_id == worker.pk and part.taken_at == mark:
        return part  # it was claimed, and the answer was lost
    same = Part.objects.filter(cell=part.cell_id, worker__host=worker.host, worker__pid=worker.pid)
    if part.state != State.WAITING or same.exists() or not worker.is_alive or not _host_is_ours(part, worker, mark):
        return None
    if not move(Part.objects.filter(pk=part_id), State.TAKEN, worker=worker, by=str(worker), taken_at=mark):
        return None
    part.refresh_from_db()
    return part


def _is_still_measured(part: Part) -> bool:
    running = Experiment.objects.filter(pk=part.cell.experiment_id, state=Experiment.State.RUNNING, cancel_asked=False)
    cells = Cell.objects.filter(pk=part.cell_id, state=Cell.State.RUNNING, started_at=part.attempt)
    return bool(running.select_for_update().first() and cells.select_for_update().first())


def _host_is_ours(part: Part, worker: Worker, mark: datetime) -> bool:
    """No other experiment measures here. The lease is returned with all of the experiment's."""
    given = {"experiment_id": part.cell.experiment_id, "taken_at": mark}
    lease, _ = HostLease.objects.get_or_create(host=leases.of_worker(worker.host), defaults=given)
    return lease.experiment_id == part.cell.experiment_id


def _load(part: Part) -> None:
    must_be_installed(part.sysbench)
    target = _target(part)
    connect(target).close()
    request = LoadRequest(target=target, **part.request)
    with Barrier() as barrier:
        if not move(_claimed(part), State.READY):
            raise Cancelled("The others did not wait for this part any more.")
        cancelled = stopped(part)
        opened = barrier.wait(part, cancelled)
        save(part, run(part, request, opened, lambda second: barrier.tell(part, second), cancelled))


def run(part: Part, request: LoadRequest, opened: Opened, on_second: OnSecond, cancelled: IsCancelled) -> PartLoad:
    """Start at once."""
    part.load_average = environment.load_average()
    begun: list[float] = []

    def second(sample: LoadSecond) -> None:
        begun.append(time.monotonic() - sample.t_s)
        on_second(sample)

    load = sysbench.run(request, second, cancelled)
    began = begun[0] if begun else time.monotonic() - load.elapsed_s
    return PartLoad(part.by, max(0.0, began - opened.at), opened.late_s, load)


@retried
def save(part: Part, done: PartLoad) -> None:
    told = {"began_s": done.began_s, "trip_s": done.trip_s, "load_average": part.load_average}
    move(_claimed(part), State.DONE, result=without_nul(asdict(done.load)), **told)


@retried
def _fail(part: Part, failure: DurascopeError) -> None:
    move(_claimed(part), State.FAILED, error=sentence(failure.message), fix=sentence(failure.fix))


def _claimed(part: Part) -> QuerySet[Part]:
    return Part.objects.filter(pk=part.pk, attempt=part.attempt, worker=part.worker_id)


def must_be_installed(version: str) -> None:
    """Raises LoadError: another version counts and rounds in another way."""
    here = sysbench.version()
    if here != version:
        raise LoadError(
            f"sysbench here is {here or 'not installed'}, where the experiment runs it is {version}.",
            "Install the same version on all workers.",
        )


def _target(part: Part) -> Target:
    """The password is opened here, by this worker; a sandbox's is in a file that only its own account may read."""
    if not part.login:
        return part.cell.server.target()
    try:
        return Target(**json.loads(Path(part.login).read_text()))
    except (OSError, ValueError) as unread:
        raise TogetherError(
            f"The sandbox's login could not be read: {unread}.",
            "Run all workers of a host as the same user; a sandbox is reached on its own host only.",
        ) from unread


def stopped(part: Part, clock: Callable[[], float] = time.monotonic) -> IsCancelled:
    """Whether this part shall end: asked for, the worker stops, or the cell is not measured any more."""
    asked = AskedSeldom(lambda: answered(lambda: _is_over(part)), clock)
    return lambda: bool(asked()) or heartbeat.stopping.is_set()


def _is_over(part: Part) -> bool:
    running = {"cell__state": Cell.State.RUNNING, "cell__started_at": part.attempt}
    mine = _claimed(part).filter(state__in=AT_WORK, cell__experiment__state=Experiment.State.RUNNING, **running)
    return not mine.exists()


def answered(ask: Callable[[], Answer]) -> Answer | None:
    """None: the database did not answer. It is asked again next time."""
    try:
        return ask()
    except LOST:
        connection.close()
        return None
