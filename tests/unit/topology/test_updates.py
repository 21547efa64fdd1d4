"""Version numbers against histories whose lost updates and stale reads are known."""

import threading
import time
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from workers.errors import ServerError
from workers.topology import updates
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.kind import contradictions
from workers.topology.setup_and_result import UpdatesSeen
from workers.topology.topology import Topology, parse
from workers.topology.updates import VersionLedger


def known(*written, **counts):
    return VersionLedger(Counter(written), reads=9, **counts)


def test_a_version_that_two_transactions_wrote_is_one_lost_update():
    assert known((0, 1), (0, 2), (0, 2), (1, 2), refused=4).seen({0: 2, 1: 2}) == UpdatesSeen(4, 4, 1, 0, 9, 0)
    assert known((0, 2), (0, 2), (0, 2), stale=5).seen({0: 2}) == UpdatesSeen(3, 0, 2, 0, 9, 5)


def test_versions_above_the_one_that_was_kept_are_missing():
    ledger = known((0, 1), (0, 2), (0, 3), (1, 1))
    assert ledger.seen({0: 1, 1: 1}).missing == 2 and ledger.seen({0: 3}).missing == 1, "a row that is gone"
    assert ledger.seen(None).missing is None


class Rows:
    """One row of a server whose reads are late by so many versions; every third transaction is refused."""

    def __init__(self, late=0, isolated=True):
        self.versions, self.late, self.isolated, self.lock = [0], late, isolated, threading.Lock()
        self.commits = 0

    def rows(self, connection, sql, args=()):
        if sql.startswith("UPDATE"):
            connection.writes = args[0]
        if sql == "COMMIT":
            self._commit(connection.writes)

    def value(self, connection, sql, args=()):
        connection.read_at = len(self.versions)
        return self.versions[max(0, len(self.versions) - 1 - self.late)]

    def _commit(self, version):
        with self.lock:
            self.commits += 1
            if self.commits % 3 == 0 or (self.isolated and version != self.versions[-1] + 1):
                raise ServerError("1213: deadlock")
            self.versions.append(version)


@pytest.fixture
def clients(monkeypatch):
    """`clients(rows)`: what clients know after twelve transactions of one of them."""

    def told(rows):
        monkeypatch.setattr(updates.ask, "rows", rows.rows)
        monkeypatch.setattr(updates.ask, "value", rows.value)
        one = updates.VersionClients.__new__(updates.VersionClients)
        one.ledger, one._way, one._lock = VersionLedger(), updates.WAYS["plain"], threading.Lock()
        connection = SimpleNamespace()
        assert all(one._updated(connection, 0) for _ in range(12))
        return one.ledger.seen({0: rows.versions[-1]})

    return told


def test_a_server_that_isolates_loses_no_update(clients):
    assert clients(Rows()) == UpdatesSeen(acknowledged=8, refused=4, overwritten=0, missing=0, reads=12, stale=0)


def test_a_late_read_is_stale_also_when_its_transaction_is_refused(clients):
    found = clients(Rows(late=1))
    assert found.stale > 0 and found.overwritten == 0 and found.acknowledged < 12 == found.reads


def test_a_late_read_that_may_be_written_back_overwrites_an_update(clients):
    assert clients(Rows(late=1, isolated=False)).overwritten > 0


class Servers:
    """Each counts the versions of its rows; `sent`: (server, statement, values) of each connection."""

    def __init__(self):
        self.sent, self.gone, self.lock = [], set(), threading.Lock()
        self.versions = Counter()

    @contextmanager
    def connect(self, target, **_):
        yield SimpleNamespace(target=target, sent=[])

    def rows(self, connection, sql, args=()):
        if connection.target in self.gone:
            raise ServerError("2013: it hung up")
        with self.lock:
            self.sent.append((connection.target, sql, *args))
        connection.sent.append(sql)
        if sql == updates.WRITE:
            connection.wrote = args
        if sql == "COMMIT":
            time.sleep(0.001)
            self.versions[connection.wrote[1]] = connection.wrote[0]
        return []

    def value(self, connection, sql, args=()):
        assert connection.sent[-1] == "BEGIN", "each update is a transaction of its own"
        self.rows(connection, sql, args)
        return self.versions[args[0]]


@pytest.fixture
def servers(monkeypatch):
    made = Servers()
    monkeypatch.setattr(updates, "connect", made.connect)
    monkeypatch.setattr(updates.ask, "rows", made.rows)
    monkeypatch.setattr(updates.ask, "value", made.value)
    return made


ON_ONE = 3  # clients of the first of two servers


def until(holds):
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def at_work():
    return [thread for thread in threading.enumerate() if thread.name == "updates"]


