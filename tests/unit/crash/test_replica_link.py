"""When a follower counts as caught up, stopped or not known, by what it and its source say."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.crash import replica_link
from workers.crash.replica_link import Followed, Link, ahead
from workers.errors import SandboxError, ServerError

RUNNING = {
    "Slave_IO_Running": "Yes", "Slave_SQL_Running": "Yes", "Last_IO_Errno": "0", "Last_SQL_Errno": "0",
    "Last_IO_Error": "", "Last_SQL_Error": "", "Gtid_IO_Pos": "0-1-9",
}  # fmt: skip
SENT = [(7, "Master has sent all binlog to slave; waiting for more updates")]
SENDING = [(7, "Sending binlog event to slave")]


class Server:
    """`says`: what it answers to a statement that begins so; of a list of answers one after the other."""

    def __init__(self, port, flavour="mariadb", version=(10, 11, 0), **says):
        self.target, self.asked, self.says = SimpleNamespace(port=port), [], says
        self.folder = self.datadir = Path("/nowhere")
        self.build = SimpleNamespace(flavour=flavour, version=version, title=flavour)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def answer(self, key):
        found = self.says[key]
        return (found.pop(0) if len(found) > 1 else found[0]) if isinstance(found, tuple | Answers) else found


class Answers(list):
    pass


@pytest.fixture
def linked(monkeypatch):
    """`linked(status, ...)`: a link whose follower has these states, one after the other."""

    def rows(server, sql, args=()):
        server.asked.append(sql if "%s" not in sql or "processlist" in sql else (sql, *args))
        if sql.startswith("KILL") and "kill" in server.says:
            raise server.says["kill"]
        return server.answer("dumps") if "information_schema.processlist" in sql else []

    def text(server, sql):
        return server.answer(
            {"gtid_binlog_pos": "written", "gtid_slave_pos": "applied", "gtid_executed": "executed"}.get(
                sql.rpartition(".")[2], "own"
            )
        )

    monkeypatch.setattr("workers.servers.ask.rows", rows)
    monkeypatch.setattr("workers.servers.ask.text", text)
    monkeypatch.setattr("workers.servers.ask.first_row", lambda server, sql: server.answer("status"))

    def link(*states, applied="0-1-9", written="0-1-9", dumps=SENT):
        follower = Server(3307, status=Answers(states), applied=applied)
        source = Server(3306, written=written, dumps=dumps)
        servers = {3306: source, 3307: follower}
        monkeypatch.setattr(replica_link, "connect", lambda target, **_: servers[target.port])
        return Link(source, follower, "secret")

    return link


def changed(**columns):
    return {**RUNNING, **columns}


def test_a_follower_that_has_everything_has_caught_up(linked):
    found = linked(RUNNING).follow(0)
    assert (found.state, found.error) == ("caught up", "")


@pytest.mark.parametrize("thread", ["IO", "SQL"])
def test_a_thread_that_ended_with_an_error_has_stopped_it(linked, thread):
    errors = {f"Slave_{thread}_Running": "No", f"Last_{thread}_Errno": "1236", f"Last_{thread}_Error": "bogus data"}
    assert linked(changed(**errors)).follow(0) == Followed("stopped", "1236: bogus data")
    errors[f"Slave_{thread}_Running"] = "Yes"
    assert linked(changed(**errors)).follow(0) == Followed("caught up"), "it goes on"


@pytest.mark.parametrize(
    "said", ["Error writing file 'relay-bin' (Errcode: 28 \"No space left on device\")", "The table 'one' is full"]
)
def test_a_follower_that_stopped_on_a_full_disk_is_not_known(linked, monkeypatch, tmp_path, said):
    """Its disk is that of the worker's host: the crashed server has no part in it."""
    link = linked(changed(Slave_SQL_Running="No", Last_SQL_Errno="1114", Last_SQL_Error=said))
    link.follower.folder = tmp_path
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=5 << 20))
    assert link.follow(0) == Followed("unknown", f"1114: {said}: the disk is full (5 MiB are free)")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=5 << 30))
    assert link.follow(0).state == ("unknown" if "No space" in said else "stopped")


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (changed(Slave_IO_Running="Connecting"), {}),
        (changed(Slave_SQL_Running="No"), {}),
        (RUNNING, {"dumps": SENDING}),
        (RUNNING, {"dumps": []}),
        (RUNNING, {"applied": "0-1-8"}),
    ],
)
def test_a_replica_that_is_late_is_unknown(linked, status, how):
    found = linked(status, **how).follow(0)
    assert found.state == "unknown"
    assert found.error == f"Not caught up within 0 s: at {how.get('applied', '0-1-9')} of 0-1-9; no error."


def test_a_late_follower_says_what_it_knows(linked):
    broken = changed(Slave_IO_Running="Connecting", Last_IO_Error="cannot connect", Last_SQL_Error="no")
    found = linked(broken, applied="", written="").follow(0)
    assert found.error == "Not caught up within 0 s: at nothing of nothing; cannot connect."


def test_a_connecting_replica_is_waited_for(linked):
    assert linked(changed(Slave_IO_Running="Connecting"), RUNNING).follow(30) == Followed("caught up")


def test_rows_are_compared_when_no_commit_of_the_source_is_under_way(linked):
    link = linked(RUNNING, applied=Answers(["0-1-8", "0-1-9", "0-1-8", "0-1-9"]))
    assert link.follow_to_rest(30) == Followed("caught up") and len(link.follower.says["applied"]) == 1
    locked = link.source.asked.index("FLUSH TABLES WITH READ LOCK")
    assert link.source.asked[locked + 1 : locked + 2] == ["UNLOCK TABLES"] and locked > 1


