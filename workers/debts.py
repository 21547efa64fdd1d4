"""What is owed to attached servers: written down before a change, paid by whoever can, by a later worker if need be."""

import logging

from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.servers.models import Debt, Server
from workers import leases
from workers.errors import DurascopeError, ServerError
from workers.servers.undo import undo

log = logging.getLogger(__name__)


def owe(server: Server, experiment: Experiment, kind: str, name: str, old: str) -> None:
    """Write down what must be put back. An open debt keeps its first value: that is the server's own."""
    Debt.objects.get_or_create(
        server=server, kind=kind, name=name, paid_at=None, defaults={"old": old, "experiment": experiment}
    )


def paid(server: Server, kind: str, name: str) -> None:
    Debt.objects.filter(server=server, kind=kind, name=name, paid_at=None).update(paid_at=timezone.now(), problem="")


def pay_all() -> None:
    """Pay what ended experiments owe. A server that cannot be reached, or is busy, is asked again next time."""
    due = Debt.objects.filter(paid_at=None).exclude(experiment__state=Experiment.State.RUNNING)
    for experiment in Experiment.objects.filter(debts__in=due).distinct().order_by("pk"):
        for server in Server.objects.filter(debts__in=due.filter(experiment=experiment)).distinct():
            try:
                with leases.to_pay(server, experiment) as free:
                    if free:
                        pay(server)
            except ServerError as unpaid:
                log.warning("%s", unpaid)
            except Exception:
                log.exception("what is owed to %s", server)


def pay(server: Server) -> None:
    """Put back everything that is owed to a server. Raises ServerError, and notes why, when it cannot."""
    debts = list(server.debts.filter(paid_at=None).order_by("pk"))
    if not debts:
        return
    try:
        _put_back(server, debts)
    except DurascopeError as failure:
        server.debts.filter(paid_at=None).update(problem=str(failure))
        raise ServerError(
            f"{server.name} still has settings of an earlier experiment, and they could not be put back: {failure}",
            "See what is owed on the server's page.",
        ) from failure


def _put_back(server: Server, debts: list[Debt]) -> None:
    changed = [(debt.name, debt.old) for debt in debts if debt.kind == Debt.Kind.VARIABLE]
    schemas = [debt.name for debt in debts if debt.kind == Debt.Kind.SCHEMA]
    undo(server.target(), changed, schemas, lambda kind, name: paid(server, kind, name))
