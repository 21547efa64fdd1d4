"""The window of a night."""

from datetime import UTC, datetime, time, timedelta

from dashboard.records.schedules.cron import zone_of
from dashboard.text.numbers import duration

MINUTE = timedelta(minutes=1)


def must_end_at(due_at: datetime, ends_by: time | None, zone: str) -> datetime | None:
    """The first moment after `due_at` at which the zone's clock shows `ends_by`; None: no window. If the change to
    summer time skips that time, it is the moment of the change."""
    if ends_by is None:
        return None
    local = due_at.astimezone(zone_of(zone))
    moments = (_moment(local + timedelta(days=day), ends_by, fold) for day in (0, 1) for fold in (0, 1))
    return next(moment for moment in moments if moment > due_at)


def _moment(day: datetime, shown: time, fold: int) -> datetime:
    """`fold`: the first or second occurrence, if the clock shows that time twice."""
    wanted = datetime.combine(day.date(), shown)
    found = wanted.replace(tzinfo=day.tzinfo, fold=fold).astimezone(UTC)
    while (found - MINUTE).astimezone(day.tzinfo).replace(tzinfo=None) >= wanted:  # the clock skips this time
        found -= MINUTE
    return found


def why_too_long(start: datetime, estimate_s: float, ends_at: datetime | None) -> str:
    """Why a measurement of `estimate_s` does not fit the window; "" if it fits."""
    if ends_at is None or start + timedelta(seconds=estimate_s) <= ends_at:
        return ""
    has = (ends_at - start).total_seconds()
    return (
        f"The measurement takes about {duration(estimate_s)}, and the window leaves {duration(has)}. Nothing was "
        "started. Choose an earlier start, a later end or a smaller plan."
    )
