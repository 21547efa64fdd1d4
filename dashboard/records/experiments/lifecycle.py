"""One experiment from its claim by a worker to its end. Every write checks the claim (`claiming`): a worker that was
taken for dead cannot overwrite later changes."""

import uuid
from collections.abc import Iterable

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from dashboard.installation.retry import LOST, retried
from dashboard.records.experiments import claiming, leases, why_queued
from dashboard.records.experiments.actions import cancel_waiting
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.records.experiments.states import move
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from workers.errors import DurascopeError
from workers.servers.printable import sentence

RESUME = "The measurements are kept. Resume repeats the interrupted one and goes on."


def begin(experiment_id: int, worker: Worker, hosts: Iterable[str]) -> Experiment | None:
    """Claim a queued experiment and lease its hosts. None if it is not queued, if a host is busy or has a pending
    restore, or if the worker's heartbeat stopped: other workers would take the experiment away at once."""
    names = set(hosts)
    unrestored = leases.pending_restore(experiment_id, names)  # before the locks: looking up names takes time
    try:
        return _begin(experiment_id, worker, names, uuid.uuid4(), unrestored)
    except IntegrityError:  # another experiment leased one of these hosts at the same moment
        say(Experiment(pk=experiment_id), why_queued.HOST_JUST_TAKEN)
        return None


@retried
def _begin(
    experiment_id: int, worker: Worker, hosts: set[str], claim: uuid.UUID, unrestored: Server | None = None
) -> Experiment | None:
    with transaction.atomic():
        experiment = Experiment.objects.select_for_update().get(pk=experiment_id)
        if experiment.state != Experiment.State.QUEUED:
            return experiment if experiment.claim == claim else None  # an earlier try claimed it, its answer was lost
        if not worker.is_alive:
            return None
        if reason := why_queued.why_not_begin(hosts, unrestored):
            say(experiment, reason)
            return None
        leases.take(experiment, hosts, timezone.now())
        row = Experiment.objects.filter(pk=experiment_id)
        started_at = experiment.started_at or timezone.now()
        move(row, Experiment.State.RUNNING, worker=worker, claim=claim, started_at=started_at, error="", fix="")
        return row.get()


def refuse(experiment_id: int, why: DurascopeError) -> None:
    queued = Experiment.objects.filter(pk=experiment_id, state=Experiment.State.QUEUED)
    ended = {"error": why.message, "fix": "Create a new plan.", "ended_at": timezone.now()}
    move(queued, Experiment.State.FAILED, activity="", **ended)


@retried
def finish(experiment: Experiment, state: str, error: str = "", fix: str = "") -> bool:
    """End an experiment whose claim is valid. Its leases are returned, and running cells and trials are interrupted.

    False, and nothing is changed, if it was taken away: it may run elsewhere now.
    """
    ended = {"error": sentence(error), "fix": sentence(fix), "ended_at": timezone.now()}
    with transaction.atomic():
        if not move(claiming.claimed_experiment(experiment), state, activity="", claim=None, **ended):
            return False
        HostLease.objects.filter(experiment=experiment).delete()
        for rows in (experiment.cells, experiment.trials):
            move(rows.all(), Cell.State.INTERRUPTED, ended_at=timezone.now())
        if state == Experiment.State.CANCELLED:
            cancel_waiting(experiment)
    return True


@retried
def say(experiment: Experiment, activity: str) -> None:
    """Store the present step in words, for the live page. An experiment without a claim waits."""
    said = sentence(activity)[:200]
    Experiment.objects.filter(pk=experiment.pk, claim=experiment.claim).exclude(activity=said).update(activity=said)


def is_cancelled(experiment: Experiment) -> bool:
    """Whether a person cancelled it, or it was taken from this worker. This is asked during a measurement, so a
    database that does not answer counts as "no" and is asked again. A thread that had no connection has none
    afterwards."""
    keeps = connection.connection is not None
    try:
        return not claiming.claimed_experiment(experiment).filter(cancel_asked=False).exists()
    except LOST:
        keeps = False
        return False
    finally:
        if not keeps:
            connection.close()
