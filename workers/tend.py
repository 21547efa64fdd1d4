"""What a dead worker left behind, taken care of by a living one: runs every few seconds."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.fleet.models import DEAD_AFTER, Worker
from dashboard.servers.models import Preflight
from workers import debts, leases, store
from workers.sandbox.sweep import sweep

log = logging.getLogger(__name__)
UNHEARD = timedelta(seconds=20)  # a doorbell older than this was lost
PREFLIGHT_LIMIT = timedelta(minutes=2)
CLOCK_STEP_S = 5.0


def tend(ring_experiment: Callable[[int], None], ring_preflight: Callable[[int], None]) -> None:
    """Everything that somebody must do when nobody else does. A duty that fails does not keep the others waiting."""
    duties = (
        take_from_the_dead if clocks.agree() else None,
        debts.pay_all,
        _sweep,
        partial(_ring_experiments, ring_experiment),
        partial(_ring_preflights, ring_preflight),
    )
    for duty in filter(None, duties):
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
    for line in sweep(Path(settings.SANDBOX_ROOT)):
        log.warning("swept: %s", line)


def _ring_experiments(ring: Callable[[int], None]) -> None:
    for waiting in Experiment.objects.filter(state=Experiment.State.QUEUED, created_at__lt=timezone.now() - UNHEARD):
        ring(waiting.pk)


def _ring_preflights(ring: Callable[[int], None]) -> None:
    now = timezone.now()
    Preflight.objects.filter(state="running", started_at__lt=now - PREFLIGHT_LIMIT).update(state="queued")
    for unheard in Preflight.objects.filter(state="queued", asked_at__lt=now - UNHEARD):
        ring(unheard.pk)


def take_from_the_dead() -> None:
    """Experiments of dead workers are interrupted; their running cells too; their leases are returned."""
    dead = Worker.objects.filter(Q(ended_at__isnull=False) | Q(beat_at__lt=timezone.now() - DEAD_AFTER))
    for experiment in Experiment.objects.filter(state=Experiment.State.RUNNING, worker__in=dead):
        store.finish(
            experiment,
            experiment.worker,
            Experiment.State.INTERRUPTED,
            f"Worker {experiment.worker} ended in mid-run.",
            "What was measured is kept. Resume goes on with the next cell.",
        )
    leases.clear()
