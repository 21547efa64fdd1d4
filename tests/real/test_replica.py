"""A replica of a real server: caught up and equal, stopped, or silently different."""

from dataclasses import replace
from itertools import chain

import pymysql
import pytest

from workers.crash import compare_tables, dialects
from workers.crash.image import make_tables
from workers.crash.replica import AFTER_RECOVERY, LIMIT_S, REJOIN, SCHEMA, WROTE_ON, attach
from workers.crash.transactions import key, statements
from workers.errors import SandboxError
from workers.host.until import until
from workers.sandbox import builds
from workers.sandbox.process import start_time
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.network.wires import Wires

SETTINGS = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0", "slave_parallel_threads": "0"}
SECRET = b"known to tests.."
PART_BYTES = 40_000_000  # of a transaction of 320 MB


def run(sandbox, *said):
    with connect(sandbox.target) as connection, connection.cursor() as cursor:
        for sql in said:
            cursor.execute(sql)
        return cursor.fetchall()


def commit(sandbox, client, numbers):
    run(sandbox, f"USE {SCHEMA}", *chain.from_iterable(statements(SECRET, client, numbers)))


def forget(primary, replica, keep):
    """What a power loss does to an undurable primary, by hand: it goes on with `keep` transactions of client 1,
    its engine and its binlog having lost the rest; the next GTID is one that the replica already knows."""
    tables = [f"DELETE FROM {SCHEMA}.{table} WHERE n > {keep}" for table in ("one", "left_half", "right_half")]
    position = run(primary, "SELECT @@gtid_binlog_pos")[0][0]
    lost = run(
        primary,
        f"SELECT COUNT(*) FROM (SELECT DISTINCT n FROM {SCHEMA}.one WHERE n > {keep} UNION "
        f"SELECT n FROM {SCHEMA}.left_half WHERE n > {keep}) AS gone",
    )[0][0]
    number = int(position.rsplit("-", 1)[1]) - lost
    run(primary, "SET sql_log_bin = 0", *tables, "RESET MASTER", f"SET GLOBAL gtid_binlog_state = '0-1-{number}'")


@pytest.fixture(scope="module")
def primary(make_sandbox):
    return make_sandbox(SETTINGS, name="primary", trace=False)


@pytest.fixture
def replica(primary, sandbox_root):
    run(primary, f"DROP SCHEMA IF EXISTS {SCHEMA}", f"CREATE SCHEMA {SCHEMA}")
    with connect(primary.target) as connection:
        make_tables(connection, SCHEMA, "innodb")
    with attach(sandbox_root, builds.find("system-mariadb"), primary, SECRET) as made:
        yield made


def test_a_replica_catches_up_and_equals_its_primary_after_a_kill(primary, replica):
    """The negative control, through a kill of the primary and a recovery on which nothing is lost."""
    commit(primary, 1, range(1, 101))
    assert replica.link.follow(LIMIT_S).state == "caught up"
    primary.settle()
    primary.kill()
    primary.restart(SETTINGS)
    assert replica.promote().whole.tolist() == [key(1, n) for n in range(1, 101)]
    rejoined = replica.can_rejoin(SETTINGS)
    assert (rejoined.moment, rejoined.state, rejoined.different_rows) == (REJOIN, "caught up", 0)
    after = replica.reconnect(AFTER_RECOVERY)
    assert (after.state, after.error, after.different_rows) == ("caught up", "", 0)
    assert replica.write_past() >= 20
    on = replica.reconnect(WROTE_ON)
    assert (on.state, on.different_rows, len(on.seen.whole), len(on.seen.parts)) == ("caught up", 0, 120, 0)
    assert on.seen.altered.size == 0


