"""Starts the nights of schedules, once a minute. Each due time since the last round gets exactly one night, even if
several processes run this. It stops experiments at the end of their window and reports outcomes. The caller passes the
time as `now`."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cached_property, partial

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet

from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments import leases
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.queries import at_site
from dashboard.records.experiments.states import OVER, UNDER_WAY
from dashboard.records.fleet import installation, sites
from dashboard.records.schedules import actions, cron, news, queries, window
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server
from workers.bench.review import estimate_s
from workers.errors import DurascopeError, NewerPlan

log = logging.getLogger(__name__)
NOTED_EVERY = timedelta(minutes=5)  # that nothing was due; less than queries.GRACE
MISSED_SINCE = timedelta(days=31)  # older missed nights are not listed
MISSED = (
    "It did not start within 10 minutes of its time: the machine, the worker or the scheduler was down, or every "
    "attempt failed (see the worker's log). It is not repeated. Run it by hand if you need it."
)
Reach = Callable[[Server], str]
Notify = Callable[[int], None]
NotifySite = Callable[[int, str], None]


class Busy:
    def why(self, servers: Iterable[Server]) -> str:
        """The other experiment that uses or waits for a host of these servers; "" if there is none."""
        wanted = set().union(*map(leases.hosts_of, servers))
        if other := next((self._users[name] for name in sorted(wanted) if name in self._users), None):
            return f"The server's host was busy: {other} was {other.get_state_display()} there."
        if lease := leases.lease_on(wanted):
            return f"The server's host was busy: the changes of {lease.experiment} were being restored."
        return ""

    def with_begun(self, experiment: Experiment | None) -> Experiment | None:
        """From now on the hosts of this experiment are busy too."""
        if experiment:
            self._users.update(_used([experiment]))
        return experiment

    @cached_property
    def _users(self) -> dict[str, Experiment]:
        under_way = Experiment.objects.filter(state__in=UNDER_WAY).order_by("-pk")
        return _used(at_site(settings.SITE, under_way).defer("analysis", "claims", "outcomes"))


def watch(now: datetime, notify: Notify, reach: Reach, notify_site: NotifySite | None = None) -> None:
    """One round. A schedule that fails does not stop the others and is tried again in the next round. Workers of
    another site look at the schedules of that site: `notify_site` notifies them."""
    if installation.is_held():
        return
    busy, watched = Busy(), list(_watched())
    wanted = [schedule for schedule in watched if _needs_a_look(schedule, now)]
    calm = {schedule.pk for schedule in watched} - {schedule.pk for schedule in wanted}
    Schedule.objects.filter(pk__in=calm, looked_at__lt=now - NOTED_EVERY).update(looked_at=now)
    elsewhere = _elsewhere(wanted) if notify_site else {}
    for schedule in wanted:
        if notify_site and (site := elsewhere.get(schedule.pk)):
            _tried(partial(notify_site, schedule.pk, site), schedule)
        else:
            _tried(partial(_look_at, schedule, now, notify, reach, busy), schedule)
    for night in _to_end(now):
        _tried(partial(_end, night, now), night)


def look(schedule_id: int, now: datetime, notify: Notify, reach: Reach) -> None:
    """The part of `watch` for a worker on the servers' site."""
    if installation.is_held():
        return
    for schedule in _watched().filter(pk=schedule_id):
        _look_at(schedule, now, notify, reach, Busy())


def _watched() -> QuerySet[Schedule]:
    return Schedule.objects.filter(paused_at=None).select_related("runs_as", "confirmed_by")


def _needs_a_look(schedule: Schedule, now: datetime) -> bool:
    """Something is due, or its times cannot be read, or the clock was put back. The others cost no query."""
    try:
        return schedule.looked_at > now or any(cron.due(schedule.cron, schedule.zone, schedule.looked_at, now))
    except cron.NoSchedule:
        return True


def _to_end(now: datetime) -> QuerySet[Night]:
    """Open nights whose experiment is over, gone, or at the end of its window."""
    ended = Q(experiment=None) | Q(experiment__state__in=OVER) | Q(must_end_at__lte=now)
    return Night.objects.filter(ended, closed_at=None).select_related("schedule", "experiment")


def _elsewhere(schedules: Iterable[Schedule]) -> dict[int, str]:
    """Schedule id -> the site of its servers, if it is another one and has a living worker. Two queries for all."""
    servers = {schedule.pk: schedule.server_ids for schedule in schedules}
    known = Server.objects.filter(pk__in={pk for ids in servers.values() for pk in ids})
    sites_of = dict(known.values_list("pk", "site"))
    others = sites.manned() - {settings.SITE}
    found = {key: next((sites_of[pk] for pk in ids if pk in sites_of), "") for key, ids in servers.items()}
    return {key: site for key, site in found.items() if site in others}


def _tried(duty: Callable[[], object], of: object) -> None:
    try:
        duty()
    except Exception:
        log.exception("nights: %s", of)


