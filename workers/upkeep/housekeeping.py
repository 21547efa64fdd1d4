"""What a dead worker left behind, taken care of by the living: each worker makes a round every few seconds (see
`rounds`), for only one of the same site reaches a server that something is owed to, and only one of the same host the
folders of its sandboxes."""

import fcntl
import logging
import os
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from dashboard.experiments import lifecycle, routes
from dashboard.experiments.care import remove_one
from dashboard.experiments.models import Experiment
from dashboard.fleet import installation, leases
from dashboard.fleet.models import Worker
from dashboard.servers import actions as servers
from dashboard.servers.models import Preflight
from workers.host import temporary
from workers.sandbox.sweep import sweep
from workers.upkeep import conducted
from workers.upkeep.heartbeat import pulse

log = logging.getLogger(__name__)
UNHEARD = timedelta(seconds=20)  # a doorbell older than this was lost
PREFLIGHT_LIMIT = timedelta(minutes=2)
CLOCK_STEP_S = 5.0


def tend(ring_experiment: Callable[[int], None], ring_preflight: Callable[[int], None]) -> None:
    """Everything that somebody must do when nobody else does, as far as it can be done at this site and on this host;
    what is owed to servers, `debts` pays. A duty that fails does not keep the others waiting."""
    take_over()
    _do(_remove_deleted, partial(_ring_experiments, ring_experiment), partial(_ring_preflights, ring_preflight))


def take_over() -> None:
    """What dead workers left: all that a command line needs, which measures without a message queue."""
    if clocks.agree():
        _do(take_from_the_dead)
    _do(take_from_ourselves, _sweep)


def _do(*duties: Callable[[], None]) -> None:
    for duty in duties:
        try:
            duty()
        except Exception:
            log.exception("tending: %s", duty)


class Clocks:
    """Whether the wall clock, by which workers are taken for dead, went on as the machine's own clock did. After a
    sleep of the machine or a step of its clock every heartbeat looks old: then one round is left out."""

    def __init__(self) -> None:
        self._apart_s = self._now_apart_s()

    def agree(self) -> bool:
        before, self._apart_s = self._apart_s, self._now_apart_s()
        return abs(self._apart_s - before) < CLOCK_STEP_S

    @staticmethod
    def _now_apart_s() -> float:
        return time.time() - time.monotonic()


clocks = Clocks()


def _sweep() -> None:
    """One at a time: what one takes away, another may have just been given by the kernel (a loop device)."""
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


def _ring_experiments(ring: Callable[[int], None]) -> None:
    unheard = Experiment.objects.filter(state=Experiment.State.QUEUED, created_at__lt=timezone.now() - UNHEARD)
    for waiting in unheard.values_list("pk", flat=True):
        if routes.site_of_experiment(waiting) in (settings.SITE, None):
            ring(waiting)


def _ring_preflights(ring: Callable[[int], None]) -> None:
    """Tests that were asked for in the past, in a restored copy, wait as all else does."""
    if installation.is_held():
        return
    now = timezone.now()
    servers.release_preflights(now - PREFLIGHT_LIMIT)
    mine = Preflight.objects.filter(state="queued", asked_at__lt=now - UNHEARD, server__site=settings.SITE)
    for unheard in mine:
        ring(unheard.pk)


def take_from_the_dead() -> None:
    """Experiments of dead workers are interrupted; their running cells too; their leases are returned."""
    for experiment in Experiment.objects.filter(state=Experiment.State.RUNNING, worker__in=Worker.objects.dead()):
        taken = lifecycle.finish(
            experiment,
            Experiment.State.INTERRUPTED,
            f"Worker {experiment.worker} ended in mid-run.",
            "What was measured is kept. Resume goes on with the next cell.",
        )
        if taken:
            log.warning("worker %s ended in mid-run: experiment %s is interrupted", experiment.worker, experiment)
    leases.clear()


def take_from_ourselves() -> None:
    """Experiments that are said to run here and do not: their end could not be stored. What runs is asked last, so that
    one that begins meanwhile is in it."""
    ours = list(Experiment.objects.filter(state=Experiment.State.RUNNING, worker=pulse.worker, worker__isnull=False))
    for experiment in ours:
        if experiment.pk not in conducted.experiments():
            lifecycle.finish(
                experiment,
                Experiment.State.INTERRUPTED,
                "The database did not take how this experiment ended.",
                "What was measured is kept. Resume goes on with the next cell.",
            )
