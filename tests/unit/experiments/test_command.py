"""`manage.py experiment`: exit status 0 measured, 1 not all, 2 nothing started; the reason on standard error."""

import json

import pytest
from django.core.management import call_command
from django.db import OperationalError

from dashboard.experiments.management.commands.experiment import Command
from dashboard.experiments.models import Experiment
from dashboard.servers.models import Server

RUN = ("experiment", "run", "what-does-safety-cost", "--server", "One")


@pytest.fixture
def server(db):
    return Server.objects.create(name="One", kind="sandbox", build="system-mariadb")


@pytest.fixture
def measured(monkeypatch):
    """Every run ends at once, in this state and with so many cells failed."""

    def end(state, failed=0):
        def conduct(_, experiment):
            Experiment.objects.filter(pk=experiment.pk).update(state=state)
            for cell in experiment.cells.all()[:failed]:
                experiment.cells.filter(pk=cell.pk).update(state="failed", error="It went away.", mend="Look.")

        monkeypatch.setattr(Command, "_conduct", conduct)

    return end


def status(*arguments):
    with pytest.raises(SystemExit) as ended:
        call_command(*arguments)
    return ended.value.code


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("experiment", "run", "nonsense", "--server", "One"), "There is no recipe 'nonsense'. Known: "),
        (("experiment", "run", "group-commit", "--server", "Two"), "No server is called 'Two'. Registered: One."),
        ((*RUN, "--set", "threads"), "is not key=value"),
        ((*RUN, "--set", "threads=x"), "is not a whole number"),
        ((*RUN, "--set", "frobs=1"), "A recipe has no 'frobs' to set. Known: threads"),
        ((*RUN, "--set", "threads=1000000"), "Threads: 1000000 is not between 1 and 1,024."),
        ((*RUN, "--set", "seed=99999999999999999999"), "Seed: 99999999999999999999 is not between"),
        ((*RUN, "--set", "name="), "Give the experiment a name."),
        ((*RUN, "--server", "One"), "The server 'One' is there twice."),
    ],
)
def test_it_refuses_with_2_and_a_reason(server, capsys, arguments, reason):
    assert status(*arguments) == 2
    assert reason in capsys.readouterr().err
    assert not Experiment.objects.exists()


def test_it_says_when_the_database_was_never_made(server, capsys, monkeypatch):
    def broken(*_):
        raise OperationalError("no such table: servers_server")

    monkeypatch.setattr(Command, "_create", broken)
    assert status(*RUN) == 2
    assert "no such table" in (said := capsys.readouterr().err) and "manage.py migrate" in said


@pytest.mark.parametrize(("state", "failed", "code"), [("done", 0, 0), ("done", 1, 1), ("failed", 0, 1)])
def test_its_status_tells_whether_all_was_measured(server, measured, capsys, state, failed, code):
    measured(state, failed)
    assert status(*RUN, "--json") == code
    told = capsys.readouterr()
    assert json.loads(told.out)
    assert ("It went away. Look." in told.err) == bool(failed)


def test_it_lists_the_recipes(capsys):
    assert status("experiment", "recipes") == 0
    assert "what-does-safety-cost: What does safety cost?\n" in capsys.readouterr().out