def test_clients_make_their_table_and_update_each_row_on_each_server(servers):
    clients = updates.VersionClients(["one", "two"], "snapshot")
    made = [*((statement,) for statement in updates.MAKE), *((f"INSERT INTO {updates.TABLE} VALUES (%s, 0)", row)
                                                             for row in range(updates.ROWS))]  # fmt: skip
    assert [sent for _, *sent in servers.sent] == [[*one] for one in made] and {one[0] for one in servers.sent} == {
        "one"
    }
    assert at_work() == []
    clients.begin()
    until(lambda: clients.ledger.reads > 40 and len(clients.ledger.newest) == updates.ROWS)
    assert all(thread.daemon for thread in at_work())
    clients.close()
    assert (
        at_work() == []
        and sum(sent == updates.SNAPSHOT for _, sent, *_ in servers.sent) == updates.ROWS * updates.EACH_ROW
    )
    reads = {(target, row) for target, sql, *row in servers.sent for row in row if sql == updates.READ}
    assert reads == {("one", 0), ("two", 0), ("one", 1), ("two", 1)}, "updates of one row meet on two servers"
    asked = clients.ledger.reads
    clients.close()
    assert clients.ledger.reads == asked == clients.ledger.seen({}).acknowledged


def test_clients_that_never_began_can_be_closed(servers):
    updates.VersionClients(["one"], "plain").close()
    assert at_work() == []


def test_a_client_ends_with_its_connection_and_others_go_on(servers):
    """The transaction under way is refused, and its ROLLBACK fails too."""
    clients = updates.VersionClients(["one", "two"], "plain")
    clients.begin()
    until(lambda: clients.ledger.reads > 10)
    servers.gone.add("one")
    until(lambda: len(at_work()) == ON_ONE)
    seen = clients.ledger.reads
    until(lambda: clients.ledger.reads > seen + 10)
    clients.close()
    assert clients.ledger.refused == ON_ONE


def test_a_refused_transaction_is_rolled_back_before_the_next_one(servers, monkeypatch):
    one = updates.VersionClients(["one"], "plain")
    servers.versions[0] = 5
    refusing = SimpleNamespace(target="one", sent=[])

    def refuse(connection, sql, args=()):
        refusing.sent.append(sql)
        if sql == "COMMIT":
            raise ServerError("1213: deadlock")
        return Servers.rows(servers, connection, sql, args)

    servers.rows = refuse
    monkeypatch.setattr(updates.ask, "rows", refuse)
    assert one._updated(refusing, 0) and refusing.sent[-1] == "ROLLBACK"
    assert (one.ledger.refused, one.ledger.written.total(), one.ledger.newest[0]) == (1, 0, 0)


def test_the_acknowledged_version_is_the_one_that_was_written(servers):
    one = updates.VersionClients(["one"], "plain")
    servers.versions[0] = 5
    assert one._updated(SimpleNamespace(target="one", sent=[]), 0)
    assert (dict(one.ledger.written), one.ledger.newest[0]) == ({(0, 6): 1}, 6)


def test_the_versions_of_the_new_primary_are_those_of_its_rows(servers, monkeypatch):
    tables = {updates.PRESENT: [(1,)], updates.ALL: [(0, 7), (1, 9)]}
    asked = []
    monkeypatch.setattr(updates.ask, "rows", lambda connection, sql, args=(): asked.append(sql) or tables[sql])
    assert updates.kept_versions("one") == {0: 7, 1: 9} and asked == [updates.PRESENT, updates.ALL]
    tables |= {"SET x = 1": [], updates.PRESENT: []}
    assert updates.kept_versions("one", "SET x = 1") == {}, "the table did not arrive"
    assert asked[2:] == ["SET x = 1", updates.PRESENT]
    monkeypatch.setattr(updates.ask, "rows", servers.rows)
    servers.gone.add("one")
    assert updates.kept_versions("one") is None


def test_each_way_is_written_as_part_of_a_topology():
    assert {way: parse(f"async+updates={way}").updates for way in updates.WAYS} == {way: way for way in updates.WAYS}


@pytest.mark.parametrize(
    ("kind", "flavour", "way", "why"),
    [
        ("async", "mysql", "snapshot", "only MariaDB knows innodb_snapshot_isolation"),
        ("async", "mariadb", "causal", "only Galera knows wsrep_sync_wait"),
        ("async", "mysql", "causal", "only MariaDB knows"),
        ("async", "mysql", "locking", ""),
        ("galera", "mariadb", "causal", ""),
    ],
)
def test_a_way_that_a_server_does_not_know_is_refused(kind, flavour, way, why):
    build = SimpleNamespace(flavour=flavour, version=(10, 11, 19), title=flavour)
    replicas = 2 if kind == "galera" else 1
    wrong = contradictions(TOPOLOGY_KINDS[kind], Topology(kind, replicas, updates=way), build)
    assert bool(wrong) is bool(why) and why in "".join(wrong)
