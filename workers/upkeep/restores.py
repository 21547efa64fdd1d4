"""What is owed to attached servers: written down before a change, paid by whoever can, by a later worker if need be."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.audit.models import record
from dashboard.experiments import claiming
from dashboard.experiments.models import Experiment
from dashboard.fleet import installation, leases
from dashboard.holds.models import PendingRestore
from dashboard.nul import storable
from dashboard.retry import patient
from dashboard.servers.models import Server
from dashboard.servers.programs import may_run_here
from workers.crash.attached import AttachedServer
from workers.crash.trial import Attached
from workers.errors import DurascopeError, ServerError, Taken
from workers.servers.undo import undo

log = logging.getLogger(__name__)
COMMAND_LIMIT_S = 120.0  # for an owner's command, and for the server to answer after it
START_AGAIN = timedelta(minutes=5)  # a start command that did not help is not run more often by itself


@patient
@transaction.atomic
def owe(server: Server, experiment: Experiment, kind: str, name: str, old: str) -> None:
    """Write down what must be put back. An open debt keeps its first value: that is the server's own. Raises Taken, and
    then nothing may be changed on the server."""
    claiming.must_hold(experiment)
    PendingRestore.objects.get_or_create(
        server=server, kind=kind, name=name, restored_at=None, defaults={"old": old, "experiment": experiment}
    )


@patient
@transaction.atomic
def paid(server: Server, must_hold: Callable[[], None], kind: str, name: str) -> None:
    """Something is back as it was. `must_hold` raises Taken when another worker may have changed it again since."""
    must_hold()
    PendingRestore.objects.filter(server=server, kind=kind, name=name, restored_at=None).update(
        restored_at=timezone.now(), problem=""
    )


def owe_start(server: Server, experiment: Experiment) -> None:
    """Write down, before a server is crashed, that it must be started again. Its owner's command does that, also when
    the mark *expendable* has been withdrawn since."""
    owe(server, experiment, PendingRestore.Kind.START, "", "")


def pay_all() -> None:
    """Pay what ended experiments owe to servers of this site. One that cannot be reached, or is busy, is asked again
    next time; one at localhost is paid by a worker of the host that owes. What a restored database says of the past
    waits for a person."""
    if installation.is_held():
        return
    due = PendingRestore.objects.filter(restored_at=None).exclude(experiment__state=Experiment.State.RUNNING)
    for experiment in Experiment.everything.filter(pending_restores__in=due).distinct().order_by("pk"):
        owed = Server.objects.filter(pending_restores__in=due.filter(experiment=experiment), site=settings.SITE)
        for server in owed.distinct():
            if leases.is_of_another_host(server, experiment):
                continue
            try:
                with leases.to_pay(server, experiment) as must_hold:
                    if must_hold:
                        pay(server, must_hold)
            except ServerError as unpaid:
                log.warning("%s", unpaid)
            except Exception:
                log.exception("what is owed to %s", server)


def pay(server: Server, must_hold: Callable[[], None]) -> None:
    """Put back everything that is owed to a server. Raises ServerError, and notes why, when it cannot; Taken when
    `must_hold` does, which is asked before every change."""
    try:
        _start(server, must_hold)
        _put_back(server, must_hold)
    except Taken:
        raise
    except DurascopeError as failure:
        is_down = _note(server, failure)
        what = "is still down after a crash" if is_down else "still has settings of an earlier experiment"
        raise ServerError(
            f"{server.name} {what}, and could not be put back: {failure}", "See what is owed on the server's page."
        ) from failure


@patient
def _note(server: Server, failure: DurascopeError) -> bool:
    """Why nothing could be restored; whether the server is still down."""
    server.pending_restores.filter(restored_at=None).update(problem=storable(str(failure)))
    return server.pending_restores.filter(restored_at=None, kind=PendingRestore.Kind.START).exists()


@patient
def _open(server: Server) -> list[PendingRestore]:
    return list(server.pending_restores.filter(restored_at=None).order_by("pk"))


@patient
def _read_anew(server: Server) -> Server:
    """With its commands as they are now."""
    return Server.everything.get(pk=server.pk)


def _start(server: Server, must_hold: Callable[[], None]) -> None:
    """First of all: nothing can be put back on a server that is down. One that answers has been started meanwhile."""
    debt = next((debt for debt in _open(server) if debt.kind == PendingRestore.Kind.START), None)
    if debt is None:
        return
    server = _read_anew(server)
    command = tuple(server.start_command)
    down = AttachedServer(Attached(server.target(), "", (), command, lambda: None, must_hold, COMMAND_LIMIT_S))
    if not down.answers():
        _must_be_due(debt)
        _must_be_allowed(server)
        must_hold()
        PendingRestore.objects.filter(pk=debt.pk).update(tried_at=timezone.now())
        record(None, "started again", server, experiment=debt.experiment_id, command=command)
        down.bring_up()
    paid(server, must_hold, PendingRestore.Kind.START, debt.name)


def _must_be_allowed(server: Server) -> None:
    """Raises ServerError: the right to run this command was lost since it was stored."""
    if not may_run_here(server, server.start_command):
        raise ServerError(
            "Its start command was not run: this worker's DURASCOPE_CRASH_PROGRAMS does not list it, and whoever set "
            "it is no administrator now.",
            "Start the server by hand, or have an administrator set the command again.",
        )


def _must_be_due(debt: PendingRestore) -> None:
    """Raises ServerError: its command was run a moment ago and did not help."""
    if debt.tried_at and timezone.now() < debt.tried_at + START_AGAIN:
        raise ServerError(debt.problem or "It does not answer yet after its start command.")


def _put_back(server: Server, must_hold: Callable[[], None]) -> None:
    debts = _open(server)
    if not debts:
        return
    changed = [(debt.name, debt.old) for debt in debts if debt.kind == PendingRestore.Kind.VARIABLE]
    schemas = [debt.name for debt in debts if debt.kind == PendingRestore.Kind.SCHEMA]
    undo(server.target(), changed, schemas, partial(paid, server, must_hold), must_hold)
