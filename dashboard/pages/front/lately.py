"""Running experiments, results, the last night and changes, for the first page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from dashboard.pages.history.page import in_words
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.states import BROKEN_OFF, OVER, UNDER_WAY
from dashboard.records.history.models import Change
from dashboard.records.schedules import cron
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.schedules.queries import GRACE, nights_of, overdue

MOST_RUNNING = 8
MOST_RESULTS = 8
MOST_CHANGES = 5
MOST_OVERDUE = 200
MOST_TOLD = 5
A_NIGHT = timedelta(hours=24)
COUNTED = {
    "ran": Q(experiment__state=Experiment.State.DONE),
    "under_way": Q(experiment__state__in=UNDER_WAY),
    "failed": Q(state=Night.State.REFUSED) | Q(experiment__state__in=BROKEN_OFF),
    "missed": Q(state__in=(Night.State.SKIPPED, Night.State.MISSED)),
}


@dataclass(frozen=True)
class LastNight:
    """Counts of the nights of the last 24 hours by outcome; `told`: the newest failed or missed nights."""

    ran: int
    under_way: int
    failed: int
    missed: int
    told: Sequence[Night]
    overdue: Sequence[Schedule]

    @property
    def is_quiet(self) -> bool:
        """Nothing was due."""
        return not (self.ran or self.under_way or self.failed or self.missed or self.overdue)


def running() -> list[Experiment]:
    return queries.with_progress(queries.listed().filter(state__in=UNDER_WAY)[:MOST_RUNNING])


def results() -> list[Experiment]:
    return queries.with_progress(queries.listed().filter(state__in=OVER)[:MOST_RESULTS])


def last_night(now: datetime) -> LastNight | None:
    """None without a schedule."""
    if not Schedule.objects.exists():
        return None
    unwatched = Schedule.objects.filter(looked_at__lt=now - GRACE).defer("plan")[:MOST_OVERDUE]
    nights = Night.objects.filter(due_at__gt=now - A_NIGHT, due_at__lte=now)
    nights = nights.exclude(experiment__in=Experiment.deleted.ids())
    counts = nights.aggregate(**{name: Count("pk", filter=which) for name, which in COUNTED.items()})
    told = nights_of(nights.filter(COUNTED["failed"] | COUNTED["missed"]).select_related("schedule"))
    newest = list(told.defer("schedule__plan").order_by("-due_at")[:MOST_TOLD])
    late = [one for one in unwatched if _is_overdue(one, now)]
    return LastNight(**counts, told=newest, overdue=late)


def _is_overdue(schedule: Schedule, now: datetime) -> bool:
    """False for a schedule with an invalid time; its own page reports that."""
    try:
        return overdue(schedule, now) is not None
    except cron.NoSchedule:
        return False


def changes() -> list[dict[str, object]]:
    """The newest confirmed changes, in words."""
    confirmed = Change.objects.filter(state=Change.State.CONFIRMED).select_related("track__server", "first")
    return [in_words(one) for one in confirmed.order_by("-first__at", "pk")[:MOST_CHANGES]]
