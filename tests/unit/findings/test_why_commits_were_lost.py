"""The cause of a loss: which log lacked what, and which setting prevents it."""

import pytest

from dashboard.findings.crash.why import FLUSH, ROCKSDB_FLUSH, SYNC, Lost, causes

ENGINE = Lost(engine=5, engine_ms=740.0, binlog=0)
BINLOG = Lost(engine=0, binlog=7, binlog_ms=900.0)
POWER, KILL = "power-loss", "process-kill"


def flushed(flush: str, sync: str, **more: str) -> dict[str, str]:
    return {FLUSH: flush, SYNC: sync, **more}


@pytest.mark.parametrize(
    ("kind", "engine", "settings", "lost", "cause", "prevented_by"),
    [
        (
            POWER,
            "innodb",
            flushed("2", "1"),
            ENGINE,
            "was written, but not flushed to the disk",
            f"{FLUSH}=1 prevents this.",
        ),
        (POWER, "innodb", flushed("0", "1"), ENGINE, "in the server's memory", f"{FLUSH}=1 prevents this."),
        (KILL, "innodb", flushed("0", "1"), ENGINE, "in the server's memory", f"{FLUSH}=1 or 2 prevents this."),
        (POWER, "innodb", flushed("1", "0"), ENGINE, "recovery rolled these commits back", f"{SYNC}=1 prevents this."),
        (POWER, "innodb", flushed("1", "0"), BINLOG, "page cache", f"{SYNC}=1 prevents this."),
        (POWER, "innodb", flushed("1", "100"), BINLOG, "sync_binlog=100", f"{SYNC}=1 prevents this."),
        (POWER, "rocksdb", {ROCKSDB_FLUSH: "2", SYNC: "1"}, ENGINE, "memory", f"{ROCKSDB_FLUSH}=1 prevents this."),
        (KILL, "rocksdb", {ROCKSDB_FLUSH: "2", SYNC: "1"}, ENGINE, "memory", f"{ROCKSDB_FLUSH}=1 prevents this."),
        (
            POWER,
            "rocksdb",
            {ROCKSDB_FLUSH: "2", "rocksdb_manual_wal_flush": "OFF", SYNC: "1"},
            ENGINE,
            "was written, but not flushed to the disk",
            f"{ROCKSDB_FLUSH}=1 prevents this.",
        ),
        (
            POWER,
            "innodb",
            flushed("2", "0", binlog_storage_engine="innodb"),
            BINLOG,
            "in the redo log",
            f"{FLUSH}=1 prevents this.",
        ),
    ],
)
def test_a_setting_explains_the_loss(kind, engine, settings, lost, cause, prevented_by):
    (found,) = causes(kind, engine, settings, lost)
    assert cause in found.says and ("write-ahead log" in found.says) == (engine == "rocksdb")
    assert found.prevented_by == prevented_by


def test_what_a_recorded_load_lost_ends_at_its_worst_point():
    """Each log has a worst point of its own. Beyond the whole load no time is told: it would look like a limit."""
    lost = Lost(5, 995.0, 7, 1950.0, of=90, all_before=frozenset({"binlog"}))
    binlog, engine = causes("every-crash-point", "innodb", flushed("2", "0"), lost)
    assert "the binary log of the whole load up to its worst crash point was" in binlog.says
    assert "the redo log of the 995 ms before its worst crash point was" in engine.says
    (killed,) = causes("kill-points", "innodb", flushed("0", "1"), ENGINE)
    assert "the 740 ms before its worst kill point" in killed.says


REPLICA = Lost(engine=0, binlog=0, replica=15)


def test_a_loss_of_the_replica_alone_has_a_cause_too():
    (found,) = causes("replica-crash-points", "innodb", flushed("2", "1"), REPLICA)
    assert found.says.startswith(
        f"{FLUSH}=2 on the replica: the crash took commits from it, and it did not fetch them again."
    )
    assert found.prevented_by == f"{FLUSH}=1 on the replica prevents this."
    (both,) = causes("replica-crash-points", "innodb", flushed("0", "0"), REPLICA)
    assert both.prevented_by == f"{FLUSH}=1 with {SYNC}=1 on the replica prevents this."
    (own,) = causes("replica-crash-points", "innodb", flushed("1", "1"), REPLICA, {FLUSH: "2", SYNC: "1"})
    assert own == found, "its primary is at 1/1"
    (none,) = causes("replica-crash-points", "innodb", flushed("1", "1"), REPLICA)
    assert "do not explain this loss" in none.says and not none.prevented_by
    assert causes("replica-crash-points", "innodb", flushed("2", "1"), Lost(engine=0, binlog=0, replica=0)) == ()
    assert len(causes("replica-crash-points", "innodb", flushed("0", "1"), Lost(engine=3, binlog=0, replica=9))) == 2


@pytest.mark.parametrize(
    ("kind", "settings", "lost"),
    [
        (POWER, flushed("1", "1"), ENGINE),
        (POWER, flushed("1", "1"), BINLOG),
        (KILL, flushed("2", "0"), ENGINE),  # the page cache survives a kill
        (KILL, flushed("2", "0"), BINLOG),
        (KILL, flushed("2", "0", binlog_storage_engine="innodb"), BINLOG),
    ],
)
def test_a_loss_that_the_settings_do_not_explain_is_told_as_such(kind, settings, lost):
    (found,) = causes(kind, "innodb", settings, lost)
    assert "do not explain" in found.says
    assert not found.prevented_by


def test_settings_that_are_not_known_explain_nothing():
    assert all("not known" in one.says for one in causes(POWER, "innodb", {}, Lost(1, 1.0, 1, 1.0)))


