"""Running experiments, results, the last night and changes, for the first page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

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
MOST_NIGHTS = 200  # counted at most, of one day
MOST_TOLD = 5
A_NIGHT = timedelta(hours=24)
NOT_RUN = (Night.State.SKIPPED, Night.State.MISSED)


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
    unwatched = Schedule.objects.filter(looked_at__lt=now - GRACE).defer("plan")[:MOST_NIGHTS]
    known = Night.objects.filter(due_at__gt=now - A_NIGHT, due_at__lte=now).select_related("schedule")
    nights = list(nights_of(known).defer("schedule__plan").order_by("-due_at")[:MOST_NIGHTS])
    failed = [one for one in nights if _failed(one)]
    missed = [one for one in nights if one.state in NOT_RUN]
    open_ones = [one for one in nights if one.experiment and one.experiment.state in UNDER_WAY]
    ran = [one for one in nights if one.experiment and one.experiment.state == Experiment.State.DONE]
    told = [one for one in nights if one in failed or one in missed][:MOST_TOLD]
    late = [one for one in unwatched if _is_overdue(one, now)]
    return LastNight(len(ran), len(open_ones), len(failed), len(missed), told, late)


def _failed(night: Night) -> bool:
    return night.state == Night.State.REFUSED or bool(night.experiment and night.experiment.state in BROKEN_OFF)


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
