"""What the template of the first page is given. The number of questions to the database does not grow with what is
stored: only so many servers, experiments, nights and changes are shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from dashboard.findings.costs import Cost, costs
from dashboard.findings.server_verdicts import ServerVerdict, verdicts
from dashboard.pages.front import lately, ready
from dashboard.pages.servers.forms import SandboxForm
from dashboard.records.experiments import shelf
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.servers.models import Server

MOST_SERVERS = 12


@dataclass(frozen=True)
class ServerLine:
    """A server with what is known of its commits; None: not measured."""

    server: Server
    verdict: ServerVerdict | None
    cost: Cost | None


def context(now: datetime) -> dict[str, object]:
    servers = _servers()
    shown = servers[:MOST_SERVERS]
    return {
        "missing": ready.missing(),
        "lines": _lines(shown),
        "servers": len(servers),
        "running": lately.running(),
        "finished": lately.results(),
        "night": lately.last_night(now),
        "changes": lately.changes(),
        "recipes": shelf.on_home() if servers else [],
        "sandbox": None if servers else SandboxForm(initial={"name": "Sandbox"}),
        "now": now,
    }


def line(server: Server) -> ServerLine:
    """What the first page says of this one."""
    return _lines([_used().get(pk=server.pk)])[0]


def _servers() -> list[Server]:
    """All, those first that were measured last."""
    return sorted(_used(), key=lambda one: (-max(one.measured or 0, one.crashed or 0), one.name))


def _used() -> QuerySet[Server]:
    """Each with the newest experiment that `measured` and the newest that `crashed` it."""
    measured = _newest(Cell.objects.filter(server=OuterRef("pk")))
    crashed = _newest(Trial.objects.of_the_plan().ended().without_controls().filter(server=OuterRef("pk")))
    return Server.objects.annotate(
        measured=Subquery(measured.values("experiment")[:1]), crashed=Subquery(crashed.values("experiment")[:1])
    )


def _newest(rows: QuerySet[Cell | Trial]) -> QuerySet[Cell | Trial]:
    return rows.exclude(experiment__in=Experiment.deleted.ids()).order_by("-experiment_id")


def _lines(servers: Sequence[Server]) -> list[ServerLine]:
    known = verdicts({one.pk: one.crashed for one in servers if one.crashed})
    measured = costs([one.pk for one in servers])
    return [ServerLine(one, known.get(one.pk), measured.get(one.pk)) for one in servers]
