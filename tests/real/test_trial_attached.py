"""An owner's server, crashed and started by the owner's commands. Here a sandbox plays the owner's."""

import os
import signal
import time
from dataclasses import replace

import pytest

from tests.real.trials import bad, settings
from workers.crash.run import run_trial
from workers.crash.trial import Attached, TrialSetup
from workers.servers import ask
from workers.servers.connection import connect

SCHEMA = "durascope_t1"


@pytest.fixture
def owned(make_sandbox):
    """(server, how it is crashed and started). What the start command left running is ended."""
    with make_sandbox(settings(0, 1), name="owned", trace=False) as server:
        with connect(server.target) as connection:
            ask.rows(connection, f"CREATE SCHEMA {SCHEMA}")
        pid_file = server.folder / "pid"
        user = ["setpriv", f"--reuid={server.user.uid}", f"--regid={server.user.gid}", "--clear-groups"]
        become = " ".join(user) if server.user.switch else ""
        start = f"{become} {server.build.mysqld} --defaults-file={server.folder}/my.cnf &"
        kill = f"kill -KILL $(cat {pid_file})"
        yield server, Attached(server.target, SCHEMA, ("sh", "-c", kill), ("sh", "-c", start), limit_s=20)
        if pid_file.exists():
            os.kill(int(pid_file.read_text()), signal.SIGKILL)
            time.sleep(0.1)


def crash(server, attached):
    setup = TrialSetup(server.root, None, "owned", {}, "innodb", "attached-expendable", 3, 8, 1.0, attached=attached)
    return run_trial(setup, lambda step: None, lambda: False)


def test_it_finds_what_an_owners_crash_lost(owned):
    result = crash(*owned)
    assert "lost-engine" in bad(result)
    assert result.lost_engine.transactions > 0
    assert result.evidence.binlog is not None  # the files are on this host
    assert result.lost_binlog.transactions == 0


def test_a_crash_that_does_not_happen_makes_it_unknown(owned):
    server, attached = owned
    result = crash(server, replace(attached, crash=("true",), start=()))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery")
    assert "was never down" in result.error


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("false", "--password=hidden"), "ended with status 1"),
        (("no-such-program", "hidden"), "could not be run"),
        (("sleep", "60"), "did not end within 1 s"),
    ],
)
def test_a_command_that_fails_makes_it_unknown(owned, command, says):
    server, attached = owned
    result = crash(server, replace(attached, crash=command, limit_s=1))
    assert (result.verdict, result.failed_at) == ("unknown", "kill")
    assert says in result.error
    assert "hidden" not in result.error
