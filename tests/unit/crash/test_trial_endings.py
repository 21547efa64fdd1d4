"""How a trial ends when something goes wrong that is not the server's doing, without a server."""

from dataclasses import replace
from pathlib import Path

import pytest

from workers.crash.chain import Begun
from workers.crash.made import Made
from workers.crash.run import run_trial
from workers.crash.trial import TrialResult, TrialSetup
from workers.errors import Cancelled, SandboxError, reason

FOUND = TrialResult("invalid", (), None, (), notes={"bytes lost by the cut": "7"})
SETUP = TrialSetup(Path("/nowhere"), object(), "box", {}, "innodb", "process-kill", 1)


class Found(Begun):
    """The last value of a trial that found this."""

    def so_far(self):
        return FOUND


def tried(does, tidies=None, cancelled=False):
    """A trial that does this, and whose tidying up fails or not."""

    def steps(begun):
        if tidies:
            begun.made.callback(tidies)
        yield does(begun)

    return run_trial(SETUP, lambda step: None, lambda: cancelled, steps=steps)


def finds(begun):
    return Found(**vars(begun))


def fails(failure):
    def fail(*_):
        raise failure

    return fail


def test_a_finished_trial_is_kept_though_tidying_up_failed(caplog):
    found = tried(finds, fails(SandboxError("/dev/loop7 could not be detached.")))
    assert replace(found, notes=FOUND.notes) == FOUND
    assert found.notes["left behind"].startswith("A disk or a folder of this trial could not be removed at once.")
    assert "/dev/loop7 could not be detached" in caplog.text


def test_nothing_is_noted_where_nothing_is_left():
    assert tried(finds, lambda: None) is FOUND


def test_a_trial_that_broke_keeps_its_own_reason_though_tidying_up_failed():
    broken = tried(fails(SandboxError("The server went away.")), fails(OSError("busy")))
    assert (broken.verdict, broken.error) == ("unknown", "The server went away.") and broken.notes["left behind"]


def test_a_cancelled_one_is_cancelled_though_tidying_up_failed():
    with pytest.raises(Cancelled):
        tried(fails(Cancelled("Stopped.")), fails(OSError("busy")), cancelled=True)


def test_an_error_of_the_system_is_told_in_its_words():
    assert reason(OSError(24, "Too many open files")) == "Too many open files"
    assert reason(FileNotFoundError(2, "No such file or directory", "/x")) == "No such file or directory (/x)"


@pytest.mark.parametrize("failure", [TimeoutError(), OSError(), SandboxError(""), KeyError()])
def test_no_reason_is_empty(failure):
    broken = tried(fails(failure))
    assert broken.failed_at == "prepare"
    assert broken.error == reason(failure) == f"{type(failure).__name__}, without any further word"


def test_a_trial_that_breaks_after_a_finding_is_unknown_and_keeps_what_it_knew():
    def steps(begun):
        begun.timeline.step("checks")
        yield finds(begun)
        raise ZeroDivisionError("a bug")

    broken = run_trial(SETUP, lambda step: None, lambda: False, steps=steps)
    assert (broken.verdict, broken.failed_at, broken.error) == ("unknown", "checks", "ZeroDivisionError: a bug")
    assert broken.notes == FOUND.notes


def test_the_disk_ends_before_the_server_that_waits_for_it():
    ended, made = [], Made()
    for name in ("disk", "server"):  # as they are made
        made.killed_by(lambda name=name: ended.append(name))
    made.kill()
    assert ended == ["disk", "server"]
