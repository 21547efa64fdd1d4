"""Measures a suspected change again: the same plan, as an extra night of its schedule with the rights, confirmation and
window of the schedule. An experiment without a schedule is not repeated."""

from collections.abc import Callable
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from dashboard.records.history.models import Change
from dashboard.records.history.queries import standing
from dashboard.records.schedules import actions, window
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.schedules.queries import under_way
from workers.bench.review import estimate_s
from workers.errors import DurascopeError

NEXT = "The next measurement decides."
UNSCHEDULED = f"No schedule measured it, so it is not measured again automatically. {NEXT}"
PAUSED = f"Its schedule is paused. {NEXT}"
TOO_LATE = f"A second measurement does not fit the window of its schedule. {NEXT}"
TWICE = f"Another change was being measured again at that time. {NEXT}"


def measure_again(now: datetime, notify: Callable[[int], None]) -> None:
    """One repetition for all changes that are suspected since the same experiment."""
    wanted = _open().values_list("found_with__experiment", flat=True).distinct()
    for experiment_id in list(wanted):
        if started := _again(experiment_id, now):
            notify(started)


def _open() -> QuerySet[Change]:
    return standing().filter(state=Change.State.SUSPECTED, rerun=None, problem="").order_by()


@transaction.atomic
def _again(experiment_id: int, now: datetime) -> int | None:
    night = Night.objects.filter(experiment=experiment_id).select_related("schedule__runs_as").first()
    suspected = _open().filter(found_with__experiment=experiment_id)
    if night:
        Schedule.objects.select_for_update().get(pk=night.schedule_id)  # a second process waits here
        if under_way(night.schedule):
            return None
    if not suspected.exists():
        return None
    problem, started = _start(night, now) if night else (UNSCHEDULED, None)
    suspected.update(problem=problem, rerun=started)
    return started


def _start(night: Night, now: datetime) -> tuple[str, int | None]:
    """(Reason, None), or ("", id of the experiment)."""
    if problem := _why_not(night, now):
        return problem, None
    try:
        begun = actions.begin(night.schedule, now, night.schedule.runs_as, ends_at=night.must_end_at)
    except (DurascopeError, PermissionDenied) as refused:
        return f"It could not be measured again: {refused} {NEXT}", None
    return ("", begun.pk) if begun else (TWICE, None)


def _why_not(night: Night, now: datetime) -> str:
    if night.schedule.paused_at:
        return PAUSED
    if Change.objects.filter(rerun=night.experiment_id).exists():
        return TWICE
    late = window.why_too_long(now, estimate_s(night.schedule.as_plan()), night.must_end_at)
    return TOO_LATE if late else ""
