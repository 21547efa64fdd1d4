"""The pending start of a crashed server, without a server: which worker runs the command, when, and what is kept."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.holds.models import PendingRestore
from dashboard.records.refused import Refused
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import somebody
from tests.unit.conducting import experiments as make
from workers.conducting import crash_trials
from workers.errors import PlanError, SandboxError, ServerError
from workers.upkeep import restores

pytestmark = pytest.mark.django_db
COMMANDS = {"crash_command": ["power", "off"], "start_command": ["power", "on"]}


@pytest.fixture(autouse=True)
def listed(settings):
    settings.CRASH_PROGRAMS = ("power",)


class Machine:
    """Up or down; its start command helps, or not. Takes the place of an AttachedServer."""

    def __init__(self):
        self.up, self.helps, self.commands = False, True, []

    def __call__(self, attached):
        self.attached = attached
        return self

    def answers(self):
        return self.up

    def bring_up(self):
        self.commands.append(self.attached.start)
        if not self.helps:
            raise SandboxError("The start command power ended with status 1: no.")
        self.up = True


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setattr(restores, "AttachedServer", made)
    return made


@pytest.fixture
def undone(monkeypatch, machine):
    """What was put back, and whether the server was up then."""
    calls = []
    monkeypatch.setattr(restores, "undo", lambda target, changed, *_: calls.append((changed, machine.up)))
    return calls


@pytest.fixture
def down(machine, undone):
    """Crashed by an experiment that is over, with a variable still to be put back."""
    server = make.attached(expendable=True, **COMMANDS)
    experiment = make.experiment(server)
    experiment.state = "interrupted"
    experiment.save()
    make.pending_restore(server, experiment, "variable", "sync_binlog", "1")
    make.pending_restore(server, experiment, "start")
    return server


def pending(kind="start"):
    return PendingRestore.objects.filter(kind=kind, restored_at=None).first()


def test_a_crashed_server_is_started_before_anything_is_restored(down, machine, undone):
    restores.restore_all()
    assert machine.commands == [("power", "on")] and pending() is None
    assert undone == [([("sync_binlog", "1")], True)]
    assert Event.objects.get(did="started again").detail["command"] == ["power", "on"]


def test_a_server_that_answers_is_not_started(down, machine):
    machine.up = True
    restores.restore_all()
    assert machine.commands == [] and pending() is None and not Event.objects.filter(did="started again").exists()


def test_the_command_is_the_owners_present_one(down, machine):
    Server.objects.update(start_command=["power", "cycle"])
    restores.restore_all()
    assert machine.commands == [("power", "cycle")]


@pytest.mark.parametrize("change", [{"expendable": False}, {"expendable": False, "label": "production"}])
def test_a_withdrawn_mark_does_not_leave_it_down(down, machine, change):
    Server.objects.update(**change)
    restores.restore_all()
    assert machine.up and pending() is None


def test_a_start_command_that_does_not_help_is_not_run_again_at_once(down, machine, undone):
    machine.helps = False
    for _ in range(3):
        restores.restore_all()
    assert len(machine.commands) == 1 and undone == []
    assert pending().problem == "The start command power ended with status 1: no." == pending("variable").problem
    PendingRestore.objects.filter(kind="start").update(
        tried_at=timezone.now() - restores.START_AGAIN - timedelta(seconds=1)
    )
    machine.helps = True
    restores.restore_all()
    assert len(machine.commands) == 2 and pending() is None


def test_the_owner_of_a_crashed_server_can_start_that_at_once(down, machine, admin):
    machine.helps = False
    restores.restore_all()
    actions.start_now(admin, down)
    restores.restore_all()
    assert len(machine.commands) == 2
    assert Event.objects.filter(did="asked to start", what="db1").exists()


def test_starting_a_server_that_is_up_is_refused(admin):
    with pytest.raises(Refused, match="is not down after a crash"):
        actions.start_now(admin, make.attached())


def test_somebody_who_needs_it_hears_that_it_is_down(down, machine):
    machine.helps = False
    with pytest.raises(ServerError, match="db1 is still down after a crash"):
        restores.restore(down, lambda: None)


def test_the_page_of_a_crashed_server_offers_to_start_that(down, client_in):
    page = client_in.get(f"/servers/{down.pk}/").content.decode()
    assert "nobody has seen it up since" in page and f"/servers/{down.pk}/start/" in page
    assert "no longer marked" not in page
    client_in.post(f"/servers/{down.pk}/expendable/withdraw/")
    page = client_in.get(f"/servers/{down.pk}/").content.decode()
    assert "A worker" in page and "also now that it is no longer marked" in page
    restores.restore_all()
    assert "nobody has seen it up since" not in client_in.get(f"/servers/{down.pk}/").content.decode()


def a_trial(server, state="running"):
    experiment = make.experiment(server)
    Experiment.objects.filter(pk=experiment.pk).update(state="running")
    return Trial.objects.create(
        experiment=experiment, server=server, position=0, variant="1/1", kind="attached-expendable", repeat=1, seed=1,
        state=state, started_at=timezone.now(),
    )  # fmt: skip


def test_the_start_is_pending_before_the_crash_command_runs():
    row = a_trial(make.attached(expendable=True, **COMMANDS))
    crash_trials.permit(row, ("power", "off"), ("power", "on"))
    assert (pending().experiment, pending().server) == (row.experiment, row.server)


@pytest.mark.parametrize("taken", [{"state": "interrupted"}, {"started_at": timezone.now() + timedelta(hours=1)}])
def test_a_worker_that_was_taken_for_dead_crashes_nothing_any_more(taken):
    row = a_trial(make.attached(expendable=True, **COMMANDS))
    type(row).objects.update(**taken)
    with pytest.raises(PlanError, match="was taken from this worker"):
        crash_trials.permit(row, ("power", "off"), ("power", "on"))
    assert pending() is None and not Event.objects.filter(did="crashed").exists()


def of_an_administrator(settings):
    """Commands of a program that is not listed, which only an administrator may set."""
    settings.CRASH_PROGRAMS = ()
    boss = somebody(Role.ADMINISTRATOR, "boss")
    return boss, make.attached(expendable=True, commands_by=boss, **COMMANDS)


def lose(boss, how):
    if how == "role":
        Person.objects.filter(user=boss).update(role=Role.OPERATOR)
    elif how == "active":
        User.objects.filter(pk=boss.pk).update(is_active=False)
    else:
        boss.delete()


@pytest.mark.parametrize("how", ["role", "active", "account"])
def test_commands_of_who_is_no_administrator_any_more_are_not_run(settings, how):
    boss, server = of_an_administrator(settings)
    row = a_trial(server)
    lose(boss, how)
    with pytest.raises(PlanError, match="is not an administrator"):
        crash_trials.permit(row, ("power", "off"), ("power", "on"))
    assert pending() is None and not Event.objects.filter(did="crashed").exists()


def test_commands_of_an_administrator_are_run(settings):
    row = a_trial(of_an_administrator(settings)[1])
    crash_trials.permit(row, ("power", "off"), ("power", "on"))
    assert pending().server == row.server


def test_a_program_that_is_not_listed_any_more_is_not_run(settings):
    row = a_trial(make.attached(expendable=True, **COMMANDS))
    settings.CRASH_PROGRAMS = ("/bin/other",)
    with pytest.raises(PlanError, match="DURASCOPE_CRASH_PROGRAMS does not list its commands"):
        crash_trials.permit(row, ("power", "off"), ("power", "on"))
    assert pending() is None


def test_a_start_command_is_asked_again_too(settings, machine, undone):
    boss, server = of_an_administrator(settings)
    make.pending_restore(server, make.experiment(server), "start")
    lose(boss, "role")
    with pytest.raises(ServerError, match="start command was not run"):
        restores.restore(server, lambda: None)
    assert machine.commands == [] and "is not an administrator" in pending().problem
    Server.objects.update(commands_by=somebody(Role.ADMINISTRATOR, "other"))
    restores.restore(server, lambda: None)
    assert machine.commands == [("power", "on")] and pending() is None


def test_a_start_command_that_was_changed_meanwhile_crashes_nothing():
    row = a_trial(make.attached(expendable=True, **COMMANDS))
    with pytest.raises(PlanError, match="commands of db1 were changed"):
        crash_trials.permit(row, ("power", "off"), ("power", "on", "slowly"))
