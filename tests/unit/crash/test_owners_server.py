"""An owner's server that is crashed and started by commands: when it counts as down, and when it is started again."""

import time

import pymysql
import pytest

from tests.unit.servers.played import Played
from workers.crash import attached
from workers.crash.attached import AttachedServer, DownAttached, Life
from workers.crash.setup_and_result import Attached
from workers.errors import AccessDenied, MissingPrivilege, PlanError, SandboxError, Unreachable
from workers.servers import ask
from workers.servers.identity import ServerName
from workers.servers.target import Target

THEIRS = ServerName("", "1", "db", "3306")


@pytest.mark.parametrize(
    ("uptime_s", "connections", "new"),
    [
        (3, 100, True),
        (108, 100, True),  # a second less than it would be
        (109, 100, False),
        (110, 100, False),
        (110, 50, False),
        (110, 49, True),  # it counts its connections anew
    ],
)
def test_a_server_lives_anew_when_it_counts_anew(uptime_s, connections, new):
    """It had been up for 100 s, with 50 connections, 9 s ago."""
    before = Life(THEIRS, 999.0, 100, 50, 1000.0)
    assert Life(THEIRS, 1009.0, uptime_s, connections, 1009.5).follows(before) is new


def test_another_server_at_the_address_is_a_failover():
    before = Life(THEIRS, 999.0, 100, 50, 1000.0)
    assert Life(ServerName("", "2", "db2", "3306"), 1009.0, 5000, 900, 1009.5).follows(before)


class Server(AttachedServer):
    """`answering`: what it answers, one after the other; then the last for ever."""

    def __init__(self, tmp_path, *answering, start=True, limit_s=0.2):
        self.calls, self.left, self.file = [], list(answering), tmp_path / "started"
        command = ("touch", str(self.file)) if start else ()
        super().__init__(
            Attached(
                Target(name="db1", kind="attached", user="u", password="", host="127.0.0.1"), "s", ("true",), command,
                lambda: self.calls.append("permit"), lambda: self.calls.append("must hold"), limit_s,
                lambda: self.calls.append("back"),
            )
        )  # fmt: skip

    def answers(self):
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def test_an_owners_server_is_up_when_it_answers_after_its_start_command(tmp_path):
    server = Server(tmp_path, False, True)
    server.bring_up()
    assert server.file.exists() and server.calls == ["must hold", "back"]
    assert (server.my_cnf, server.log_text) == ("", "")


def test_a_server_that_restarts_by_itself_is_not_started(tmp_path):
    server = Server(tmp_path, False, True, start=False)
    server.bring_up()
    assert server.calls == ["back"]


def test_a_server_that_does_not_answer_in_time_is_down(tmp_path):
    server = Server(tmp_path, False)
    with pytest.raises(SandboxError, match=r"did not answer within 0\.2 s"):
        server.bring_up()
    assert server.calls == ["must hold"]


def test_a_trial_that_was_stopped_waits_for_nothing(tmp_path):
    server = Server(tmp_path, False, limit_s=60)
    server.kill()
    with pytest.raises(SandboxError, match="did not answer"):
        server.bring_up()
    server.left = [False, True]
    server.close()
    assert server.calls == ["must hold", "must hold", "back"], "a start that was interrupted is made up for"


def test_a_server_that_was_not_crashed_is_not_started(tmp_path):
    server = Server(tmp_path, False)
    server.close()
    assert not server.file.exists() and server.calls == []


@pytest.mark.parametrize(("answers", "calls"), [([True], ["back"]), ([False, True], ["must hold", "back"])])
def test_a_server_that_was_taken_down_is_up_when_it_is_let_go(tmp_path, answers, calls):
    server = Server(tmp_path, *answers)
    server._start_due = True
    server.close()
    server.close()
    assert (server.calls, server.file.exists()) == (calls, len(answers) == 2)


class Connection:
    """`locked`: whether the lock was given and is still held; `life`: uptime and number of connections."""

    def __init__(self, locked, life=(100, 50)):
        self.locked, self.life, self.closed = locked, life, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def _force_close(self):
        self.closed = True


