"""Version numbers against histories whose lost updates and stale reads are known."""

import threading
from collections import Counter
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
