"""Pending restores of attached servers: each is stored before the change, and made by this worker or a later one."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.installation.retry import retried
from dashboard.records.audit.models import record
from dashboard.records.experiments import claiming, leases
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import installation
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from dashboard.records.servers.programs import may_run_here
from workers.crash.attached import AttachedServer
from workers.crash.setup_and_result import Attached
from workers.errors import DurascopeError, ServerError, Taken
from workers.servers.printable import sentence
from workers.servers.undo import undo

log = logging.getLogger(__name__)
COMMAND_LIMIT_S = 120.0  # for an owner's command, and for the server to answer after it
START_AGAIN = timedelta(minutes=5)  # a start command that did not help is not run more often by itself


@retried
@transaction.atomic
def note(server: Server, experiment: Experiment, kind: str, name: str, old: str) -> None:
    """Store the old value before a change. A pending restore keeps its first value: that is the server's own. Raises
    Taken, and then nothing may be changed on the server."""
    claiming.require_claim(experiment)
    PendingRestore.objects.get_or_create(
        server=server, kind=kind, name=name, restored_at=None, defaults={"old": old, "experiment": experiment}
    )


@retried
@transaction.atomic
def done(server: Server, require_claim: Callable[[], None], kind: str, name: str) -> None:
    """The old value is back. `require_claim` raises Taken when another worker may have changed it again since."""
    require_claim()
    PendingRestore.objects.filter(server=server, kind=kind, name=name, restored_at=None).update(
        restored_at=timezone.now(), problem=""
    )


def restore_all() -> None:
    """Restore the servers of this site that ended experiments changed. A server that is busy or does not answer is
    tried again next time. A server at localhost is restored by a worker of the host that changed it. In a restored copy
    of an installation pending restores wait for a person."""
    if installation.is_held():
        return
    due = PendingRestore.objects.filter(restored_at=None).exclude(experiment__state=Experiment.State.RUNNING)
    for experiment in Experiment.everything.filter(pending_restores__in=due).distinct().order_by("pk"):
        changed = Server.objects.filter(pending_restores__in=due.filter(experiment=experiment), site=settings.SITE)
        for server in changed.distinct():
            if leases.is_of_another_host(server, experiment):
                continue
            try:
                with leases.to_restore(server, experiment) as require_claim:
                    if require_claim:
                        restore(server, require_claim)
            except ServerError as failure:
                log.warning("%s", failure)
            except Exception:
                log.exception("restoring %s", server)


def restore(server: Server, require_claim: Callable[[], None]) -> None:
    """Make all pending restores of a server. Raises ServerError when it cannot, and stores why. Raises Taken when
    `require_claim` does, which is asked before every change."""
    try:
        _start(server, require_claim)
        _put_back(server, require_claim)
    except Taken:
        raise
    except DurascopeError as failure:
        is_down = _store_problem(server, failure)
        what = "is still down after a crash" if is_down else "still has settings of an earlier experiment"
        raise ServerError(
            f"{server.name} {what}, and could not be restored: {failure}",
            "See the pending restores on the server's page.",
        ) from failure


@retried
def _store_problem(server: Server, failure: DurascopeError) -> bool:
    """Why the restore failed. Returns whether the server is still down."""
    server.pending_restores.filter(restored_at=None).update(problem=sentence(str(failure)))
    return server.pending_restores.filter(restored_at=None, kind=PendingRestore.Kind.START).exists()


@retried
def _open(server: Server) -> list[PendingRestore]:
    return list(server.pending_restores.filter(restored_at=None).order_by("pk"))


@retried
def _read_anew(server: Server) -> Server:
    """With its commands as they are now."""
    return Server.everything.get(pk=server.pk)


def _start(server: Server, require_claim: Callable[[], None]) -> None:
    """Comes first: nothing can be restored on a server that is down. A server that answers was started meanwhile."""
    pending = next((pending for pending in _open(server) if pending.kind == PendingRestore.Kind.START), None)
    if pending is None:
        return
    server = _read_anew(server)
    command = tuple(server.start_command)
    down = AttachedServer(Attached(server.target(), "", (), command, lambda: None, require_claim, COMMAND_LIMIT_S))
    if not down.answers():
        _must_be_due(pending)
        _must_be_allowed(server)
        require_claim()
        PendingRestore.objects.filter(pk=pending.pk).update(tried_at=timezone.now())
        record(None, "started again", server, experiment=pending.experiment_id, command=command)
        down.bring_up()
    done(server, require_claim, PendingRestore.Kind.START, pending.name)


def _must_be_allowed(server: Server) -> None:
    """Raises ServerError when the right to run this command was lost since it was stored."""
    if not may_run_here(server, server.start_command):
        raise ServerError(
            "Its start command was not run: this worker's DURASCOPE_CRASH_PROGRAMS does not list it, and the "
            "person who set it is not an administrator.",
            "Start the server by hand, or have an administrator set the command again.",
        )


def _must_be_due(pending: PendingRestore) -> None:
    """Raises ServerError when the command was run a moment ago and did not help."""
    if pending.tried_at and timezone.now() < pending.tried_at + START_AGAIN:
        raise ServerError(pending.problem or "The server does not answer yet after its start command.")


def _put_back(server: Server, require_claim: Callable[[], None]) -> None:
    found = _open(server)
    if not found:
        return
    changed = [(pending.name, pending.old) for pending in found if pending.kind == PendingRestore.Kind.VARIABLE]
    schemas = [pending.name for pending in found if pending.kind == PendingRestore.Kind.SCHEMA]
    undo(server.target(), changed, schemas, partial(done, server, require_claim), require_claim)