def _look_at(schedule: Schedule, now: datetime, notify: Notify, reach: Reach, busy: Busy) -> None:
    since = max(schedule.looked_at, now - MISSED_SINCE)
    due = list(cron.due(schedule.cron, schedule.zone, since, now))
    late = [one for one in due if now - one > queries.GRACE]
    _miss(schedule, late, now)
    for one in due[len(late) :]:
        if experiment := _start(schedule, one, now, reach, busy):
            notify(experiment.pk)
    # Backwards too, after a fast clock was corrected: the rows of nights prevent a second start. A schedule that was
    # changed meanwhile keeps its own time.
    Schedule.objects.filter(pk=schedule.pk, looked_at=schedule.looked_at).update(looked_at=now)


@transaction.atomic
def _miss(schedule: Schedule, times: list[datetime], now: datetime) -> None:
    """One message for all of them: after a week off there are many."""
    new = [night for due_at in times if (night := _note(schedule, due_at, Night.State.MISSED, MISSED, now))]
    if new:
        news.tell_missed(schedule, new)


def _start(schedule: Schedule, due_at: datetime, now: datetime, reach: Reach, busy: Busy) -> Experiment | None:
    """The experiment that was started. None if nothing was started, or if another process was faster."""
    if Night.objects.filter(schedule=schedule, due_at=due_at).exists():  # its servers need not be asked again
        return None
    ends_at = window.must_end_at(due_at, schedule.ends_by, schedule.zone)
    try:
        state, reason = _why_not(schedule, now, ends_at, reach, busy)
        if not state:
            return busy.with_begun(actions.begin(schedule, due_at, schedule.runs_as, ends_at=ends_at))
    except NewerPlan:  # this worker is the old one: a newer worker looks in the next round
        raise
    except (DurascopeError, PermissionDenied) as refused:
        state, reason = Night.State.REFUSED, str(refused)
    except Server.DoesNotExist:
        state = Night.State.REFUSED
        reason = "A server of its plan was deleted. Delete the schedule and create a new one."
    with transaction.atomic():
        if night := _note(schedule, due_at, state, reason, now):
            news.tell(night)
    return None


def _why_not(schedule: Schedule, now: datetime, ends_at: datetime | None, reach: Reach, busy: Busy) -> tuple[str, str]:
    """(state, reason); both empty if the night can start."""
    needs_s = estimate_s(schedule.as_plan())
    if too_long := window.why_too_long(now, needs_s, ends_at):
        return Night.State.REFUSED, too_long
    servers = [Server.objects.get(pk=key) for key in schedule.server_ids]
    if away := [
        said for server in servers if server.site != settings.SITE and (said := sites.no_worker_message(server.site))
    ]:
        return Night.State.SKIPPED, away[0]
    if used := busy.why(servers):
        return Night.State.SKIPPED, used
    silent = (f"{server} cannot be reached: {why}" for server in servers if (why := reach(server)))
    return next(((Night.State.SKIPPED, why) for why in silent), ("", ""))


def _note(schedule: Schedule, due_at: datetime, state: str, reason: str, now: datetime) -> Night | None:
    """A night without a measurement; None if this time already has its night."""
    fields = {"state": state, "reason": reason, "closed_at": now}
    night, is_new = Night.objects.get_or_create(schedule=schedule, due_at=due_at, defaults=fields)
    return night if is_new else None


def _end(night: Night, now: datetime) -> None:
    _keep_window(night, now)
    _close(night, now)


def _keep_window(night: Night, now: datetime) -> None:
    """Stop an experiment at the end of its window. Its results are kept and its servers are restored."""
    if night.must_end_at is None or now < night.must_end_at or night.experiment is None or night.experiment.is_over:
        return
    began = "It was not finished" if night.experiment.started_at else "No worker had begun it"
    reason = f"{began} when its window ended, {queries.written(night.must_end_at, night.schedule.zone)}: cancelled."
    with transaction.atomic():
        Night.objects.filter(pk=night.pk, reason="").update(reason=reason)
        experiments.cancel(night.experiment, None)
    night.refresh_from_db()


@transaction.atomic
def _close(night: Night, now: datetime) -> None:
    """Report the outcome of a night once, when its experiment is over. One that ended by itself just before its window
    has no reason."""
    if night.experiment and not night.experiment.is_over:
        return
    if night.experiment and night.experiment.state != Experiment.State.CANCELLED:
        night.reason = ""
    if Night.objects.filter(pk=night.pk, closed_at=None).update(closed_at=now, reason=night.reason):
        news.tell(night)


def _used(experiments: Iterable[Experiment]) -> dict[str, Experiment]:
    """Host -> the experiment that uses it; of several the last one here."""
    targets = {one: one.server_ids for one in experiments}
    wanted = {pk for ids in targets.values() for pk in ids}
    here = Server.objects.filter(pk__in=wanted, site=settings.SITE)  # another site's names differ
    hosts = {server.pk: leases.hosts_of(server) for server in here}
    return {name: one for one, ids in targets.items() for pk in ids for name in hosts.get(pk, ())}
