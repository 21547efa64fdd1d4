"""Workers, and the builds that they can run."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.pagination import paginate

from dashboard.api.door import Token
from dashboard.api.paging import Pages
from dashboard.fleet import queries
from workers.sandbox import builds

router = Router()


class WorkerOut(Schema):
    """`experiments` and `tests`: ids of what it is busy with."""

    id: int
    host: str
    pid: int
    is_alive: bool
    started_at: datetime
    beat_at: datetime
    ended_at: datetime | None
    abilities: dict[str, Any]
    experiments: list[int]
    tests: list[int]


class BuildOut(Schema):
    """`hosts`: those of living workers that can run it."""

    key: str
    title: str
    flavour: str
    purpose: str
    hosts: list[str]


@router.get("/workers", auth=Token("see"), response=list[WorkerOut])
@paginate(Pages)
def list_workers(request: HttpRequest) -> list[dict[str, Any]]:
    """Living workers first, then those that ended or died within the last day."""
    return [_worker(line) for line in queries.workers()]


@router.get("/builds", auth=Token("see"), response=list[BuildOut])
@paginate(Pages)
def list_builds(request: HttpRequest) -> list[dict[str, Any]]:
    """Every build that is known, installed or not."""
    alive = [line.worker for line in queries.workers() if line.worker.is_alive]
    return [
        {
            "key": key,
            "title": build.title,
            "flavour": build.flavour,
            "purpose": build.purpose,
            "hosts": sorted({worker.host for worker in alive if key in worker.abilities.get("builds", ())}),
        }
        for key, build in builds.every().items()
    ]


def _worker(line: queries.WorkerLine) -> dict[str, Any]:
    names = ("id", "host", "pid", "is_alive", "started_at", "beat_at", "ended_at", "abilities")
    return {
        **{name: getattr(line.worker, name) for name in names},
        "experiments": [one.pk for one in line.experiments],
        "tests": [one.pk for one in line.preflights],
    }
