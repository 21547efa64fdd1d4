"""Schedules to vary, and a clock of their own: nothing here looks at the real one."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Cell, Environment, Experiment, Trial
from dashboard.records.schedules import nights
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers.models import Server
from tests.unit.bench.plans import plan
from workers.bench.plan import PlanTarget

EVENING = datetime(2026, 6, 10, 20, 0, tzinfo=UTC)
DUE = datetime(2026, 6, 11, 2, 30, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def somebody(name="dba", role=Role.OPERATOR, password: str | None = "a long test password") -> User:
    user = User.objects.create_user(name, password=password)
    Person.objects.filter(user=user).update(role=role)
    return User.objects.get(pk=user.pk)


def sandbox(name="box") -> Server:
    return Server.objects.create(name=name, kind="sandbox", build="system-mariadb")


def attached(name="db1", **fields) -> Server:
    return Server.objects.create(name=name, kind="attached", **{"host": "192.0.2.7", "user": "u", **fields})


def small_plan(server, **changes):
    return plan(targets=(PlanTarget(server.pk, server.name, server.is_sandbox),), **changes)


def schedule(server=None, user=None, **fields) -> Schedule:
    server = server or sandbox()
    given = {"name": "nightly", "cron": "30 2 * * *", "zone": "UTC", "looked_at": EVENING, **fields}
    given.setdefault("plan", small_plan(server).as_dict())
    return Schedule.objects.create(runs_as=user or somebody(), **given)


def watch(now, reach=lambda server: ""):
    """One round; the experiments that workers were notified of."""
    notified = []
    nights.watch(now, notified.append, reach)
    return notified


def ended(night, state="done", **fields) -> Experiment:
    """Its experiment is over."""
    Experiment.objects.filter(pk=night.experiment_id).update(state=state, **fields)
    night.experiment.cells.update(state=Cell.State.DONE)
    return Experiment.objects.get(pk=night.experiment_id)


def trial(night, verdict, variant="1/1", kind="power-loss") -> Trial:
    environment = Environment.objects.get_or_create(digest="d", defaults={"data": {}})[0]
    return Trial.objects.create(
        experiment=night.experiment,
        server_id=night.schedule.server_ids[0],
        position=Trial.objects.count(),
        variant=variant,
        kind=kind,
        repeat=1,
        seed=1,
        state="done",
        verdict=verdict,
        environment=environment,
    )