@pytest.fixture
def asked(monkeypatch):
    """`asked(connection)`: connections are this one, or raise it."""

    def rows(connection, sql, *_):
        return [("Uptime", str(connection.life[0]))]

    def value(connection, sql, *_):
        known = {"SELECT GET_LOCK": connection.locked, "SELECT CONNECTION_ID": connection.life[1]}
        known |= {"SELECT IS_USED": 1 if connection.locked else None, "SELECT 1": 1, "SELECT @@GLOBAL": 0}
        return next(found for begin, found in known.items() if sql.startswith(begin))

    monkeypatch.setattr("workers.servers.ask.rows", rows)
    monkeypatch.setattr("workers.servers.ask.value", value)

    def use(found):
        def connect(*_, **__):
            if isinstance(found, Exception):
                raise found
            return found

        monkeypatch.setattr("workers.crash.attached.connect", connect)
        return found

    return use


def test_a_crash_is_permitted_at_the_last_moment_and_must_be_made_up_for(tmp_path, asked):
    held = asked(Connection(1))
    server = Server(tmp_path, True)
    down = server.crash()
    assert (server.calls, down.before.uptime_s, down.before.connections) == (["permit"], 100, 50)
    server.close()
    assert held.closed and server.calls == ["permit", "back"]


def test_a_server_that_could_not_be_judged_after_the_crash_is_not_crashed(tmp_path, asked, monkeypatch):
    """Without the right to list prepared transactions every trial would be unclear."""
    asked(Connection(1))
    rows = ask.rows

    def refuse(connection, sql, *args):
        if sql == "XA RECOVER":
            raise MissingPrivilege("Access denied.", "GRANT XA_RECOVER_ADMIN ON *.* TO 'u'@'%';")
        return rows(connection, sql, *args)

    monkeypatch.setattr("workers.servers.ask.rows", refuse)
    server = Server(tmp_path, True)
    with pytest.raises(PlanError, match="was not crashed") as refused:
        server.crash()
    assert server.calls == [] and "XA_RECOVER_ADMIN" in refused.value.fix
    server.close()
    assert server.calls == []


def test_without_its_lock_nothing_is_crashed(tmp_path, asked):
    asked(Connection(0))
    server = Server(tmp_path, True)
    with pytest.raises(SandboxError, match="it was not crashed"):
        server.crash()
    assert server.calls == []


@pytest.mark.parametrize(("locked", "life", "new"), [(0, (0, 3), True), (1, (0, 3), False), (0, (101, 51), False)])
def test_a_server_that_was_never_down_is_no_result(tmp_path, asked, locked, life, new):
    asked(Connection(1))
    now = time.monotonic()
    down = DownAttached(Server(tmp_path, True), Life(ServerName("", "", "", ""), now, 100, 50, now))
    asked(Connection(locked, life))
    if new:
        found = down.recover({})
        assert down.server.file.exists()
        assert 0 <= found.seconds < 5 and found.log_lines == ()
    else:
        with pytest.raises(SandboxError, match="was never down"):
            down.recover({})


@pytest.mark.parametrize(
    ("found", "up"),
    [(Connection(0), True), (AccessDenied("Not you."), True), (Unreachable("Nothing listens there."), False)],
)
def test_a_server_that_lets_nobody_in_is_up(asked, tmp_path, found, up):
    asked(found)
    assert AttachedServer.answers(Server(tmp_path, False)) is up


@pytest.mark.parametrize(
    ("found", "up"), [([("0",)], True), ([("1",)], False), (pymysql.OperationalError(2013, "it restarts again"), False)]
)
def test_a_server_is_up_when_it_takes_writes_as_before(tmp_path, monkeypatch, found, up):
    """During a failover a replica may answer that is still read-only."""
    server = Server(tmp_path, True)
    server._read_only = "0"
    monkeypatch.setattr(attached, "connect", lambda *_, **__: Played({"": found}))
    assert server._wait_until_up() is up