def test_another_engine_is_not_explained_by_the_settings_of_innodb():
    (found,) = causes(POWER, "tokudb", flushed("0", "1"), ENGINE)
    assert "not known" in found.says


def test_where_the_whole_load_was_lost_its_length_is_no_window_of_the_loss():
    engine, binlog = causes(POWER, "innodb", flushed("0", "0"), Lost(7, 740.0, 5, 900.0, of=7))
    assert "the redo log of the whole load (740 ms)" in engine.says.replace("\N{NO-BREAK SPACE}", " ")
    assert "the last 900 ms" in binlog.says.replace("\N{NO-BREAK SPACE}", " ")


def test_each_log_that_lost_something_has_its_cause_the_worse_loss_first():
    both = causes(POWER, "innodb", flushed("0", "0"), Lost(5, 740.0, 7, 900.0))
    assert ["900 ms" in both[0].says, "740 ms" in both[1].says] == [True, True]
    assert "740 ms" in causes(POWER, "innodb", flushed("0", "0"), Lost(9, 740.0, 7, 900.0))[0].says
    assert "the last moments" in causes(POWER, "innodb", flushed("0", "0"), Lost(engine=5))[0].says


def test_a_lying_disk_is_the_cause_whatever_the_settings_are():
    (found,) = causes("lying-disk", "innodb", flushed("1", "1"), Lost(5, 740.0, 7, 900.0))
    assert "did not make" in found.says


def test_no_cause_is_given_without_lost_commits():
    assert causes(POWER, "innodb", flushed("0", "0"), Lost(0, None, 0, None)) == ()
    assert causes(POWER, "innodb", flushed("0", "0"), Lost()) == ()
    assert causes("lying-disk", "innodb", flushed("0", "0"), Lost(0, None, 0, None)) == ()


def test_the_log_of_each_engine_has_its_name():
    (innodb,) = causes(POWER, "innodb", flushed("2", "1"), ENGINE)
    (myrocks,) = causes(POWER, "rocksdb", {ROCKSDB_FLUSH: "0", SYNC: "1"}, ENGINE)
    assert "the redo log of" in innodb.says and "the write-ahead log of" in myrocks.says
    (binlog,) = causes(POWER, "rocksdb", flushed("1", "1"), BINLOG)
    assert binlog.says.startswith("The settings of the binary log do not explain this loss.")
    (other,) = causes(POWER, "tokudb", {}, ENGINE)
    assert other.says == "The settings of tokudb's log are not known. They cannot explain the loss."


REDO = {"binlog_storage_engine": "innodb"}


@pytest.mark.parametrize(
    ("kind", "engine", "settings", "lost", "known"),
    [
        (POWER, "innodb", {SYNC: "1"}, ENGINE, False),
        (POWER, "innodb", {FLUSH: "1"}, ENGINE, True),
        (POWER, "innodb", {FLUSH: "1"}, BINLOG, False),
        (KILL, "innodb", flushed("1", "0"), ENGINE, True),
        (POWER, "innodb", flushed("1", "0", **REDO), BINLOG, True),
        (POWER, "innodb", {SYNC: "0", **REDO}, BINLOG, False),
        (POWER, "rocksdb", {FLUSH: "0", SYNC: "1"}, ENGINE, False),
        (KILL, "rocksdb", {ROCKSDB_FLUSH: "2", "rocksdb_manual_wal_flush": "OFF"}, ENGINE, True),
        (KILL, "innodb", flushed("2", "1"), Lost(replica=4), True),
        (POWER, "innodb", {FLUSH: "1"}, Lost(replica=4), False),
        (POWER, "rocksdb", flushed("2", "1"), Lost(replica=4), False),
    ],
)
def test_a_loss_without_a_cause_says_whether_the_settings_are_known(kind, engine, settings, lost, known):
    (found,) = causes(kind, engine, settings, lost)
    assert ("do not explain this loss" in found.says) is known and ("are not known" in found.says) is not known


@pytest.mark.parametrize(
    ("kind", "settings", "lost", "says"),
    [
        (POWER, flushed("0", "1", **REDO), BINLOG,
         f"{FLUSH}=0: the binary log is in the redo log, and that of the last 900 ms was not flushed."),
        (KILL, flushed("0", "1", **REDO), BINLOG,
         f"{FLUSH}=0: the binary log is in the redo log, and that of the last 900 ms was not flushed."),
        (POWER, flushed("3", "0"), ENGINE,
         f"{SYNC}=0: the binary log of the last 740 ms was not flushed, so recovery rolled these commits back."),
        (POWER, flushed("1", "0"), Lost(binlog=7, of=7),
         f"{SYNC}=0: the binary log of the whole load was still in the page cache (memory of the host)."),
        (POWER, flushed("0", "1"), Lost(engine=7, of=8),
         f"{FLUSH}=0: the redo log of the last moments was in the server's memory or not flushed yet."),
        ("not-a-kind", flushed("2", "1"), ENGINE,
         f"{FLUSH}=2: the redo log of the last 740 ms was written, but not flushed to the disk."),
    ],
)  # fmt: skip
def test_the_cause_names_the_setting_and_the_part_of_the_load(kind, settings, lost, says):
    """Of a crash kind that this release does not know, nothing proves that the page cache survived."""
    (found,) = causes(kind, "innodb", settings, lost)
    assert found.says.replace("\N{NO-BREAK SPACE}", " ") == says


def test_a_failover_has_its_own_causes():
    assert causes("primary-power-loss", "innodb", flushed("0", "0"), ENGINE) == ()
    (disk,) = causes("lying-disk", "innodb", {}, Lost(replica=3))
    assert disk.prevented_by == "No setting prevents that. Use a disk whose cache keeps its content without power."
