"""Whoever resumes an experiment orders what is still to be crashed in it: only who may crash that may resume it."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.fleet import task_queue
from dashboard.records.holds.models import PendingRestore
from dashboard.records.schedules import actions as schedules
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.conducting import crash_trials
from workers.errors import PlanError

pytestmark = pytest.mark.django_db
COMMANDS = {"crash_command": ["/bin/off"], "start_command": ["/bin/on"]}


@pytest.fixture(autouse=True)
def notified(monkeypatch):
    calls = []
    monkeypatch.setattr(task_queue, "send", lambda *call: calls.append(call))
    return calls


@pytest.fixture(autouse=True)
def listed(settings):
    settings.CRASH_PROGRAMS = ("/bin/off", "/bin/on")


@pytest.fixture
def owner(db):
    return somebody(Role.OPERATOR, "Maria")


@pytest.fixture
def other(db):
    return somebody(Role.OPERATOR, "other")


@pytest.fixture
def server(owner):
    return Server.objects.create(
        name="db1", kind="attached", host="192.0.2.1", user="u", owner=owner, expendable=True, **COMMANDS
    )


@pytest.fixture
def box(db):
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


def crashing(*servers) -> Plan:
    return Plan(
        name="crash it",
        targets=tuple(PlanTarget(one.pk, one.name, one.is_sandbox) for one in servers),
        variants=(Variant("as is", {}),),
        workloads=(WorkloadChoice("u", "update-by-key", {}),),
        threads=(1,), repeats=1, warmup_s=0, measure_s=1, table_rows=10, seed=1,
        crash=CrashPlan(kinds=("attached-expendable",), trials=2, control_trials=0),
    )  # fmt: skip


@pytest.fixture
def experiment(owner, server, notified):
    """The owner's: interrupted before its first trial ended."""
    made = actions.create(crashing(server), owner)
    assert made.queued_by == made.created_by == owner
    made.trials.filter(position=0).update(state="interrupted")
    return over(made)


def over(experiment: Experiment) -> Experiment:
    Experiment.objects.filter(pk=experiment.pk).update(state="interrupted")
    experiment.refresh_from_db()
    return experiment


def rows(experiment):
    return Experiment.objects.values().get(pk=experiment.pk), list(experiment.trials.order_by("pk").values())


def did(what):
    return Event.objects.filter(did=what)


def test_another_operator_does_not_resume_the_crashes_of_an_owners_server(client, experiment, other):
    before = rows(experiment)
    with pytest.raises(PlanError, match="Only the owner of db1 and administrators may crash a server"):
        actions.resume(experiment, other)
    client.force_login(other)
    shown = client.post(f"/experiments/{experiment.pk}/resume/", follow=True)
    assert "Only the owner of db1" in shown.content.decode()
    told = script(other).post(f"/api/v1/experiments/{experiment.pk}/resume")
    assert told.status_code == 409 and "Only the owner of db1" in told.json()["detail"]
    assert rows(experiment) == before
    assert not did("resumed").exists() and did("requested crashes").count() == 1


def test_a_token_without_the_scope_does_not_either(experiment, owner):
    told = script(owner, "run").post(f"/api/v1/experiments/{experiment.pk}/resume")
    assert told.status_code == 409 and "needs the scope crash" in told.json()["detail"]
    assert Experiment.objects.get().state == "interrupted"
    assert script(owner, "run", "crash").post(f"/api/v1/experiments/{experiment.pk}/resume").status_code == 200


@pytest.mark.parametrize("who", ["owner", "admin"])
def test_the_person_who_resumes_is_recorded_for_the_crashes(request, experiment, who):
    user = request.getfixturevalue(who)
    experiment.trials.filter(position=1).update(state="done")
    actions.resume(experiment, user)
    experiment.refresh_from_db()
    assert (experiment.state, experiment.queued_by, experiment.created_by.username) == ("queued", user, "Maria")
    event = did("requested crashes").first()
    assert (event.name, event.detail) == (user.username, {"servers": ["db1"], "trials": 1})
    assert did("resumed").get().name == user.username


def test_any_operator_may_resume_an_experiment_without_open_crashes(experiment, other):
    experiment.trials.update(state="done")
    actions.resume(experiment, other)
    assert did("requested crashes").count() == 1, "at the start"


def test_a_running_one_is_refused_as_running(experiment, other):
    Experiment.objects.update(state="running")
    with pytest.raises(PlanError, match="running or queued"):
        actions.resume(experiment, other)


def test_a_repeated_trial_brings_no_other_server_down(experiment, server, box, other):
    """A sandbox's trial is any operator's to repeat, but what waits in the experiment would run with it."""
    again = Trial.objects.create(
        experiment=experiment, server=box, position=9, variant="as is", kind="process-kill", repeat=1, seed=1,
        state="done",
    )  # fmt: skip
    before, events = rows(experiment), Event.objects.count()
    with pytest.raises(PlanError, match="Only the owner of db1"):
        actions.repeat_trial(again, other)
    assert (rows(experiment), Event.objects.count()) == (before, events)
    experiment.trials.filter(server=server).update(state="done")
    actions.repeat_trial(again, other)
    assert Experiment.objects.get().queued_by == other
    assert did("requested crashes").first().detail == {"servers": ["box"], "trials": 1}


def claimed(experiment) -> Trial:
    """As a worker holds it right before the crash."""
    Experiment.objects.filter(pk=experiment.pk).update(state="running")
    experiment.trials.filter(position=0).update(state="running", started_at=timezone.now())
    return experiment.trials.get(position=0)


def test_the_crash_is_by_who_queued_it_last(experiment, admin):
    actions.resume(experiment, admin)
    crash_trials.permit(claimed(experiment), ("/bin/off",), ("/bin/on",))
    assert did("crashed").get().name == "admin"


@pytest.mark.parametrize("lost", ["role", "server", "account", "deleted"])
def test_a_person_who_lost_the_right_runs_no_crash_trial(experiment, owner, other, server, lost):
    actions.resume(experiment, owner)
    row = claimed(experiment)
    if lost == "role":
        Person.objects.filter(user=owner).update(role=Role.VIEWER)
    elif lost == "server":
        Server.objects.filter(pk=server.pk).update(owner=other)  # and marked again by them
    elif lost == "account":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    else:
        User.objects.filter(pk=owner.pk).delete()
    with pytest.raises(PlanError, match="may not crash it any more") as refused:
        crash_trials.permit(row, ("/bin/off",), ("/bin/on",))
    assert "Maria" not in str(refused.value), "a guest reads it"
    with pytest.raises(PlanError, match="db1 was not crashed"):
        crash_trials.borrow(row)
    assert not PendingRestore.objects.exists() and not did("crashed").exists()


def test_a_night_crashes_by_the_right_of_its_schedule(owner, server):
    when = schedules.When("nightly", "0 3 * * *", "UTC", None)
    schedule = schedules.make(owner, when, crashing(server))
    assert schedules.begin_now(owner, schedule).queued_by == owner
