"""One experiment from its claim by a worker to its end. Every write asks whether the claim still holds (`claiming`): a
worker that was taken for dead cannot overwrite what happened since."""

import uuid
from collections.abc import Iterable

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from dashboard.installation.nul import without_nul
from dashboard.installation.retry import LOST, retried
from dashboard.records.experiments import claiming, leases, waiting
from dashboard.records.experiments.actions import cancel_waiting
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.records.experiments.states import move
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from workers.errors import DurascopeError


def begin(experiment_id: int, worker: Worker, hosts: Iterable[str]) -> Experiment | None:
    """Claim a queued experiment and lease its hosts. None when it is not queued, or a host is busy or has a pending
    restore. None also when the worker's heartbeat has stopped: others would take the experiment away at once."""
    names = set(hosts)
    unrestored = leases.pending_restore(experiment_id, names)  # before anything is locked: it looks names up
    try:
        return _begin(experiment_id, worker, names, uuid.uuid4(), unrestored)
    except IntegrityError:  # another one leased a host of these at the same moment
        return None


@retried
def _begin(
    experiment_id: int, worker: Worker, hosts: set[str], claim: uuid.UUID, unrestored: Server | None = None
) -> Experiment | None:
    with transaction.atomic():
        experiment = Experiment.objects.select_for_update().get(pk=experiment_id)
        if experiment.state != Experiment.State.QUEUED:
            return experiment if experiment.claim == claim else None  # it was ours already, and the answer was lost
        if not worker.is_alive:
            return None
        if reason := waiting.why_not_begin(hosts, unrestored):
            say(experiment, reason)
            return None
        leases.take(experiment, hosts, timezone.now())
        row = Experiment.objects.filter(pk=experiment_id)
        started_at = experiment.started_at or timezone.now()
        move(row, Experiment.State.RUNNING, worker=worker, claim=claim, started_at=started_at, error="", mend="")
        return row.get()


def refuse(experiment_id: int, why: DurascopeError) -> None:
    """End a queued experiment that cannot be run."""
    queued = Experiment.objects.filter(pk=experiment_id, state=Experiment.State.QUEUED)
    ended = {"error": why.message, "mend": "Create a new plan.", "ended_at": timezone.now()}
    move(queued, Experiment.State.FAILED, phase="", **ended)


@retried
def finish(experiment: Experiment, state: str, error: str = "", mend: str = "") -> bool:
    """End an experiment whose claim still holds: its leases are returned, nothing of it stays running.

    False, and nothing is changed, when it was taken away: it may run elsewhere by now.
    """
    ended = {"error": without_nul(error), "mend": without_nul(mend), "ended_at": timezone.now()}
    with transaction.atomic():
        if not move(claiming.claimed_experiment(experiment), state, phase="", claim=None, **ended):
            return False
        HostLease.objects.filter(experiment=experiment).delete()
        for rows in (experiment.cells, experiment.trials):
            move(rows.all(), Cell.State.INTERRUPTED, ended_at=timezone.now())
        if state == Experiment.State.CANCELLED:
            cancel_waiting(experiment)
    return True


@retried
def say(experiment: Experiment, phase: str) -> None:
    """What happens right now, in words, for the live page. Without a claim: of an experiment that waits."""
    phase = without_nul(phase)[:200]
    Experiment.objects.filter(pk=experiment.pk, claim=experiment.claim).exclude(phase=phase).update(phase=phase)


def is_cancelled(experiment: Experiment) -> bool:
    """Whether somebody asked to stop, or the experiment was taken from this worker. Asked while something is measured:
    a database that does not answer is asked again next time."""
    try:
        return not claiming.claimed_experiment(experiment).filter(cancel_asked=False).exists()
    except LOST:
        connection.close()
        return False
