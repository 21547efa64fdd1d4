"""Reads about servers."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Manager, OuterRef, Q, QuerySet, Subquery

from dashboard.installation.nul import without_nul
from dashboard.records.experiments.models import Cell, Experiment, Run, Trial
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Preflight, Server
from workers.servers.printable import bounded


@dataclass(frozen=True)
class ServerLine:
    """A server in the list, with its last finished test and the last experiment on it."""

    server: Server
    preflight: Preflight | None
    experiment: Experiment | None


def named(words: str) -> QuerySet[Server]:
    """Servers whose name, host, build or site contains each of these words."""
    found = Server.objects.all()
    for word in without_nul(words).split():
        fits = (Q((f"{column}__icontains", word)) for column in ("name", "host", "build", "site"))
        found = found.filter(reduce(or_, fits))
    return found


def lines(servers: QuerySet[Server]) -> list[ServerLine]:
    """Three queries, however many servers."""
    tests = Preflight.objects.filter(server=OuterRef("pk"), state=Preflight.State.DONE).order_by("-done_at")
    used = Cell.objects.filter(server=OuterRef("pk")).exclude(experiment__in=Experiment.deleted.ids())
    last = used.order_by("-experiment_id").values("experiment_id")[:1]
    found = list(servers.annotate(tested=Subquery(tests.values("pk")[:1]), measured=Subquery(last)))
    preflights = Preflight.objects.in_bulk({server.tested for server in found})
    experiments = Experiment.objects.defer("plan", "analysis").in_bulk({server.measured for server in found})
    return [ServerLine(one, preflights.get(one.tested), experiments.get(one.measured)) for one in found]


def last_tests(among: Collection[int] | None = None) -> list[tuple[Server, Preflight | None]]:
    """Each attached server (of these ids) with its last finished test, by name. Only a test that did not reach its
    server has its checks: to read those of thousands takes long."""
    done = Preflight.objects.filter(state=Preflight.State.DONE)
    found = _newest_of(done.defer("checks", "durability"), **({} if among is None else {"pk__in": among}))
    silent = done.defer("durability").in_bulk([test.pk for _, test in found if test and not test.facts])
    return [(server, silent.get(test.pk, test) if test else None) for server, test in found]


def last_answers(site: str = "") -> list[tuple[Server, Preflight | None]]:
    """Each attached server (of a site) with the last test that reached it."""
    answers = Preflight.objects.filter(state=Preflight.State.DONE).exclude(facts={})
    return _newest_of(answers.defer("checks", "durability"), **({"site": site} if site else {}))


def _newest_of(tests: QuerySet[Preflight], **which: object) -> list[tuple[Server, Preflight | None]]:
    """Two queries, however many servers."""
    newest = tests.filter(server=OuterRef("pk")).order_by("-asked_at")
    attached = Server.objects.filter(kind=Server.Kind.ATTACHED, **which)
    servers = list(attached.annotate(tested=Subquery(newest.values("pk")[:1])))
    preflights = tests.in_bulk({server.tested for server in servers if server.tested})
    return [(server, preflights.get(server.tested)) for server in servers]


def measured_version(server: Server) -> str:
    """Of the newest measurement or trial; "" before the first. A sandbox has no connection test that tells it."""
    runs = Run.objects.filter(cell__server=server).order_by("-pk")
    trials = Trial.objects.filter(server=server).exclude(environment=None).order_by("-pk")
    found = (one.values_list("environment__data__server__version", flat=True).first() for one in (runs, trials))
    return next((bounded(str(version)) for version in found if version), "")


def pending_restores(server: Server) -> QuerySet[PendingRestore]:
    return server.pending_restores.filter(restored_at__isnull=True).select_related("experiment").order_by("noted_at")


def is_down(server: Server) -> bool:
    """Whether an experiment crashed it and no worker has reached it since."""
    return pending_restores(server).filter(kind=PendingRestore.Kind.START).exists()


def why_it_stays(server: Server) -> str:
    """Why this server can neither be deleted nor move now; "" if it can."""
    pending = pending_restores(server).count()
    if pending:
        return (
            f"{pending} pending restore{'' if pending == 1 else 's'}. "
            "See the list on its page. A worker restores them as soon as the server answers."
        )
    under_way = _experiments(server).filter(state__in=UNDER_WAY).first()
    return f"the experiment {under_way} uses it now. Stop it or wait for its end." if under_way else ""


def why_not_expendable(server: Server) -> str:
    """Why this server cannot be marked expendable; "" if it can."""
    if server.is_sandbox:
        return f"{server} is a sandbox: it may always be crashed and needs no mark."
    if server.label == Server.Label.PRODUCTION:
        return f"{server} is labelled production and is never crashed. It was not marked."
    return ""


def why_kept(server: Server) -> str:
    """Why this server cannot be deleted; "" if it can."""
    reason = why_it_stays(server) or _what_rests_on(server)
    return f"{server} was not deleted: {reason}" if reason else ""


def _what_rests_on(server: Server) -> str:
    """Deleted experiments count as long as they can be restored."""
    kept, deleted = _experiments(server).count(), _experiments(server, Experiment.deleted).count()
    parts = [f"{kept} experiment{'' if kept == 1 else 's'}"] if kept else []
    parts += [f"{deleted} deleted one{'' if deleted == 1 else 's'} that can still be restored"] if deleted else []
    return f"the results of {' and of '.join(parts)} rest on it." if parts else ""


def _experiments(server: Server, among: Manager[Experiment] = Experiment.objects) -> QuerySet[Experiment]:
    return among.filter(Q(cells__server=server) | Q(trials__server=server)).distinct()
