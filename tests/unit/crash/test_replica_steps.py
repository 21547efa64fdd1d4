"""What a replica is told to do after a crash, and what its answers come to."""

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SECRET
from tests.unit.crash.parts import Part
from workers.crash import dialects, replica
from workers.crash.compare_tables import WRITES_ON, Difference
from workers.crash.evidence import Seen
from workers.crash.replica import Replica
from workers.crash.replica_link import Followed
from workers.crash.transactions import statements
from workers.errors import SandboxError, ServerError

SEEN = Seen(np.array([1]))
AFTER, WROTE_ON, REJOIN = "after recovery", "after the primary wrote on", replica.REJOIN


class Link(Part):
    def __init__(self, notes, **answers):
        super().__init__("link", notes, **{"follow": Followed("caught up"), "applied": "0-1-9", **answers})
        self.source, self.follower = (SimpleNamespace(target=name, build=None) for name in ("primary", "replica"))
        self.dialect = dialects.DIALECTS["mariadb"][0]


@pytest.fixture
def asked(monkeypatch):
    """What servers were asked, as (server, statement, values); `answers`: beginning of a statement -> rows."""
    found = SimpleNamespace(sql=[], answers={}, values={})

    def rows(server, sql, args=()):
        found.sql.append((server.name, sql, *args))
        return next((rows for begin, rows in found.answers.items() if sql.startswith(begin)), [])

    def connect(target):
        schema = lambda name: found.sql.append((target, "USE", name))  # noqa: E731
        return nullcontext(SimpleNamespace(name=target, select_db=schema))

    monkeypatch.setattr(replica, "connect", connect)
    monkeypatch.setattr("workers.servers.ask.rows", rows)
    monkeypatch.setattr("workers.servers.ask.names_to_values", lambda server, sql: found.values)
    monkeypatch.setattr("workers.servers.ask.value", lambda server, sql, args: found.answers.get(sql[:10]))
    monkeypatch.setattr(replica.compare_tables, "read_rows", lambda server, schema: (server.name, schema))
    monkeypatch.setattr(replica.compare_tables, "seen", lambda rows, secret: SEEN)
    monkeypatch.setattr(
        replica.compare_tables, "difference", lambda left, right: Difference(2, 1, ((0, 1), (0, 2)), ((1, 1),))
    )
    return found


def made(notes, **answers):
    sandbox = SimpleNamespace(target="replica", root="root")
    return Replica(sandbox, Link(notes, **answers), SECRET)


def test_before_it_is_promoted_it_applies_what_it_has(asked):
    notes = []
    one = made(notes)
    assert one.promote() is SEEN
    assert notes == ["link.settle"] and one.link.given["settle"] == (120.0,)


@pytest.mark.parametrize(
    ("followed", "state", "error"),
    [
        (Followed("caught up"), "caught up", ""),
        (Followed("stopped", "1236: bogus data"), "stopped", "1236: bogus data"),
    ],
)
def test_a_reconnected_replica_is_compared_with_its_primary(asked, followed, state, error):
    notes = []
    found = made(notes, follow=followed).reconnect(AFTER, 5)
    assert (found.moment, found.state, found.error, found.different_rows) == (AFTER, state, error, 3)
    assert (found.seen, found.only_source, found.only_follower) == (SEEN, ((0, 1), (0, 2)), ((1, 1),))
    assert notes == ["link.settle", "link.start", "link.follow"]


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({"follow": Followed("unknown", "Not caught up within 5 s.")}, "Not caught up within 5 s."),
        ({"settle": SandboxError("It did not apply.")}, "It did not apply."),
        ({"start": ServerError("It is gone.")}, "It is gone."),
    ],
)
def test_a_failed_step_gives_an_unknown_replica(asked, answers, error):
    found = made([], **answers).reconnect(WROTE_ON)
    assert (found.moment, found.state, found.different_rows, found.seen) == (WROTE_ON, "unknown", None, None)
    assert found.error.startswith(error)


def test_it_is_reconnected_before_and_after_the_primary_wrote_on(asked, monkeypatch):
    one, done = made([]), []
    for name in ("can_rejoin", "reconnect"):
        monkeypatch.setattr(Replica, name, lambda self, what, name=name: done.append((name, what)) or (name, what))
    monkeypatch.setattr(Replica, "write_past", lambda self: done.append("write past"))
    settings = {"sync_binlog": "0"}
    rejoined, after, wrote_on = ("can_rejoin", settings), ("reconnect", AFTER), ("reconnect", WROTE_ON)
    assert one.reconnections(settings) == (after, wrote_on, rejoined)
    assert done == [rejoined, after, "write past", wrote_on]


