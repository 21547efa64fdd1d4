"""`manage.py experiment`: exit status 0 measured, 1 not all, 2 nothing started; the reason on standard error."""

import io
import json
import logging
import os
import time

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from dashboard.commands.management.commands import experiment as command
from dashboard.commands.management.commands.experiment import Command
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from tests.unit.conducting import experiments as make
from workers.upkeep.periodic import Duties

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
                experiment.cells.filter(pk=cell.pk).update(state="failed", error="It went away.", fix="Look.")

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
        ((*RUN, "--set", "threads=x"), "is not a whole number"),
        ((*RUN, "--set", "frobs=1"), "A recipe has no 'frobs' to set. Known: name, threads"),
        ((*RUN, "--set", "threads=1000000"), "Threads: 1000000 is not between 1 and 1,024."),
        ((*RUN, "--set", "seed=99999999999999999999"), "Seed: 99999999999999999999 is not between"),
        ((*RUN, "--set", "name="), "Give the experiment a name."),
        ((*RUN, "--server", "One"), "The server 'One' occurs twice."),
    ],
)
def test_a_bad_call_ends_with_2_and_the_reason(server, capsys, arguments, reason):
    assert status(*arguments) == 2
    assert reason in capsys.readouterr().err
    assert not Experiment.objects.exists()


def test_log_lines_go_to_the_log_and_not_to_the_terminal(server, monkeypatch):
    console = next(handler for handler in logging.getLogger().handlers if handler.name == "console")
    monkeypatch.setattr(console, "stream", io.StringIO())
    monkeypatch.setattr(Command, "_conduct", lambda *_: logging.getLogger("a duty").warning("swept: one folder"))
    status(*RUN, "--json")
    logging.getLogger("a duty").warning("afterwards")
    assert "swept: one folder" in (settings.HOME / "logs/experiment.log").read_text()
    assert "swept" not in (told := console.stream.getvalue()) and "afterwards" in told


@pytest.mark.parametrize(("state", "failed", "code"), [("done", 0, 0), ("done", 1, 1), ("failed", 0, 1)])
def test_the_exit_status_tells_whether_all_was_measured(server, measured, capsys, state, failed, code):
    measured(state, failed)
    assert status(*RUN, "--json") == code
    told = capsys.readouterr()
    assert json.loads(told.out)
    assert ("It went away. Look." in told.err) == bool(failed)


@pytest.mark.parametrize(
    ("kind", "verdict", "lost", "code", "told"),
    [
        ("power-loss", "invalid", 9, 0, ""),
        ("power-loss", "unknown", None, 1, "1/1, power-loss: unclear: recovery: it did not start"),
        ("power-loss", "", None, 1, "unclear: the evidence is not complete"),
        ("lying-disk", "invalid", 9, 0, ""),
        ("lying-disk", "valid", 0, 1, "The self-test of the checks failed: 1 of 1 lying disk not flagged"),
        ("lying-disk", "invalid", 0, 1, "The self-test of the checks failed"),
        ("graceful-restart", "invalid", 1, 1, "The self-test of the checks failed: 1 of 1 graceful restart flagged"),
    ],
)
def test_the_exit_status_tells_whether_crashes_can_be_believed(
    server, monkeypatch, capsys, kind, verdict, lost, code, told
):
    """A loss is a result and no failure."""

    def conduct(_, experiment):
        experiment.trials.all().delete()
        error = "recovery: it did not start" if verdict == "unknown" else ""
        state = "done" if verdict else "failed"
        known = {
            "verdict": verdict,
            "lost_engine": lost,
            "state": state,
            "error": error,
            "position": 0,
            "recovery_s": 0.5,
        }
        experiment.trials.create(server=server, variant="1/1", kind=kind, repeat=1, seed=1, **known)
        Experiment.objects.filter(pk=experiment.pk).update(state="done")

    monkeypatch.setattr(Command, "_conduct", conduct)
    assert status(*RUN, "--set", "trials=1") == code
    assert told in capsys.readouterr().err


