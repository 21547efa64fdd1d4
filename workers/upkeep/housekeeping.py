"""Housekeeping: living workers clean up after dead ones, every few seconds (`periodic`). Experiments are interrupted by
any worker; tasks are sent again by a worker of the same site; sandbox folders are removed by a worker of the same host.
Pending restores are made by `restores`."""

import fcntl
import logging
import os
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import sample

from django.conf import settings
from django.utils import timezone

from dashboard.findings import conclusion
from dashboard.records.experiments import leases, lifecycle
from dashboard.records.experiments.care import remove_one
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.queries import at_site
from dashboard.records.fleet import database_clock, installation
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight
from workers.host import temporary
from workers.sandbox.sweep import sweep
from workers.upkeep import conducting_now
from workers.upkeep.heartbeat import heartbeat

log = logging.getLogger(__name__)
UNHEARD = timedelta(seconds=20)  # a task that was sent longer ago is taken for lost
SENT_AGAIN = 20  # queued experiments, in one round of one worker
PREFLIGHT_LIMIT = timedelta(minutes=2)
CLOCK_STEP_S = 5.0


def run(send_experiment: Callable[[int], None], send_preflight: Callable[[int], None]) -> None:
    """All duties of a worker. A duty that fails does not keep the others waiting."""
    after_dead_workers()
    _do(_remove_deleted, partial(_send_experiments, send_experiment), partial(_send_preflights, send_preflight))


def after_dead_workers() -> None:
    """Interrupt the experiments of dead workers and remove their sandboxes. The command line, which has no message
    queue, does only this."""
    _do(_interrupt_if_clocks_agree, interrupt_own_forgotten, _sweep)


def _do(*duties: Callable[[], None]) -> None:
    for duty in duties:
        try:
            duty()
        except Exception:
            log.exception("housekeeping: %s", duty)


class Clocks:
    """Whether the wall clocks of this host and of the database went on as the monotonic clock did. After a sleep of the
    machine or a step of a clock every heartbeat looks old, and living workers would be taken for dead: then one round
    is left out."""

    def __init__(self) -> None:
        self._apart_s = self._own_apart_s()
        self._database_apart_s: float | None = None  # not asked yet

    def agree(self) -> bool:
        own_s, database_s = self._apart_s, self._database_apart_s
        self._apart_s = self._own_apart_s()
        self._database_apart_s = self._apart_s - database_clock.ahead_s()
        steps_s = [self._apart_s - own_s, 0.0 if database_s is None else self._database_apart_s - database_s]
        return all(abs(step_s) < CLOCK_STEP_S for step_s in steps_s)

    @staticmethod
    def _own_apart_s() -> float:
        return time.time() - time.monotonic()


clocks = Clocks()


def _interrupt_if_clocks_agree() -> None:
    if clocks.agree():
        interrupt_those_of_dead_workers()


def _sweep() -> None:
    """One process at a time: the kernel may just have given a freed loop device to another process."""
    root = Path(settings.SANDBOX_ROOT)
    if not root.is_dir():
        return
    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        for line in (*sweep(root), *temporary.sweep(temporary.places())):
            log.warning("swept: %s", line)
    finally:
        os.close(folder)


def _remove_deleted() -> None:
    if gone := remove_one(timezone.now()):
        log.info("removed for good: %s, deleted long ago", gone)


def _send_experiments(send: Callable[[int], None]) -> None:
    """A few of this site, drawn anew in each round: every worker of the site does this, and none can run many."""
    unheard = Experiment.objects.filter(state=Experiment.State.QUEUED, created_at__lt=timezone.now() - UNHEARD)
    waiting = list(at_site(settings.SITE, unheard).order_by("pk").values_list("pk", flat=True))
    for experiment_id in waiting if len(waiting) <= SENT_AGAIN else sorted(sample(waiting, SENT_AGAIN)):
        send(experiment_id)


def _send_preflights(send: Callable[[int], None]) -> None:
    """Not in a restored copy of an installation: its queued tests wait for a person like everything else."""
    if installation.is_held():
        return
    now = timezone.now()
    servers.release_preflights(now - PREFLIGHT_LIMIT)
    mine = Preflight.objects.filter(state="queued", asked_at__lt=now - UNHEARD, server__site=settings.SITE)
    for unheard in mine:
        send(unheard.pk)


def interrupt_those_of_dead_workers() -> None:
    """Experiments of dead workers are interrupted; their running cells too; their leases are returned."""
    for experiment in Experiment.objects.filter(state=Experiment.State.RUNNING, worker__in=Worker.objects.dead()):
        _interrupt(experiment, f"Worker {experiment.worker} ended during the experiment.")
    leases.delete_stale()


def interrupt_own_forgotten() -> None:
    """Interrupt experiments whose row names this worker, but which it does not conduct: their end could not be stored.
    The conducted ones are read last, so that one that begins meanwhile is among them."""
    ours = list(
        Experiment.objects.filter(state=Experiment.State.RUNNING, worker=heartbeat.worker, worker__isnull=False)
    )
    for experiment in ours:
        if experiment.pk not in conducting_now.experiments():
            _interrupt(experiment, "The database did not store the end of this experiment.")


def _interrupt(experiment: Experiment, why: str) -> None:
    """The claim was just read: it is that of the gone worker. Lists show the finding on what was measured."""
    if lifecycle.finish(experiment, Experiment.State.INTERRUPTED, why, lifecycle.RESUME):
        log.warning("experiment %s is interrupted: %s", experiment, why)
        experiment.refresh_from_db()
        _do(partial(conclusion.remember, experiment))
