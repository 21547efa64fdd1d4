"""Updates the history once a minute: notes ended experiments, decides suspected changes, finds new ones, and measures
them again. Headlines that an older version stored are written in today's words. All state is in the database, so the
next round completes the work of a killed process."""

import logging
import time
from collections.abc import Callable
from datetime import datetime

from django.db import OperationalError
from django.db.models import QuerySet

from dashboard.findings import conclusion
from dashboard.history import again, changes, entries
from dashboard.records.experiments.models import WORDS, Experiment
from dashboard.records.history import queries
from dashboard.records.history.models import Track

log = logging.getLogger(__name__)
AT_ONCE = 50  # tracks that are searched together
ROUND_S = 4.0  # of each minute; the rest waits for the next round, so that other duties of the worker do not


def keep(now: datetime, notify: Callable[[int], None], here: str = "", round_s: float = ROUND_S) -> bool:
    """One round. Returns whether nothing is left to do. `here`: the name of this host; nothing is computed while an
    experiment runs on it."""
    if here and Experiment.objects.filter(state=Experiment.State.RUNNING, worker__host=here).exists():
        return False
    until = time.monotonic() + round_s
    if not _each(queries.not_noted(), _note, until):
        return False
    changes.judge(now)
    done = _look_at_all(now, until)
    again.measure_again(now, notify)
    # The newest first. Last in a round, because tens of thousands take many rounds.
    return _each(conclusion.in_old_words().order_by("-pk"), _tell, until) and done


def _each(waiting: QuerySet[Experiment], act: Callable[[Experiment], None], until: float) -> bool:
    """Whether there was time for all that are waiting."""
    for pk in list(waiting.values_list("pk", flat=True)):
        if time.monotonic() > until:
            return False
        if experiment := waiting.filter(pk=pk).first():  # else resumed or deleted meanwhile
            act(experiment)
    return True


def _note(experiment: Experiment) -> None:
    """An experiment of an old version may be unreadable. It must not block the others."""
    try:
        entries.note(experiment)
    except OperationalError:  # a fault of the database: the next round notes it
        log.exception("history of experiment %s", experiment.pk)
    except Exception as failure:
        log.exception("history of experiment %s", experiment.pk)
        entries.mark(experiment, f"{type(failure).__name__}: {failure}")


def _tell(experiment: Experiment) -> None:
    """One that cannot be written again stays as it is."""
    try:
        conclusion.remember(experiment)
    except Exception:
        log.exception("headline of experiment %s", experiment.pk)
        Experiment.objects.filter(pk=experiment.pk).update(finding_words=WORDS)


def _look_at_all(now: datetime, until: float) -> bool:
    every = list(Track.objects.filter(unlooked=True).order_by("pk"))
    for tracks in (every[start : start + AT_ONCE] for start in range(0, len(every), AT_ONCE)):
        if time.monotonic() > until:
            return False
        changes.look(tracks, now)
    return True
