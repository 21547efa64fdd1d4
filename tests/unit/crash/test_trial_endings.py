"""How a trial ends when something goes wrong that is not the server's doing, without a server."""

from dataclasses import replace
from pathlib import Path

import pytest

from workers.crash import run
from workers.crash.trial import TrialResult, TrialSetup
from workers.errors import Cancelled, SandboxError, reason

FOUND = TrialResult("invalid", (), None, (), notes={"bytes lost by the cut": "7"})
SETUP = TrialSetup(Path("/nowhere"), object(), "box", {}, "innodb", "process-kill", 1)


@pytest.fixture
def tried(monkeypatch):
    """A trial that does this, and whose tidying up fails or not."""
    monkeypatch.setattr(run, "_for_replica", lambda setup: {})

    def ended(does, tidies=None, cancelled=False):
        def go(trial):
            if tidies:
                trial.made.callback(tidies)
            return does(trial)

        monkeypatch.setattr(run._Trial, "run", go)
        return run.run_trial(SETUP, lambda step: None, lambda: cancelled)

    return ended


def fails(failure):
    def fail(*_):
        raise failure

    return fail


def test_a_finished_trial_is_kept_though_tidying_up_failed(tried, caplog):
    found = tried(lambda trial: FOUND, fails(SandboxError("/dev/loop7 could not be detached.")))
    assert replace(found, notes=FOUND.notes) == FOUND
    assert found.notes["left behind"].startswith("A disk or a folder of this trial could not be removed at once.")
    assert "/dev/loop7 could not be detached" in caplog.text


def test_nothing_is_noted_where_nothing_is_left(tried):
    assert tried(lambda trial: FOUND, lambda: None) is FOUND


def test_a_trial_that_broke_keeps_its_own_reason_though_tidying_up_failed(tried):
    broken = tried(fails(SandboxError("The server went away.")), fails(OSError("busy")))
    assert (broken.verdict, broken.error) == ("unknown", "The server went away.") and broken.notes["left behind"]


def test_a_cancelled_one_is_cancelled_though_tidying_up_failed(tried):
    with pytest.raises(Cancelled):
        tried(fails(Cancelled("Stopped.")), fails(OSError("busy")), cancelled=True)


def test_an_error_of_the_system_is_told_in_its_words():
    assert reason(OSError(24, "Too many open files")) == "Too many open files"
    assert reason(FileNotFoundError(2, "No such file or directory", "/x")) == "No such file or directory (/x)"


@pytest.mark.parametrize("failure", [TimeoutError(), OSError(), SandboxError(""), KeyError()])
def test_no_reason_is_empty(tried, failure):
    broken = tried(fails(failure))
    assert broken.failed_at == "prepare"
    assert broken.error == reason(failure) == f"{type(failure).__name__}, without any further word"


def test_the_disk_ends_before_the_server_that_waits_for_it():
    ended = []

    class Part:
        def __init__(self, name):
            self.give_way = self.kill = lambda: ended.append(name)

    trial = run._Trial.__new__(run._Trial)
    trial.disk, trial.server, trial.replica = Part("disk"), Part("server"), None
    trial.kill()
    assert ended == ["disk", "server"]
