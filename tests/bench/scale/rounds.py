"""How long the duties take that workers and beat repeat: schedules, history, heartbeats, housekeeping, retention."""

import time
from collections.abc import Callable
from datetime import timedelta

LIMIT_S = 5.0
AT_ONE_MINUTE = 100  # of the schedules that are due when the worst minute is measured, so many of this site


def measure() -> None:
    """Duties that find nothing to do come first; then those of the worst minute of a night."""
    from django.conf import settings
    from django.utils import timezone

    from dashboard.history import update
    from dashboard.pages.monitoring import figures, views
    from dashboard.records.retention.thin_out import would_thin
    from dashboard.records.schedules import nights
    from workers.upkeep import housekeeping, restores
    from workers.upkeep.heartbeat import Heartbeat

    settings.SITE, now, heart = "site-00", timezone.now(), Heartbeat()
    quiet = now.replace(hour=1, minute=0)
    _prepare(quiet)
    heart.start()

    def watch(at: object) -> Callable[[], object]:
        return lambda: nights.watch(at, _nobody, lambda _: "", lambda *_: None)

    print("duty                                     seconds  queries")
    _one("schedules, none due", watch(quiet + timedelta(minutes=1)))
    _one("history, what an earlier night left", lambda: update.keep(now, _nobody, round_s=3600))
    _one("history, nothing new", lambda: update.keep(now, _nobody, round_s=60))
    _one("heartbeat", heart.beat)
    _one("housekeeping", lambda: housekeeping.run(_nobody, _nobody))
    _one("pending restores", restores.restore_all)
    _one("what is due for retention", lambda: would_thin(now, settings.KEEP_DAYS))
    _one("metrics, as text", lambda: views.text(figures.told()))
    due = quiet.replace(hour=2, minute=30) + timedelta(seconds=5)
    _one("schedules, 1,000 due at 100 sites", watch(due))
    _all_here()
    _one(f"schedules, {AT_ONE_MINUTE} due at one site", watch(due))
    _one("housekeeping, with those queued", lambda: housekeeping.run(_nobody, _nobody))
    _end_them()
    _one("history, with those ended", lambda: update.keep(timezone.now(), _nobody, round_s=3600))
    heart.stop()


def _nobody(_: object) -> None:
    """No worker is notified."""


def _one(name: str, duty: Callable[[], object]) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        began = time.perf_counter()
        duty()
        took_s = time.perf_counter() - began
    slowest = max(queries.captured_queries, key=lambda one: float(one["time"]), default={"time": "0", "sql": ""})
    over = "" if took_s <= LIMIT_S else f"  over the goal; slowest query {slowest['time']} s: {slowest['sql'][:150]}"
    print(f"{name:40} {took_s:7.2f} {len(queries):8}{over}", flush=True)


def _prepare(quiet: object) -> None:
    """As after a quiet minute. What an earlier measurement started is gone, and all headlines are in today's words."""
    from dashboard.records.experiments.models import WORDS, Experiment
    from dashboard.records.experiments.states import UNDER_WAY
    from dashboard.records.schedules.models import Night, Schedule

    Night.objects.filter(due_at__gte=quiet).delete()
    Experiment.objects.filter(state__in=UNDER_WAY).delete()
    Experiment.objects.update(finding_words=WORDS)
    Schedule.objects.update(looked_at=quiet)


def _all_here() -> None:
    """Give the servers of some schedules to this site, in turn with hosts of their own."""
    from django.conf import settings

    from dashboard.records.schedules.models import Schedule
    from dashboard.records.servers.models import Server

    some = list(Schedule.objects.order_by("pk")[:AT_ONE_MINUTE])
    Server.objects.filter(pk__in=[pk for one in some for pk in one.server_ids]).update(site=settings.SITE)
    Schedule.objects.exclude(pk__in=[one.pk for one in some]).update(paused_at=None)


def _end_them() -> None:
    from django.utils import timezone

    from dashboard.records.experiments.models import Experiment

    now = timezone.now()
    queued = Experiment.objects.filter(state=Experiment.State.QUEUED)
    queued.update(state=Experiment.State.DONE, started_at=now, ended_at=now)
