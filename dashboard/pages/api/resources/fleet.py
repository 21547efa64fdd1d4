"""Workers, and the builds that they can run."""

from django.http import HttpRequest
from ninja import Schema
from ninja.pagination import RouterPaginated

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import with_columns, with_values
from dashboard.records.experiments import worker_lines
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import builds

router = RouterPaginated()


@with_columns(Worker, "site host pid version listens started_at beat_at ended_at")
class WorkerOut(Schema):
    """`experiments` and `tests`: ids of what it is busy with; `last_experiment`: of the one that it ended last. A
    worker that does not `listen` measures what a command line told it."""

    id: int
    is_alive: bool
    abilities: dict[str, object]
    experiments: list[int]
    last_experiment: int | None
    tests: list[int]


@with_values(builds.Presence, "host version missing")
class PresenceOut(Schema):
    """`missing`: why it would not start there; empty when it would."""


@with_values(builds.BuildOrigin, "source command licence year")
class OriginOut(Schema):
    """`command` brings it to a host."""


@with_values(builds.BuildLine, "key title purpose version size_mib can_be_chosen")
class BuildOut(Schema):
    """`hosts`: those with a living worker that has it. `can_be_chosen`: a sandbox can be made of it."""

    origin: OriginOut
    hosts: list[PresenceOut]


@router.get("/workers", auth=Token("see"), response=list[WorkerOut])
def list_workers(request: HttpRequest) -> list[dict[str, object]]:
    """Living workers first, then those that ended or died within the last day."""
    return [_worker(line) for line in worker_lines.lines()]


@router.get("/builds", auth=Token("see"), response=list[BuildOut])
def list_builds(request: HttpRequest) -> list[builds.BuildLine]:
    """Every build that is known here or to a living worker, installed or not."""
    return builds.lines(worker_lines.alive())


def _worker(line: worker_lines.WorkerLine) -> dict[str, object]:
    names = ("id", "site", "host", "pid", "version", "listens", "started_at", "beat_at", "ended_at", "abilities")
    return {
        **{name: getattr(line.worker, name) for name in names},
        "is_alive": line.is_alive,
        "last_experiment": line.last.pk if line.last else None,
        "experiments": [one.pk for one in line.experiments],
        "tests": [one.pk for one in line.preflights],
    }
