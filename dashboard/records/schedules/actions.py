"""Make, change, confirm, pause and run a schedule: one function each."""

from dataclasses import dataclass, replace
from datetime import datetime, time
from secrets import randbelow

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.queries import candidates
from dashboard.records.experiments.rights import why_not_crash
from dashboard.records.refused import Refused
from dashboard.records.schedules import cron, queries, window
from dashboard.records.schedules.models import Night, Schedule
from workers.bench.plan import Plan
from workers.bench.review import estimate_s, problems
from workers.errors import PlanError

MOST_SEED = 2**31
UNCONFIRMED: dict[str, object] = {"confirmed_by": None, "confirmed_at": None, "confirmed_servers": []}


@dataclass(frozen=True)
class When:
    """The fields of a schedule that can change. Its plan is fixed, so that its nights can be compared."""

    name: str
    cron: str
    zone: str
    ends_by: time | None


@transaction.atomic
def make(user: User, when: When, plan: Plan, *, recipe: str = "", size: str = "") -> Schedule:
    """Raises Refused for a plan that cannot run or does not fit its window."""
    require(user, "schedule")
    wrong = problems(plan, candidates(plan), production_confirmed=True) + why_not_crash(plan, user)
    if wrong:
        raise Refused("\n".join(wrong))
    now = timezone.now()
    _must_fit(when, plan, now)
    made = Schedule.objects.create(
        **vars(when), plan=plan.as_dict(), recipe=recipe, recipe_size=size, runs_as=user, looked_at=now
    )
    record(user, "scheduled", made, cron=when.cron, zone=when.zone, servers=made.server_names)
    return made


@transaction.atomic
def change(user: Actor, schedule: Schedule, when: When) -> None:
    """From now on it runs with this person's rights. A new time ends the confirmation of production servers."""
    require(user, "schedule")
    plan, now = schedule.as_plan(), timezone.now()
    if wrong := why_not_crash(plan, user):
        raise Refused("\n".join(wrong))
    _must_fit(when, plan, now)
    changed = [name for name, value in vars(when).items() if getattr(schedule, name) != value]
    fields: dict[str, object] = {**vars(when), "runs_as": user}
    if set(changed) - {"name"}:
        fields |= {"looked_at": now, **UNCONFIRMED}
    Schedule.objects.filter(pk=schedule.pk).update(**fields)
    record(user, "changed schedule", when.name, fields=changed)


def _must_fit(when: When, plan: Plan, now: datetime) -> None:
    first = next(cron.runs(when.cron, when.zone, now))
    ends_at = window.must_end_at(first, when.ends_by, when.zone)
    if too_long := window.why_too_long(first, estimate_s(plan), ends_at):
        raise Refused(too_long)


@transaction.atomic
def confirm(user: Actor, schedule: Schedule) -> None:
    """Allow its nights to load production servers, as long as this person has that right."""
    require(user, "confirm_schedules")
    servers = queries.production(schedule)
    for server in servers:
        require(user, "confirm_schedules", server)
    fields = {"confirmed_at": timezone.now(), "confirmed_servers": [server.pk for server in servers]}
    Schedule.objects.filter(pk=schedule.pk).update(confirmed_by=user, **fields)
    record(user, "confirmed nights", schedule, servers=[server.name for server in servers])


@transaction.atomic
def withdraw(user: Actor, schedule: Schedule) -> None:
    require(user, "schedule")
    if Schedule.objects.filter(pk=schedule.pk).exclude(confirmed_by=None).update(**UNCONFIRMED):
        record(user, "withdrew nights", schedule)


@transaction.atomic
def pause(user: Actor, schedule: Schedule) -> None:
    """No night starts until a person resumes it. A running experiment continues."""
    require(user, "schedule")
    if Schedule.objects.filter(pk=schedule.pk, paused_at=None).update(paused_at=timezone.now()):
        record(user, "paused schedule", schedule)


@transaction.atomic
def resume(user: Actor, schedule: Schedule) -> None:
    """Due times during the pause do not count as missed nights."""
    require(user, "schedule")
    paused = Schedule.objects.filter(pk=schedule.pk, paused_at__isnull=False)
    if paused.update(paused_at=None, looked_at=timezone.now()):
        record(user, "resumed schedule", schedule)


@transaction.atomic
def remove(user: Actor, schedule: Schedule) -> None:
    """Its experiments stay."""
    require(user, "schedule")
    record(user, "deleted schedule", schedule, nights=schedule.nights.count())
    schedule.delete()


def run_now(user: Actor, schedule: Schedule) -> Experiment:
    """Start a night now and notify the workers. Raises Refused, PlanError, or QueueDown (stored, waiting)."""
    experiment = begin_now(user, schedule)
    experiments.notify_workers(experiment.pk)
    return experiment


@transaction.atomic
def begin_now(user: Actor, schedule: Schedule) -> Experiment:
    """With the rights of the person who asks, and without a window: it waits for a busy server like any experiment.
    Raises Refused and PlanError."""
    require(user, "schedule")
    Schedule.objects.select_for_update().get(pk=schedule.pk)  # a second click waits here
    if under_way := queries.under_way(schedule):
        raise Refused(f"{under_way} is under way. Wait for its end, or cancel it. Nothing was started.")
    begun = begin(schedule, timezone.now(), user, asked_by=user)
    if begun is None:
        raise Refused("A run started at this moment already. Nothing was started. Try again.")
    return begun


@transaction.atomic
def begin(
    schedule: Schedule, due_at: datetime, user: Actor, *, ends_at: datetime | None = None, asked_by: Actor = None
) -> Experiment | None:
    """Create a night and its experiment, both or neither. None if this time already has its night. Raises PlanError and
    NotAllowed; then no night is stored."""
    fields = {"state": Night.State.STARTED, "must_end_at": ends_at, "asked_by": account(asked_by)}
    night, is_new = Night.objects.get_or_create(schedule=schedule, due_at=due_at, defaults=fields)
    if not is_new:
        return None
    if unconfirmed := queries.unconfirmed(schedule):
        raise PlanError(
            f"{unconfirmed} is labelled production, and scheduled load on it is not confirmed.",
            "Ask its owner or an administrator to confirm it on the page of the schedule.",
        )
    night.experiment = experiments.create(
        _tonight(schedule, due_at),
        user,
        recipe=schedule.recipe,
        size=schedule.recipe_size,
        production_confirmed=schedule.confirmed_by_id is not None,
    )
    night.save(update_fields=["experiment"])
    record(asked_by, "started night", schedule, experiment=night.experiment.pk)
    return night.experiment


def _tonight(schedule: Schedule, due_at: datetime) -> Plan:
    """The plan with the name and seed of this night. A new order each night prevents that the same cells always run
    late."""
    local = due_at.astimezone(cron.zone_of(schedule.zone))
    name = f"{schedule.name}, {local:%Y-%m-%d %H:%M}"
    return replace(schedule.as_plan(), name=name, seed=randbelow(MOST_SEED))
