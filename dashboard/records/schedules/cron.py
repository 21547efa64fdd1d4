"""Due times of schedules: cron expressions with five fields in a time zone. No clock: the caller passes the time.

Clock changes follow Debian's cron (and cronsim): an expression with a fixed hour runs exactly once a day. If the change
to summer time skips the time, it is due when the clock jumps (02:30 becomes 03:00). If a time occurs twice in autumn,
it is due the first time. Expressions with a star for hour or minute follow real time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

LEAST_APART = timedelta(minutes=15)
LOOKED_AT = 60  # runs that are checked for their distance
FIX = "Write five fields: minute, hour, day of month, month, day of week. 30 2 * * * is 02:30 each night."


class NoSchedule(ValueError):
    """The expression or the time zone is not valid. The message gives the reason and the fix."""


@cache
def zones() -> list[str]:
    """Names of time zones as people know them: UTC first, then Africa/Abidjan to Pacific/Wallis."""
    places = (name for name in available_timezones() if not name.startswith(("Etc/", "posix/", "right/", "SystemV/")))
    return ["UTC", *sorted(name for name in places if "/" in name)]


def zone_of(name: str) -> ZoneInfo:
    """Raises NoSchedule."""
    if name not in zones():
        raise NoSchedule(f"{name[:60]!r} is not a time zone. Choose one from the list, for example Europe/Berlin.")
    return ZoneInfo(name)


def check(cron: str, zone: str, now: datetime) -> None:
    """Raises NoSchedule if the expression is not valid, never occurs, or occurs too often."""
    coming = list(islice(runs(cron, zone, now), LOOKED_AT))
    if not coming:
        raise NoSchedule(f"{cron!r} never occurs: there is no such day. {FIX}")
    if any(later - earlier < LEAST_APART for earlier, later in pairwise(coming)):
        raise NoSchedule(
            f"{cron!r} occurs more often than every 15 minutes: measurements would overlap. Choose a longer interval."
        )


def runs(cron: str, zone: str, after: datetime) -> Iterator[datetime]:
    """The times after `after`, in UTC, ascending. Raises NoSchedule."""
    found = _parsed(cron, after.astimezone(zone_of(zone)))
    # In the hour that occurs twice, cronsim names a time again whose first occurrence is over.
    return (due for due in (one.astimezone(UTC) for one in found) if due > after)


def due(cron: str, zone: str, after: datetime, until: datetime) -> Iterator[datetime]:
    """The times in (after, until], ascending. Raises NoSchedule."""
    return takewhile(lambda one: one <= until, runs(cron, zone, after))


def in_words(cron: str) -> str:
    """At 02:30 on Monday through Friday. Raises NoSchedule."""
    return _parsed(cron, datetime(2000, 1, 1, tzinfo=UTC)).explain()


def _parsed(cron: str, after: datetime) -> CronSim:
    if len(cron.split()) != 5:  # cronsim accepts a sixth field for seconds
        raise NoSchedule(f"{cron[:60]!r} has {len(cron.split())} fields instead of five. {FIX}")
    try:
        return CronSim(cron, after)
    except CronSimError as wrong:
        reason = str(wrong)
        raise NoSchedule(f"{cron[:60]!r} is no cron expression: {reason[:1].lower()}{reason[1:]}. {FIX}") from wrong
