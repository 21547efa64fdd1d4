"""An owner's server, crashed and started by the owner's commands. Here a sandbox plays the owner's."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.real.owned import owned
from tests.real.trials import bad, forgetful, wait_for_unflushed
from workers.crash.run import run_trial
from workers.crash.setup_and_result import Attached, TrialSetup
from workers.errors import Cancelled, PlanError
from workers.sandbox import options
from workers.servers import ask
from workers.servers.connection import connect

SCHEMA = "durascope_t1"


@contextmanager
def attached_to(server):
    """(server, how it is crashed and started)."""
    with server, owned(server) as known:
        index = str(server.datadir / f"{options.BINLOG_BASE}.index")
        said = {"limit_s": 60, "binlog_index": index}
        yield server, Attached(server.target, SCHEMA, known.crash, known.start, lambda: None, lambda: None, **said)


def empty_schema(server):
    with connect(server.target) as connection:
        ask.rows(connection, f"DROP SCHEMA IF EXISTS {SCHEMA}")
        ask.rows(connection, f"CREATE SCHEMA {SCHEMA}")


@pytest.fixture
def theirs(make_sandbox):
    with attached_to(make_sandbox(forgetful(), name="owned", trace=False)) as made:
        empty_schema(made[0])
        yield made


@pytest.fixture(scope="module")
def shared(make_sandbox):
    with attached_to(make_sandbox(forgetful(), name="never crashed", trace=False)) as made:
        yield made


@pytest.fixture
def uncrashed(shared):
    """For tests in which nothing crashes it."""
    server, _ = shared
    empty_schema(server)
    yield shared
    assert server.running, "it was not crashed"


def crash(server, attached, cancelled=lambda: False, variant=None):
    kind = "attached-expendable"
    setup = TrialSetup(
        root=server.root, build=None, name="owned", settings=variant or {}, kind=kind, seed=3, clients=4, load_s=0.3,
        attached=attached,
    )  # fmt: skip
    return run_trial(setup, lambda step: None, cancelled)


def answers(server) -> bool:
    with connect(server.target) as connection:
        return ask.value(connection, "SELECT 1") == 1


def test_commits_lost_in_the_crash_of_an_owners_server_are_found(theirs):
    server, attached = theirs
    result = crash(server, replace(attached, permit=lambda: wait_for_unflushed(server.target)))
    assert "lost-engine" in bad(result)
    assert result.lost_engine.transactions > 0
    assert result.evidence.binlog is not None  # the owner said where it is
    assert result.lost_binlog.transactions == 0


def test_a_crash_that_does_not_happen_makes_it_unknown(uncrashed):
    server, attached = uncrashed
    result = crash(server, replace(attached, crash=("true",), start=()))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery")
    assert "was never down" in result.error


def test_a_broken_connection_is_no_crash(uncrashed, tmp_path):
    """As when a tunnel breaks: the server forgets our lock, and was never down."""
    server, attached = uncrashed
    with connect(server.target) as connection:
        ask.rows(connection, "CREATE PROCEDURE mysql.durascope_cut() BEGIN "
                 "SELECT IS_USED_LOCK('durascope_alive') INTO @holder; KILL @holder; END")  # fmt: skip
    client = server.build.mysqld.parents[1] / "bin/mariadb"
    login = tmp_path / "my.cnf"
    target = server.target
    login.write_text(f"[client]\nuser={target.user}\npassword={target.password}\nsocket={target.socket}\nskip-ssl\n")
    program = str(client) if client.exists() else "mariadb"
    cut = (program, f"--defaults-file={login}", "-e", "CALL mysql.durascope_cut()")
    result = crash(server, replace(attached, crash=cut, start=()))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery"), result.error
    assert "was never down" in result.error


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("false", "--password=hidden"), "ended with status 1"),
        (("no-such-program", "hidden"), "could not be run"),
        (("sh", "-c", "sleep 600; : hidden"), "did not end within 2 s"),
    ],
)
def test_a_command_that_fails_makes_it_unknown(uncrashed, command, says):
    server, attached = uncrashed
    result = crash(server, replace(attached, crash=command, limit_s=2))
    assert (result.verdict, result.failed_at) == ("unknown", "kill")
    assert says in result.error
    assert "hidden" not in result.error
    assert answers(server)


def test_a_crash_command_that_fails_after_it_worked_leaves_the_server_started(theirs):
    server, attached = theirs
    failing = ("sh", "-c", f"{attached.crash[2]}; exit 3")
    result = crash(server, replace(attached, crash=failing))
    assert (result.verdict, result.failed_at) == ("unknown", "kill")
    assert "ended with status 3" in result.error
    assert answers(server)


def test_a_start_command_that_fails_makes_it_unknown_and_is_not_tried_again(theirs, tmp_path):
    server, attached = theirs
    tried = tmp_path / "tried"
    result = crash(server, replace(attached, start=("sh", "-c", f"echo once >> {tried}; exit 1")))
    assert (result.verdict, result.failed_at, result.checks) == ("unknown", "recovery", ())
    assert "may be down" in result.error
    assert tried.read_text() == "once\n"


def test_a_server_that_does_not_come_back_makes_it_unknown(theirs):
    server, attached = theirs
    result = crash(server, replace(attached, start=("true",), limit_s=3))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery")
    assert "it is still down" in result.error


def test_a_cancelled_trial_starts_the_owners_server_again(theirs):
    server, attached = theirs
    down = threading.Event()
    told = replace(attached, crash=("sh", "-c", f"{attached.crash[2]}; sleep 600"))

    def cancelled():
        if not down.is_set() and not server.running:  # the first process was a child of ours
            down.set()
        return down.is_set()

    began = time.monotonic()
    with pytest.raises(Cancelled):
        crash(server, told, cancelled)
    assert answers(server)
    assert time.monotonic() - began < 60, "the command that hangs was ended"


def test_the_owner_has_the_last_word(uncrashed):
    """The mark is taken back while the load runs."""
    server, attached = uncrashed

    def forbidden():
        raise PlanError("No longer expendable.", "See its page.")

    result = crash(server, replace(attached, permit=forbidden))
    assert (result.verdict, result.failed_at) == ("unknown", "kill")
    assert "No longer expendable" in result.error


def test_an_owners_server_with_other_settings_than_the_variant_is_not_crashed(uncrashed):
    server, attached = uncrashed
    result = crash(server, attached, variant={"innodb_flush_log_at_trx_commit": "1"})
    assert result.verdict == "unknown"
    assert "innodb_flush_log_at_trx_commit=0 now, and the variant has 1" in result.error
