"""How a trial ends when something goes wrong that is not the server's doing, without a server."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.crash.chain import Begun
from workers.crash.kinds.process_kill import ProcessKill
from workers.crash.made import Made
from workers.crash.run import run_trial
from workers.crash.setup_and_result import TrialResult, TrialSetup
from workers.errors import Cancelled, PlanError, SandboxError, reason

FOUND = TrialResult(verdict="invalid", notes={"bytes lost by the cut": "7"})
SETUP = TrialSetup(root=Path("/nowhere"), build=object(), name="box", settings={}, kind="process-kill", seed=1)


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


def begun_with(**setup):
    """What a trial of this setup begins with."""
    seen = []
    run_trial(replace(SETUP, **setup), print, lambda: False, steps=lambda begun: seen.append(begun) or iter(()))
    return seen[0]


@pytest.mark.parametrize(
    ("setup", "gtids"),
    [
        ({"replica": True, "settings": {"log_bin": "on"}}, "ON"),
        ({"replica": True, "settings": {"log_bin": "1", "gtid_mode": "OFF"}}, "OFF"),
        ({"replica": True, "settings": {"log_bin": "OFF"}}, None),
        ({"replica": True, "settings": {}}, None),
        ({"replica": False, "settings": {"log_bin": "ON"}}, None),
    ],
)
def test_a_primary_gets_what_a_replica_needs_of_it(setup, gtids):
    build = SimpleNamespace(flavour="mysql", version=(8, 4, 0), title="MySQL 8.4")
    settings = begun_with(build=build, **setup).settings
    assert settings.get("gtid_mode") == gtids
    assert settings["loose_binlog_expire_logs_seconds"] == "0"


def test_a_crash_kind_that_is_not_there_crashes_nothing(monkeypatch):
    with pytest.raises(PlanError, match="no crash kind 'meteor'"):
        begun_with(kind="meteor")
    monkeypatch.setattr(ProcessKill, "missing", lambda self: "Run as root.")
    with pytest.raises(PlanError, match="not available on this host"):
        begun_with()


@pytest.mark.parametrize(
    "setup",
    [{"kind": "attached-expendable"}, {"attached": object()}, {"build": None}],
    ids=["an owner's command for a sandbox", "a kill for an attached server", "neither of the two"],
)
def test_a_crash_kind_crashes_only_the_servers_that_it_is_for(setup):
    with pytest.raises(PlanError, match="nothing was crashed"):
        begun_with(**setup)


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


def test_a_clean_ending_adds_no_note():
    assert tried(finds, lambda: None) is FOUND
    assert Made().tidied() == {}


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
    assert broken.error == reason(failure) == f"{type(failure).__name__}, without a message"


@pytest.mark.parametrize(("found", "verdict"), [("invalid", "invalid"), ("valid", "unknown"), ("unknown", "unknown")])
def test_a_violation_that_was_found_decides_a_trial_that_breaks_afterwards(found, verdict, monkeypatch):
    """It keeps what it knew. Without a violation nothing is known to have passed."""
    monkeypatch.setattr(Found, "so_far", lambda self: replace(FOUND, verdict=found))

    def steps(begun):
        begun.timeline.step("checks")
        yield finds(begun)
        raise ZeroDivisionError("a bug")

    broken = run_trial(SETUP, lambda step: None, lambda: False, steps=steps)
    assert (broken.verdict, broken.failed_at, broken.error) == (verdict, "checks", "ZeroDivisionError: a bug")
    assert broken.notes == FOUND.notes


def test_the_disk_ends_before_the_server_that_waits_for_it():
    ended, made = [], Made()
    for name in ("disk", "server"):  # as they are made
        made.killed_by(lambda name=name: ended.append(name))
    made.kill()
    assert ended == ["disk", "server"]
