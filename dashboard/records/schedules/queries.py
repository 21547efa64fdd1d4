"""Schedules as pages and the nightly round read them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from dashboard.records.accounts.roles import allowed
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.schedules import cron
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server

GRACE = timedelta(minutes=10)  # a night that could not start within this is missed
COMING = 5


@dataclass(frozen=True)
class DueTimes:
    """The due times of a schedule; `problem`: why they cannot be computed."""

    says: str
    next: list[datetime]
    overdue: datetime | None
    problem: str = ""


@dataclass(frozen=True)
class ScheduleLine:
    schedule: Schedule
    times: DueTimes
    last: Night | None
    unconfirmed: str

    @property
    def coming(self) -> str:
        return written(self.times.next[0], self.schedule.zone) if self.times.next else ""


def times(schedule: Schedule, now: datetime) -> DueTimes:
    try:
        coming = list(islice(cron.runs(schedule.cron, schedule.zone, now), COMING))
        return DueTimes(cron.in_words(schedule.cron), coming, overdue(schedule, now))
    except cron.NoSchedule as wrong:
        return DueTimes(schedule.cron, [], None, str(wrong))


def lines(schedules: Iterable[Schedule], now: datetime) -> list[ScheduleLine]:
    """The same number of queries for any number of schedules."""
    newest = Night.objects.filter(schedule=OuterRef("pk")).order_by("-due_at")
    wanted = Schedule.objects.filter(pk__in=[one.pk for one in schedules]).select_related("confirmed_by__person")
    found = list(wanted.annotate(last=Subquery(newest.values("pk")[:1])))
    nights = nights_of(Night.objects.filter(pk__in=[one.last for one in found])).in_bulk()
    open_names = unconfirmed_of(found)
    return [ScheduleLine(one, times(one, now), nights.get(one.last), open_names[one.pk]) for one in found]


def next_runs(expression: str, zone: str, now: datetime) -> list[str]:
    """The next five times in the zone's clock. Raises NoSchedule."""
    return [written(run, zone) for run in islice(cron.runs(expression, zone, now), COMING)]


def written(moment: datetime, zone: str) -> str:
    return f"{moment.astimezone(cron.zone_of(zone)):%a %d %b %Y, %H:%M %Z}"


def overdue(schedule: Schedule, now: datetime) -> datetime | None:
    """The first due time without a night: no process looked since, so worker or beat is down."""
    if schedule.paused_at:
        return None
    return next(cron.due(schedule.cron, schedule.zone, schedule.looked_at, now - GRACE), None)


def nights_of(rows: QuerySet[Night]) -> QuerySet[Night]:
    """With their experiments, without the large columns. Nights of deleted experiments have none."""
    shown = Experiment.objects.defer("plan", "analysis", "claims", "outcomes")
    return rows.select_related("asked_by").prefetch_related(Prefetch("experiment", shown))


def under_way(schedule: Schedule) -> Experiment | None:
    return Experiment.objects.filter(night__schedule=schedule, state__in=UNDER_WAY).first()


def under_way_of(schedules: Iterable[Schedule]) -> dict[int, int]:
    """Schedule -> the newest experiment of it that waits or runs."""
    found = Experiment.objects.filter(night__schedule__in=schedules, state__in=UNDER_WAY).order_by("created_at")
    return dict(found.values_list("night__schedule_id", "pk"))


def production(schedule: Schedule) -> list[Server]:
    return list(_production(schedule.server_ids).values())


def _production(ids: Collection[int]) -> dict[int, Server]:
    return Server.objects.filter(label=Server.Label.PRODUCTION).in_bulk(ids)


def unconfirmed(schedule: Schedule) -> str:
    """The name of a production server without a valid confirmation of nightly load; "" if there is none."""
    return unconfirmed_of([schedule])[schedule.pk]


def unconfirmed_of(schedules: Collection[Schedule]) -> dict[int, str]:
    """The same of each schedule, with one query for all."""
    loaded = _production({pk for one in schedules for pk in one.server_ids})
    found: dict[int, str] = {}
    for one in schedules:
        servers = (loaded[pk] for pk in one.server_ids if pk in loaded)
        found[one.pk] = next((server.name for server in servers if not _is_confirmed(one, server)), "")
    return found


def _is_confirmed(schedule: Schedule, server: Server) -> bool:
    """The person who confirmed must still have the right. (None would be the command line, which may do everything.)"""
    who = schedule.confirmed_by
    return who is not None and server.pk in schedule.confirmed_servers and allowed(who, "confirm_schedules", server)
