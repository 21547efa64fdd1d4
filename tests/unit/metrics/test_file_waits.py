"""What is made of the file summaries of flavours that no sandbox of a test has."""

from workers.metrics.file_waits import FileWaits
from workers.metrics.source import FIGURES, Subject
from workers.servers import ask
from workers.servers.facts import Facts


def event(name, misc, written, spent_ps=0, longest_ps=0):
    return (f"wait/io/file/{name}", misc, spent_ps, longest_ps, written)


def reading(monkeypatch, before, after, flavour="mysql", sync_binlog="1", files=("b.000001", "b.000001"), **options):
    facts = Facts(flavour, options.get("version", (8, 0, 33)), "", {"sync_binlog": sync_binlog}, {})
    answers, names = iter([before, after]), iter(files)
    ends = ([(name, 1)] if name else [] for name in names)
    monkeypatch.setattr(ask, "rows", lambda connection, sql: next(ends if "STATUS" in sql else answers))
    session = FileWaits().open(Subject(None, facts))
    session.begin()
    return session.end()


def values(got):
    return {figure.name: figure.value for figure in got.figures}


MYSQL = (
    [event("sql/binlog", 10, 100), event("innodb/innodb_log_file", 5, 512), event("innodb/innodb_data_file", 1, 0)],
    [
        event("sql/binlog", 60, 900),
        event("innodb/innodb_log_file", 9, 4608),
        event("innodb/innodb_data_file", 9, 16384),
    ],
)


def test_bytes_of_every_kind_are_read_and_syncs_of_the_binlog_only(monkeypatch):
    assert values(reading(monkeypatch, *MYSQL)) == {
        "redo_bytes": 4096,
        "binlog_bytes": 800,
        "data_bytes": 16384,
        "binlog_fsyncs": 50,
        "binlog_groups": 50,
    }
    assert set(values(reading(monkeypatch, *MYSQL))) <= set(FIGURES)


def test_groups_are_syncs_only_on_mysql_with_sync_binlog_1(monkeypatch):
    got = reading(monkeypatch, *MYSQL)
    assert "sync_binlog=1" in next(figure for figure in got.figures if figure.name == "binlog_groups").note
    assert "binlog_groups" not in values(reading(monkeypatch, *MYSQL, sync_binlog="0"))
    assert "binlog_groups" not in values(reading(monkeypatch, *MYSQL, flavour="mariadb"))


def test_syncs_are_left_out_after_a_rotation(monkeypatch):
    got = values(reading(monkeypatch, *MYSQL, files=("b.000001", "b.000002")))
    assert "binlog_fsyncs" not in got and "binlog_bytes" in got


def test_syncs_are_left_out_where_rotations_cannot_be_seen(monkeypatch):
    assert "binlog_fsyncs" not in values(reading(monkeypatch, *MYSQL, files=(None, None)))


def test_a_latency_needs_its_longest_call_in_the_window(monkeypatch):
    begin = [event("sql/binlog", 10, 0, 10 * 10**9, 5 * 10**9)]
    (latency,) = reading(monkeypatch, begin, [event("sql/binlog", 14, 0, 30 * 10**9, 9 * 10**9)]).latencies
    assert (latency.files, latency.calls, latency.total_ms, latency.max_ms) == ("binlog", 4, 20.0, 9.0)
    assert reading(monkeypatch, begin, [event("sql/binlog", 14, 0, 30 * 10**9, 5 * 10**9)]).latencies == ()


def test_bytes_that_old_mariadb_counts_twice_are_left_out(monkeypatch):
    old = values(reading(monkeypatch, *MYSQL, flavour="mariadb", version=(10, 1, 23)))
    assert old == {"binlog_bytes": 800, "binlog_fsyncs": 50}
    assert "redo_bytes" in values(reading(monkeypatch, *MYSQL, flavour="mariadb", version=(10, 2, 11)))


def test_the_source_is_missing_where_the_server_does_not_count_syncs():
    on = {"performance_schema": "ON"}
    assert "5.5 does not count" in FileWaits().missing(Subject(None, Facts("mysql", (5, 5, 34), "", on, {})))