def test_a_schema_that_stays_is_named_in_words_and_in_json(server, monkeypatch, capsys):
    def conduct(_, experiment):
        kept = {"server": server, "kind": "schema", "problem": "The account is locked."}
        experiment.pending_restores.create(name="durascope_e1_innodb", **kept)
        experiment.pending_restores.create(name="durascope_e2_innodb", restored_at=timezone.now(), **kept)
        Experiment.objects.filter(pk=experiment.pk).update(state="failed")

    monkeypatch.setattr(Command, "_conduct", conduct)
    assert status(*RUN, "--json") == 1
    told = capsys.readouterr()
    assert "Not restored on One: schema durascope_e1_innodb. The account is locked." in told.err
    [left] = json.loads(told.out)["not_restored"]
    assert (left["kind"], left["name"]) == ("schema", "durascope_e1_innodb")


def test_the_command_lists_the_recipes(capsys):
    assert status("experiment", "recipes") == 0
    assert "what-does-safety-cost: What does safety cost?\n" in capsys.readouterr().out


def test_the_command_does_the_housekeeping_after_an_ended_worker(server, monkeypatch):
    """No worker may be alive that does. What it mounts is in a namespace of its own."""
    done, entered = [], []
    monkeypatch.setattr(command, "duties", Duties())
    monkeypatch.setattr(command.own_mounts, "enter", lambda: entered.append(done[:]))
    monkeypatch.setattr(command.heartbeat, "start", lambda: None)
    monkeypatch.setattr(command.housekeeping, "after_dead_workers", lambda: done.append("clean up"))
    monkeypatch.setattr(command.restores, "restore_all", lambda: done.append("restore"))

    def measure(experiment_id, _):
        deadline = time.monotonic() + 60
        while len(done) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)

    monkeypatch.setattr(Command, "_measure", staticmethod(measure))
    Command()._conduct(make.experiment(server))
    assert sorted(done) == ["clean up", "restore"] and entered == [[]]
    assert not any(thread.is_alive() for thread in command.duties._threads)


@pytest.mark.django_db(transaction=True)  # it closes its thread's connection
def test_settings_are_restored_before_it_takes_the_host_and_after_it_gave_it_back(monkeypatch):
    """In between the host is busy. Taken first: settings of an experiment that still runs are not restored."""
    server = Server.objects.create(name="One", kind="sandbox", build="system-mariadb")
    done, turns = [], [None, "our turn"]
    monkeypatch.setattr(command.heartbeat.stopping, "wait", lambda s: False)
    monkeypatch.setattr(command.housekeeping, "after_dead_workers", lambda: done.append("clean up"))
    monkeypatch.setattr(command.restores, "restore_all", lambda: done.append("restore"))
    monkeypatch.setattr(command, "conduct", lambda *_: done.append("measure") or turns.pop(0))
    Command._measure(make.experiment(server).pk, None)
    order = ["clean up", "restore"]
    assert done == [*order, "measure", *order, "measure", *order]


def test_a_waiting_command_says_for_what_and_asks_for_no_worker(server):
    """The command line measures without a worker."""
    waiting = make.experiment(server)
    Experiment.objects.update(activity="waiting: long is running on the same host")
    assert command._now(waiting)["activity"] == "waiting: long is running on the same host"


def test_a_pipe_is_refused_with_its_reason(db, capsys):
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer), pytest.raises(SystemExit) as ended:
        call_command("experiment", "import", f"/dev/fd/{reader}")
    assert ended.value.code == 2 and "seek" in (said := capsys.readouterr().err) and "None" not in said


def test_an_interrupted_experiment_is_resumed(server, measured, monkeypatch):
    measured("interrupted", failed=1)
    assert status(*RUN, "--set", "trials=0") == 1
    stored = Experiment.objects.get()
    found = []

    def conduct(_, experiment):
        found.append((experiment.state, set(experiment.cells.values_list("state", flat=True))))
        Experiment.objects.filter(pk=experiment.pk).update(state="done")

    monkeypatch.setattr(Command, "_conduct", conduct)
    assert status("experiment", "resume", str(stored.pk)) == 0
    assert found == [("queued", {"waiting"})]


def test_only_an_experiment_that_is_over_is_resumed(server, measured, capsys):
    assert status("experiment", "resume", "99") == 2
    assert "There is no experiment 99." in capsys.readouterr().err
    measured("running")
    assert status(*RUN) == 1
    assert status("experiment", "resume", str(Experiment.objects.get().pk)) == 2