def test_a_replica_that_is_ahead_stops_and_later_differs_silently(primary, replica):
    """The positive control: GTIDs that were given out again."""
    commit(primary, 1, range(1, 101))
    assert replica.link.follow(LIMIT_S).state == "caught up"
    replica.promote()
    forget(primary, replica, keep=80)
    stopped = replica.reconnect(AFTER_RECOVERY)
    assert stopped.state == "stopped"
    assert stopped.error.startswith("1236: Got fatal error 1236 from master when reading data from binary log:")
    assert "which is not in the master's binlog" in stopped.error
    assert stopped.only_follower[0] == (1, 81) and stopped.only_source == ()
    assert replica.write_past() >= 20 + 20
    on = replica.reconnect(WROTE_ON)
    assert (on.state, on.error) == ("caught up", "")
    assert on.different_rows > 40  # 20 transactions only there, 20 only here
    assert on.only_follower[0] == (1, 81) and on.only_source[0][0] == compare_tables.WRITES_ON
    assert len(on.seen.whole) == 100 + 20


def test_a_row_deleted_on_the_primary_is_named(primary, replica):
    commit(primary, 2, range(1, 21))
    replica.link.follow(LIMIT_S)
    run(primary, "SET sql_log_bin = 0", f"DELETE FROM {SCHEMA}.right_half WHERE n = 14")
    seen = replica.reconnect(AFTER_RECOVERY)
    assert (seen.state, seen.different_rows, seen.only_follower, seen.only_source) == ("caught up", 1, ((2, 14),), ())


def test_a_row_that_differs_and_a_row_that_is_wrong_on_both_sides_are_named(primary, replica):
    commit(primary, 2, range(1, 21))
    replica.link.follow(LIMIT_S)
    run(primary, f"UPDATE {SCHEMA}.one SET digest = digest + 1 WHERE n = 10")
    run(primary, "SET sql_log_bin = 0", f"UPDATE {SCHEMA}.one SET digest = digest + 1 WHERE n = 5")
    seen = replica.reconnect(AFTER_RECOVERY)
    assert (seen.state, seen.different_rows, seen.only_follower, seen.only_source) == (
        "caught up", 2, ((2, 5),), ((2, 5),),
    )  # fmt: skip
    assert seen.seen.altered.tolist() == [key(2, 10)]


def test_the_error_of_a_replica_that_cannot_apply_is_kept(primary, replica):
    run(replica.sandbox, "SET sql_log_bin = 0", f"INSERT INTO {SCHEMA}.one VALUES (3, 5, 0, 0)")
    commit(primary, 3, range(1, 11))
    seen = replica.reconnect(AFTER_RECOVERY)
    assert seen.state == "stopped"
    assert seen.error.startswith("1062: ") and "Duplicate entry '3-5-0' for key 'PRIMARY'" in seen.error
    assert [parts for parts in seen.only_source if parts[1] > 5]


def test_a_promotion_tells_what_is_lost_and_that_the_old_primary_cannot_rejoin(primary, replica):
    commit(primary, 1, range(1, 31))
    replica.link.follow(LIMIT_S)
    replica.promote()
    commit(primary, 1, range(31, 41))  # acknowledged, and never sent to the replica
    assert replica.promote().whole.tolist() == [key(1, n) for n in range(1, 31)]
    before = run(primary, "SELECT @@gtid_binlog_pos")
    rejoined = replica.can_rejoin(SETTINGS)
    assert rejoined.state == "stopped" and rejoined.error.startswith("1236: ")
    assert rejoined.only_follower[0] == (1, 31)
    assert run(primary, "SELECT @@gtid_binlog_pos") == before
    assert replica.reconnect(AFTER_RECOVERY).different_rows == 0  # both were left as they were


def test_an_old_primary_that_rejoins_and_silently_differs_is_found(primary, replica):
    commit(primary, 1, range(1, 31))
    replica.link.follow(LIMIT_S)
    replica.promote()
    run(primary, "SET sql_log_bin = 0", f"DELETE FROM {SCHEMA}.one WHERE n = 10")
    rejoined = replica.can_rejoin(SETTINGS)
    assert (rejoined.state, rejoined.different_rows, rejoined.only_source) == ("caught up", 1, ((1, 10),))


def test_a_replica_whose_primary_is_gone_is_unknown(primary, replica):
    primary.kill()
    try:
        seen = replica.reconnect(AFTER_RECOVERY)
        assert (seen.state, seen.different_rows) == ("unknown", None)
        assert seen.error
    finally:
        primary.restart(SETTINGS)


