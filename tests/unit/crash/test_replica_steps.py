"""What a replica is told to do after a crash, and what its answers come to."""

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SECRET
from tests.unit.crash.parts import Part
from tests.unit.servers.played import Played
from workers.crash import dialects, replica
from workers.crash.compare_tables import WRITES_ON, Difference
from workers.crash.evidence import Seen
from workers.crash.replica import Replica, ReplicaPorts
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


class Server(Played):
    """Notes each statement that changes something."""

    def __init__(self, name, answers, changes):
        super().__init__(answers)
        self.name, self.changes = name, changes

    def execute(self, sql, args=None):
        self._rows = next((rows for begin, rows in self.answers.items() if sql.startswith(begin)), [])
        if not sql.startswith(("SELECT", "SHOW")):
            self.changes.append((self.name, sql, *(args or ())))

    def select_db(self, name):
        self.changes.append((self.name, "USE", name))


def test_a_replica_follows_before_the_load_and_its_account_is_on_disk(monkeypatch):
    notes, created = [], []
    answers = {
        "SELECT @@GLOBAL.log_bin": [(1, 7)], "SHOW GLOBAL VARIABLES": [(name, "ON") for name in ("gtid_strict_mode",)],
        "": [],
    }  # fmt: skip

    def create(root, build, settings, **how):
        created.append((settings, how))
        return nullcontext(SimpleNamespace(target="replica", build=build))

    monkeypatch.setattr(replica, "connect", lambda target: nullcontext(Played(answers)))
    monkeypatch.setattr(replica, "Sandbox", SimpleNamespace(create=create))
    monkeypatch.setattr(replica, "Link", lambda primary, follower: Link(notes))
    monkeypatch.setattr(Replica, "begin", lambda self: notes.append("replica.begin"))
    primary = Part("primary", notes)
    primary.target, primary.name = "primary", "box"
    build = SimpleNamespace(flavour="mariadb", version=(10, 11, 19), title="MariaDB")
    with replica.attach(None, build, primary, SECRET, settings={"sync_binlog": "0"}) as made:
        assert notes == ["replica.begin", "primary.settle"], "the account must survive a crash"
    ((settings, how),) = created
    assert (settings["server_id"], settings["sync_binlog"]) == ("8", "0")
    assert how == {"name": "replica of box", "trace": False, "user": "", "datadir_on": None}
    assert made.settings == settings


@pytest.fixture
def asked():
    """`changes`: (server, statement, values); `answers`: beginning of a statement -> rows."""
    found = SimpleNamespace(changes=[], answers={})
    found.ports = ReplicaPorts(
        connect=lambda target: nullcontext(Server(target, found.answers, found.changes)),
        read_rows=lambda server, schema: (server.name, schema),
        seen=lambda rows, secret: SEEN,
        difference=lambda left, right: Difference(2, 1, ((0, 1), (0, 2)), ((1, 1),)),
    )
    return found


def made(asked, notes, kind=Replica, **answers):
    sandbox = SimpleNamespace(target="replica", root="root")
    return kind(sandbox, Link(notes, **answers), SECRET, ports=asked.ports)


def test_before_it_is_promoted_it_applies_what_it_has(asked):
    notes = []
    one = made(asked, notes)
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
    found = made(asked, notes, follow=followed).reconnect(AFTER, 5)
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
    found = made(asked, [], **answers).reconnect(WROTE_ON)
    assert (found.moment, found.state, found.different_rows, found.seen) == (WROTE_ON, "unknown", None, None)
    assert found.error.startswith(error)


def test_a_replica_is_reconnected_before_and_after_the_primary_writes_on(asked):
    done = []

    class Noted(Replica):
        def can_rejoin(self, settings):
            done.append(("can_rejoin", settings))
            return done[-1]

        def reconnect(self, moment, limit_s=0):
            done.append(("reconnect", moment))
            return done[-1]

        def write_past(self):
            done.append("write past")

    one = made(asked, [], Noted)
    settings = {"sync_binlog": "0"}
    rejoined, after, wrote_on = ("can_rejoin", settings), ("reconnect", AFTER), ("reconnect", WROTE_ON)
    assert one.reconnections(settings) == (after, wrote_on, rejoined)
    assert done == [rejoined, after, "write past", wrote_on]