@pytest.mark.parametrize("last", [None, 30])
def test_the_primary_writes_past_the_replica_and_gets_its_settings_back(asked, last):
    asked.values = {"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "2"}
    asked.answers["SELECT MAX"] = last
    assert made([], written="0-1-4").write_past() == 5 + 20
    first = (last or 0) + 10
    numbers = range(first, first + 250, 10)
    written = [sql.decode() for one in statements(SECRET, WRITES_ON, numbers) for sql in one]
    assert [(server, *rest) for server, *rest in asked.sql] == [
        ("primary", "SET GLOBAL sync_binlog = 0"),
        ("primary", "SET GLOBAL innodb_flush_log_at_trx_commit = 0"),
        ("primary", "USE", replica.SCHEMA),
        *(("primary", sql) for sql in written),
        ("primary", "SET GLOBAL sync_binlog = 1"),
        ("primary", "SET GLOBAL innodb_flush_log_at_trx_commit = 2"),
    ]


def test_it_begins_at_the_primarys_position_with_its_tables(asked):
    notes = []
    asked.answers = {
        "SHOW SCHEMAS": [(replica.SCHEMA,)], "SELECT table_name": [("one",), ("another",)],
        "SHOW CREATE": [("one", "CREATE TABLE one (...)")],
    }  # fmt: skip
    made(notes, written="0-1-4").begin()
    assert [sql for server, *sql in asked.sql if server == "replica"] == [
        ["SET SESSION sql_log_bin = 0"], [f"CREATE SCHEMA `{replica.SCHEMA}`"], ["USE", replica.SCHEMA],
        ["CREATE TABLE one (...)"], ["SET GLOBAL gtid_slave_pos = %s", "0-1-4"],
    ]  # fmt: skip
    assert notes == ["link.written", "link.start"]
    asked.sql.clear()
    asked.answers = {}
    made(notes, written="").begin()
    assert [sql for server, *sql in asked.sql if server == "replica"] == [
        ["SET SESSION sql_log_bin = 0"], ["SET GLOBAL gtid_slave_pos = %s", ""],
    ]  # fmt: skip


@pytest.mark.parametrize("demote", ["", "SET GLOBAL gtid_slave_pos = %s"])
def test_a_copy_of_the_old_primary_follows_the_promoted_replica(asked, monkeypatch, demote):
    notes, given = [], []

    @contextmanager
    def twin(*what):
        given.append(what)
        yield SimpleNamespace(target="copy")

    link = Link(notes, written="0-1-9")
    link.source, link.follower = SimpleNamespace(target="replica"), SimpleNamespace(target="copy")
    link.dialect = SimpleNamespace(demote=demote)
    monkeypatch.setattr(replica, "twin", twin)
    monkeypatch.setattr(replica, "Link", lambda source, follower: link)
    one = made([])
    found = one.can_rejoin({"sync_binlog": "0", "log_bin": "OFF"})
    assert (found.moment, found.state, found.different_rows) == (REJOIN, "caught up", 3)
    assert given == [(one.link.source, "root", {"sync_binlog": "0", "log_bin": "ON"})]
    assert asked.sql == ([("copy", demote, "0-1-9")] if demote else [])
    monkeypatch.setattr(replica, "twin", lambda *_: (_ for _ in ()).throw(SandboxError("No room.")))
    assert (one.can_rejoin({}).state, one.can_rejoin({}).error[:8]) == ("unknown", "No room.")


@pytest.mark.parametrize(
    ("log_bin", "held", "rows", "refusal"),
    [
        (1, {"gtid_mode": "ON", "enforce_gtid_consistency": "1"}, [], None),
        (0, {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}, [], "without a binlog"),
        (1, {"gtid_mode": "OFF", "enforce_gtid_consistency": "ON"}, [], "gtid_mode=OFF cannot"),
        (1, {"gtid_mode": "ON"}, [], "enforce_gtid_consistency=None cannot"),
        (1, {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}, [(1,)], "table one already has rows"),
    ],
)
def test_of_which_primary_a_replica_can_be_made(asked, log_bin, held, rows, refusal):
    asked.answers = {"SELECT @@GLOBAL.log_bin": [(log_bin, 7)], "SELECT table_name": [("one",)], "SELECT 1": rows}
    asked.values = held
    primary = SimpleNamespace(name="primary")
    if refusal is None:
        assert replica._must_replicate(dialects.DIALECTS["mysql"][-1], primary) == 7
    else:
        with pytest.raises(SandboxError, match=refusal):
            replica._must_replicate(dialects.DIALECTS["mysql"][-1], primary)
