"""What is made of status variables, and what is left out because it would not be exact."""

import pytest

from workers.errors import ServerError
from workers.metrics.source import FIGURES, Subject
from workers.metrics.status_counters import COUNTERS, StatusCounters
from workers.servers import ask
from workers.servers.facts import Facts


def figures(monkeypatch, flavour, version, before, after, log_bin="ON"):
    facts = Facts(flavour, version, "", {"log_bin": log_bin}, {})
    readings = iter([before, after])
    monkeypatch.setattr(ask, "names_to_values", lambda connection, sql, names: next(readings))
    session = StatusCounters().open(Subject(None, facts))
    session.begin()
    return {figure.name: figure for figure in session.end().figures}


def text(**counts):
    return {name: str(count) for name, count in counts.items()}


MYSQL = dict(
    binlog_cache_use=10, handler_rollback=3, innodb_os_log_fsyncs=100, innodb_data_fsyncs=150, innodb_os_log_written=1,
    innodb_pages_written=5, innodb_dblwr_pages_written=5, innodb_page_size=16384,
)  # fmt: skip


def test_fsyncs_of_mysql_are_split_into_redo_and_data(monkeypatch):
    later = MYSQL | {"innodb_os_log_fsyncs": 170, "innodb_data_fsyncs": 230}
    got = figures(monkeypatch, "mysql", (8, 0, 33), text(**MYSQL), text(**later))
    assert got["redo_fsyncs"].value == 70 and got["data_fsyncs"].value == 10
    assert got["data_fsyncs"].source == "status:Innodb_data_fsyncs - Innodb_os_log_fsyncs"
    assert "redo_and_data_fsyncs" not in got and "binlog_fsyncs" not in got


def test_commits_of_mysql_are_counted_only_without_rollbacks(monkeypatch):
    later = MYSQL | {"binlog_cache_use": 60}
    assert figures(monkeypatch, "mysql", (8, 0, 33), text(**MYSQL), text(**later))["commits"].value == 50
    later["handler_rollback"] += 1
    assert "commits" not in figures(monkeypatch, "mysql", (8, 0, 33), text(**MYSQL), text(**later))


@pytest.mark.parametrize(("flavour", "half"), [("mariadb", "master"), ("mysql", "master"), ("mysql", "source")])
def test_waits_of_a_semi_synchronous_primary_are_told_in_milliseconds(monkeypatch, flavour, half):
    names = [f"rpl_semi_sync_{half}_tx_{what}" for what in ("waits", "wait_time")]
    before, after = (text(**dict(zip(names, counts, strict=True))) for counts in ((10, 5_000), (30, 63_000)))
    got = figures(monkeypatch, flavour, (8, 4, 0), before, after)
    assert (got["replica_waits"].value, got["replica_wait_ms"].value) == (20, 58.0)
    assert "replica_waits" not in figures(monkeypatch, flavour, (8, 4, 0), before, before), "asynchronous"


def test_pages_are_turned_into_bytes(monkeypatch):
    later = MYSQL | {"innodb_pages_written": 8, "innodb_dblwr_pages_written": 7}
    assert figures(monkeypatch, "mysql", (8, 0, 33), text(**MYSQL), text(**later))["data_bytes"].value == 5 * 16384


def test_redo_and_data_fsyncs_are_one_figure_only_where_the_server_has_one_counter(monkeypatch):
    new = figures(monkeypatch, "mariadb", (10, 11, 19), text(innodb_data_fsyncs=1), text(innodb_data_fsyncs=9))
    assert new["redo_and_data_fsyncs"].value == 8 and "redo_fsyncs" not in new
    before = text(innodb_data_fsyncs=1, innodb_os_log_fsyncs=1)
    old = figures(monkeypatch, "mariadb", (10, 5, 23), before, text(innodb_data_fsyncs=9, innodb_os_log_fsyncs=8))
    assert old["redo_fsyncs"].value == 7 and not {"redo_and_data_fsyncs", "data_fsyncs"} & set(old)


def test_data_bytes_are_told_only_where_they_leave_the_redo_log_out(monkeypatch):
    before, after = text(innodb_data_written=0), text(innodb_data_written=5)
    assert "data_bytes" in figures(monkeypatch, "mariadb", (10, 11, 19), before, after)
    assert "data_bytes" not in figures(monkeypatch, "mariadb", (10, 5, 23), before, after)


def test_fsyncs_of_the_log_of_myrocks_count_only_if_there_were_any(monkeypatch):
    before = text(rocksdb_wal_synced=5)
    moved = figures(monkeypatch, "mariadb", (10, 11, 19), before, text(rocksdb_wal_synced=9))
    assert moved["redo_fsyncs"].value == 4 and "MyRocks" in moved["redo_fsyncs"].note
    assert "redo_fsyncs" not in figures(monkeypatch, "mariadb", (10, 11, 19), before, before)


def test_tokudbs_fsyncs_are_told_in_place_of_innodbs_when_it_was_its_turn(monkeypatch):
    before = text(tokudb_filesystem_fsync_num=5, innodb_os_log_fsyncs=7)
    turn = figures(
        monkeypatch, "mariadb", (10, 5, 23), before, text(tokudb_filesystem_fsync_num=9, innodb_os_log_fsyncs=8)
    )
    assert turn["redo_and_data_fsyncs"].value == 4 and "TokuDB" in turn["redo_and_data_fsyncs"].note
    assert "redo_fsyncs" not in turn
    rest = figures(
        monkeypatch, "mariadb", (10, 5, 23), before, text(tokudb_filesystem_fsync_num=5, innodb_os_log_fsyncs=8)
    )
    assert rest["redo_fsyncs"].value == 1 and "redo_and_data_fsyncs" not in rest


@pytest.mark.parametrize("flavour", COUNTERS)
def test_a_binlog_that_is_off_has_no_figures(monkeypatch, flavour):
    counts = {name: "1" for counter in COUNTERS[flavour] for name in counter.names}
    got = figures(monkeypatch, flavour, (10, 11, 19), counts, counts, log_bin="OFF")
    assert not {"commits", "binlog_commits", "binlog_groups", "binlog_fsyncs", "binlog_bytes"} & set(got)


def test_a_restarted_server_has_no_figures(monkeypatch):
    with pytest.raises(ServerError, match="started again"):
        figures(monkeypatch, "mariadb", (10, 11, 19), text(syncs=100), text(syncs=3))


def test_counters_that_the_server_lacks_are_left_out(monkeypatch):
    assert set(figures(monkeypatch, "mariadb", (10, 11, 19), text(syncs=1), text(syncs=3))) == {"binlog_fsyncs"}


def test_all_figures_have_names_that_pages_know():
    assert {counter.figure for counters in COUNTERS.values() for counter in counters} <= set(FIGURES)


def test_a_difference_of_counters_is_never_below_nothing(monkeypatch):
    """They are not read at one moment: a redo fsync may slip in between."""
    later = MYSQL | {"innodb_os_log_fsyncs": 171, "innodb_data_fsyncs": 220}
    assert figures(monkeypatch, "mysql", (5, 5, 9), text(**MYSQL), text(**later))["data_fsyncs"].value == 0