@pytest.mark.parametrize("last", [None, 30])
def test_the_primary_writes_past_the_replica_and_gets_its_settings_back(asked, last):
    asked.answers["SHOW GLOBAL VARIABLES"] = [("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "2")]
    asked.answers["SELECT MAX"] = [(last,)]
    assert made(asked, [], written="0-1-4").write_past() == 5 + 20
    first = (last or 0) + 10
    numbers = range(first, first + 250, 10)
    written = [sql.decode() for one in statements(SECRET, WRITES_ON, numbers) for sql in one]
    assert [(server, *rest) for server, *rest in asked.changes] == [
        ("primary", "SET GLOBAL sync_binlog = 0"),
        ("primary", "SET GLOBAL innodb_flush_log_at_trx_commit = 0"),
        ("primary", "USE", replica.SCHEMA),
        *(("primary", sql) for sql in written),
        ("primary", "SET GLOBAL sync_binlog = 1"),
        ("primary", "SET GLOBAL innodb_flush_log_at_trx_commit = 2"),
    ]


def test_a_replica_begins_at_the_primarys_position_with_its_tables(asked):
    notes = []
    asked.answers = {
        "SHOW SCHEMAS": [(replica.SCHEMA,)], "SELECT table_name": [("one",), ("another",)],
        "SHOW CREATE": [("one", "CREATE TABLE one (...)")],
    }  # fmt: skip
    made(asked, notes, written="0-1-4").begin()
    assert [sql for server, *sql in asked.changes if server == "replica"] == [
        ["SET SESSION sql_log_bin = 0"], [f"CREATE SCHEMA `{replica.SCHEMA}`"], ["USE", replica.SCHEMA],
        ["CREATE TABLE one (...)"], ["SET GLOBAL gtid_slave_pos = %s", "0-1-4"],
    ]  # fmt: skip
    assert notes == ["link.written", "link.start"]
    asked.changes.clear()
    asked.answers = {}
    made(asked, notes, written="").begin()
    assert [sql for server, *sql in asked.changes if server == "replica"] == [
        ["SET SESSION sql_log_bin = 0"], ["SET GLOBAL gtid_slave_pos = %s", ""],
    ]  # fmt: skip


@pytest.mark.parametrize("demote", ["", "SET GLOBAL gtid_slave_pos = %s"])
def test_a_copy_of_the_old_primary_follows_the_promoted_replica(asked, demote):
    notes, given = [], []

    @contextmanager
    def twin(*what):
        given.append(what)
        yield SimpleNamespace(target="copy")

    link = Link(notes, written="0-1-9")
    link.source, link.follower = SimpleNamespace(target="replica"), SimpleNamespace(target="copy")
    link.dialect = SimpleNamespace(demote=demote)
    ports = replace(asked.ports, twin=twin, link=lambda source, follower: link)
    one = replace(made(asked, before := []), ports=ports)
    found = one.can_rejoin({"sync_binlog": "0", "log_bin": "OFF"})
    assert (found.moment, found.state, found.different_rows) == (REJOIN, "caught up", 3)
    assert before == ["link.settle"], "it has applied what it received"
    assert given == [(one.link.source, "root", {"sync_binlog": "0", "log_bin": "ON"})]
    assert asked.changes == ([("copy", demote, "0-1-9")] if demote else [])

    def no_room(*_):
        raise SandboxError("No room.")

    full = replace(one, ports=replace(ports, twin=no_room)).can_rejoin({})
    assert (full.state, full.error[:8]) == ("unknown", "No room.")


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
def test_of_which_primary_a_replica_can_be_made(log_bin, held, rows, refusal):
    answers = {"SELECT @@GLOBAL.log_bin": [(log_bin, 7)], "SELECT table_name": [("one",)], "SELECT 1": rows}
    primary = Played({**answers, "SHOW GLOBAL VARIABLES": [*held.items()]})
    if refusal is None:
        assert replica._must_replicate(dialects.DIALECTS["mysql"][-1], primary) == 7
    else:
        with pytest.raises(SandboxError, match=refusal):
            replica._must_replicate(dialects.DIALECTS["mysql"][-1], primary)