def test_a_follower_that_stopped_is_told_at_once(linked):
    """Its source may wait for it for ever."""
    stopped = changed(Slave_IO_Running="No", Last_IO_Errno="1236")
    link = linked(stopped)
    assert link.follow_to_rest(0).state == "stopped" and link.source.asked == []


def test_transactions_of_the_replicas_own_never_count_as_missing(linked):
    source = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
    link = linked({name.replace("Slave", "Replica"): value for name, value in RUNNING.items()})
    for server in (link.source, link.follower):
        server.build = SimpleNamespace(flavour="mysql", version=(8, 4, 0), title="MySQL")
    link.source.says["executed"], link.follower.says["executed"] = f"{source}:1-9", ""
    link.follower.says["own"] = source
    assert link.follow(0) == Followed("caught up")
    link.follower.says["own"] = "another"
    assert link.follow(0).state == "unknown"


def test_gtids_that_only_the_follower_has_are_told(linked):
    link = linked(RUNNING)
    for server, applied, written in ((link.source, "0-1-9,4-1-2", "0-1-9"), (link.follower, "0-1-9", "0-1-11,7-2-1")):
        server.says |= {"applied": applied, "written": written}
    assert link.errant() == "domain 0: 10-11, domain 7: 1"
    link.follower.says["written"] = "0-1-7"
    assert link.errant() == "", "the source wrote more, or applied it"
    link.follower.says["written"] = "binlog.000001:4"
    assert link.errant() == "", "not known"


def test_a_follower_is_pointed_at_its_source_with_a_new_account(linked):
    link = linked(RUNNING)
    link.start()
    asked = link.follower.asked
    assert asked[0] == "STOP SLAVE" and asked[-1].startswith("START SLAVE")
    assert "MASTER_PORT = 3306," in asked[1] and "secret" in asked[1] and "MASTER_USE_GTID = slave_pos" in asked[1]
    assert link.source.asked[1] == "KILL 7", "what an earlier follower left"
    assert any("durascope_repl" in sql and "secret" in sql for sql in link.source.asked)
    assert all(sql.strip() for sql in (*asked, *link.source.asked))
    replace(link, port=99).start()
    assert any("MASTER_PORT = 99," in sql for sql in asked), "that of the wire between them"


def test_a_fresh_follower_begins_at_the_position_of_its_source(linked):
    link = linked(RUNNING, written="0-1-7")
    link.begin()
    assert link.follower.asked == [("SET GLOBAL gtid_slave_pos = %s", "0-1-7")] and link.source.asked == []


def test_what_a_follower_received_and_what_it_applied_are_told_apart(linked):
    link = linked(RUNNING, applied="0-1-8")
    assert (link.received(), link.executed()) == ("0-1-9", "0-1-8")


def test_an_earlier_follower_that_has_just_left_is_no_error(linked):
    link = linked(RUNNING)
    link.source.says["kill"] = ServerError("127.0.0.1 answered with error 1094: Unknown thread id: 7.")
    link.start()
    assert link.follower.asked[-1].startswith("START SLAVE")


def test_a_replica_settles_when_all_that_it_received_is_applied(linked):
    link = linked(changed(Gtid_IO_Pos="0-1-9"), applied=Answers(["0-1-8", "0-1-9"]))
    link.settle(30)
    assert link.follower.asked == ["STOP SLAVE IO_THREAD", "STOP SLAVE"]


def test_more_will_not_come_where_applying_has_ended(linked):
    link = linked(changed(Slave_SQL_Running="No"), applied="0-1-8")
    link.settle(0)
    assert link.follower.asked[-1] == "STOP SLAVE"


@pytest.mark.parametrize(("applied", "says"), [("0-1-8", "no error was reported"), ("0-1-9", "")])
def test_applying_that_ended_early_is_told_even_without_an_error(linked, applied, says):
    assert linked(changed(Slave_SQL_Running="No"), applied=applied).apply_error() == says


def test_the_error_that_ended_applying_is_told_and_none_of_receiving(linked):
    failed = {"Slave_SQL_Running": "No", "Last_SQL_Errno": "1062", "Last_SQL_Error": "twice"}
    received = {"Slave_IO_Running": "No", "Last_IO_Errno": "1236", "Last_IO_Error": "gone"}
    assert linked(changed(**failed, **received), applied="0-1-8").apply_error() == "1062: twice"
    assert linked(changed(**received)).apply_error() == ""


@pytest.mark.parametrize(("applied", "told"), [("0-1-8", "0-1-8 of 0-1-9"), ("", "nothing of 0-1-9")])
def test_a_replica_that_does_not_apply_in_time_raises(linked, applied, told):
    link = linked(RUNNING, applied=applied)
    with pytest.raises(SandboxError, match=f"did not apply within 0 s what it had received: it is at {told}"):
        link.settle(0)
    assert "STOP SLAVE" not in link.follower.asked


def test_a_link_has_a_password_of_its_own():
    one, other = Link(None, None), Link(None, None)
    assert len(one.password) == 32 and one.password != other.password and one.password not in repr(one)


@pytest.mark.parametrize(("some", "others", "count"), [("0-1-9", "0-1-7", 2), ("0-1-7", "0-1-9", 0), ("0-1-3", "", 3)])
def test_how_far_one_position_is_ahead(some, others, count):
    assert ahead(some, others) == count