def test_a_replica_that_does_not_apply_in_time_is_unknown(primary, replica):
    replica.promote()
    commit(primary, 1, range(1, 11))
    with connect(replica.sandbox.target) as busy:
        ask.rows(busy, f"LOCK TABLES {SCHEMA}.one WRITE")  # it cannot apply
        seen = replica.reconnect(AFTER_RECOVERY, limit_s=0)
    assert (seen.state, seen.different_rows) == ("unknown", None)
    assert "Not caught up within 0 s" in seen.error


def test_the_account_of_the_replica_is_in_no_binlog_and_nothing_is_left(primary, replica, sandbox_root):
    replica.reconnect(AFTER_RECOVERY)
    password = replica.link.password.encode()
    binlogs = list(primary.datadir.glob("binlog.0*")) + list(replica.sandbox.datadir.glob("binlog.0*"))
    assert binlogs and not [
        one for one in binlogs if password in one.read_bytes() or b"durascope_repl" in one.read_bytes()
    ]
    pid, folder = replica.sandbox.pid, replica.sandbox.folder
    before = len(list((sandbox_root / "live").iterdir()))
    replica.can_rejoin(SETTINGS)
    assert len(list((sandbox_root / "live").iterdir())) == before
    replica.sandbox.remove()
    assert start_time(pid) is None and not folder.exists()


def test_a_primary_without_a_binlog_or_under_load_is_refused(make_sandbox, primary, replica, sandbox_root):
    build = builds.find("system-mariadb")
    commit(primary, 1, [1])
    with (
        pytest.raises(SandboxError, match="Attach the replica before the load"),
        attach(sandbox_root, build, primary, SECRET),
    ):
        pass
    bare = make_sandbox({}, name="no binlog", trace=False)
    with pytest.raises(SandboxError, match="Set log_bin to ON"), attach(sandbox_root, build, bare, SECRET):
        pass


def test_rows_are_read_as_the_driver_reads_them(primary, replica):
    commit(primary, 7, range(1, 200))
    with connect(primary.target) as connection:
        read = compare_tables.read_rows(connection, SCHEMA)
        with connection.cursor(pymysql.cursors.Cursor) as cursor:
            cursor.execute(f"SELECT client, n, part, digest FROM {SCHEMA}.one")
            plain = {(key(client, n), part, digest) for client, n, part, digest in cursor.fetchall()}
    parts = {part: placed for (table, part), placed in read.items() if table == "one"}
    assert plain == {
        (row, part, digest)
        for part, placed in parts.items()
        for row, digest in zip(placed.keys.tolist(), placed.digests.tolist(), strict=True)
    }


def test_a_replica_of_mysql_that_has_received_a_part_of_a_transaction_stops(sandbox_root):
    """Its applier waits 60 s for the rest."""
    try:
        build = builds.find("mysql-9.7")
    except SandboxError as absent:
        pytest.skip(str(absent))
    settings = dialects.of(build).of_source | {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0"}
    with Sandbox.create(sandbox_root, build, settings, name="primary", trace=False) as source, Wires() as wires:
        wire = wires.join(source.target.port)
        with attach(sandbox_root, build, source, SECRET) as made:
            link = replace(made.link, port=wire.port)
            link.start()
            run(source, "CREATE SCHEMA large", "CREATE TABLE large.t (b LONGBLOB) ENGINE=InnoDB")
            assert link.follow(LIMIT_S).state == "caught up"
            run(source, "BEGIN", *["INSERT INTO large.t VALUES (REPEAT('x', 16000000))"] * 20, "COMMIT")
            with connect(made.sandbox.target) as follower:
                assert until(lambda: int(link.status(follower)["Relay_Log_Space"]) > PART_BYTES, LIMIT_S, 0.001)
            wire.partition()
            link.settle(LIMIT_S)
            assert "deferring to exit until the group completion" in made.sandbox.log_text
            assert run(made.sandbox, "SELECT COUNT(*) FROM large.t") == ((0,),)
