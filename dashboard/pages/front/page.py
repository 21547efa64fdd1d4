"""The context of the first page. It shows a limited number of servers, experiments, nights and changes, so the
number of database queries does not grow with the installation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import OuterRef, Q, QuerySet, Subquery

from dashboard.findings.board.board import board
from dashboard.findings.costs import Cost, costs
from dashboard.findings.server_verdicts import ServerVerdict, verdicts
from dashboard.pages.front import board_page, lately
from dashboard.pages.monitoring.health import passes
from dashboard.pages.servers.forms import SandboxForm
from dashboard.records.experiments import live, shelf
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.history.queries import not_noted
from dashboard.records.servers.models import Server

MANY_SERVERS = 500  # of more than these only those of the newest experiments are looked at
NEWEST = 100
Used = TypeVar("Used", Cell, Trial)


@dataclass(frozen=True)
class UsedServer:
    """`measured_by`, `crashed_by`: the newest experiment that did so; 0: none."""

    server: Server
    measured_by: int
    crashed_by: int


@dataclass(frozen=True)
class ServerOnHome:
    """What is known about the commits of a server; None: not measured. `unread`: the newest experiment that measured
    it, if it has ended and the history has not read it yet; 0: none."""

    server: Server
    verdict: ServerVerdict | None
    cost: Cost | None
    unread: int


def context(now: datetime, query: Mapping[str, str]) -> dict[str, object]:
    known = board(_crashed_by(_lately_used()))
    return board_page.context(known, query, now) | {
        "missing": missing(),
        "running": lately.running(),
        "finished": lately.results(),
        "night": lately.last_night(now),
        "changes": lately.changes(),
        "recipes": shelf.on_home() if known.servers else [],
        "sandbox": None if known.servers else SandboxForm(initial={"name": "Sandbox"}),
        "now": now,
    }


def _lately_used() -> QuerySet[Server]:
    """All servers; of many those of the newest experiments."""
    if Server.objects.count() <= MANY_SERVERS:
        return Server.objects.all()
    newest = list(Experiment.objects.order_by("-created_at", "-pk").values_list("pk", flat=True)[:NEWEST])
    measured, crashed = (rows.objects.filter(experiment__in=newest).values("server") for rows in (Cell, Trial))
    return Server.objects.filter(Q(pk__in=measured) | Q(pk__in=crashed))


def _crashed_by(servers: QuerySet[Server]) -> dict[int, int]:
    """Server id -> the newest experiment that crashed it."""
    rows = servers.annotate(crashed=Subquery(_newest_crash().values("experiment")[:1]))
    return dict(rows.filter(crashed__isnull=False).order_by().values_list("pk", "crashed"))


def line(server: Server) -> ServerOnHome:
    """What the first page says of this server."""
    return _lines(_used(Server.objects.filter(pk=server.pk)))[0]


def _used(servers: QuerySet[Server]) -> list[UsedServer]:
    """The server that was used last comes first."""
    measured = _newest(Cell.objects.filter(server=OuterRef("pk")))
    rows = servers.annotate(
        measured=Subquery(measured.values("experiment")[:1]),
        crashed=Subquery(_newest_crash().values("experiment")[:1]),
    )
    found = [UsedServer(row, row.measured or 0, row.crashed or 0) for row in rows]
    return sorted(found, key=lambda one: (-max(one.measured_by, one.crashed_by), one.server.name))


def _newest_crash() -> QuerySet[Trial]:
    return _newest(Trial.objects.of_the_plan().ended().without_controls().filter(server=OuterRef("pk")))


def _newest(rows: QuerySet[Used]) -> QuerySet[Used]:
    return rows.exclude(experiment__in=Experiment.deleted.ids()).order_by("-experiment_id")


def _lines(used: Sequence[UsedServer]) -> list[ServerOnHome]:
    known = verdicts({one.server.pk: one.crashed_by for one in used if one.crashed_by})
    measured = costs([one.server.pk for one in used])
    unread = set(not_noted().filter(pk__in=[one.measured_by for one in used]).values_list("pk", flat=True))
    return [
        ServerOnHome(
            one.server,
            known.get(one.server.pk),
            measured.get(one.server.pk),
            one.measured_by if one.measured_by in unread else 0,
        )
        for one in used
    ]


NO_WORKER = (
    "No worker is alive.",
    "Experiments and connection tests stay queued until a worker runs, and then start by themselves. "
    "Start a worker, or read its log.",
)


def missing() -> list[tuple[str, str]]:
    """(What happened, what to do) for each missing part."""
    found = []
    why, fix = live.problem()
    if why:
        found.append(_without_redis(why, fix))
    if not passes("worker"):
        found.append(NO_WORKER)
    return found


def _without_redis(why: str, fix: str) -> tuple[str, str]:
    return (
        f"Redis {why}.",
        "Experiments that you start are queued and run when Redis takes tasks. Until then no worker is notified, and "
        f"running experiments show no live figures. {fix}",
    )
