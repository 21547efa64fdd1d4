"""What is made of the names and sizes of the binary log's files."""

import pytest

from workers.errors import ServerError
from workers.metrics.binlog_size import BinlogSize, end_of_log
from workers.metrics.source import Subject
from workers.servers import ask
from workers.servers.facts import Facts

ON = Facts("mariadb", (10, 11, 0), "", {"log_bin": "ON"}, {})


class Log:
    """Answers as a server whose binary log has these files."""

    def __init__(self, **sizes):
        self.sizes = sizes

    def rows(self, connection, sql, args=()):
        listed = list(self.sizes.items())
        return listed if sql == "SHOW BINARY LOGS" else listed[-1:]


def written(monkeypatch, log, change, facts=ON):
    monkeypatch.setattr(ask, "rows", log.rows)
    session = BinlogSize().open(Subject(None, facts))
    session.begin()
    change()
    session.tick()
    (figure,) = session.end().figures
    return figure.value, figure.note


def test_the_written_bytes_are_the_growth_of_the_last_file(monkeypatch):
    log = Log(b1=1_000, b2=300)
    assert written(monkeypatch, log, lambda: log.sizes.update(b2=750)) == (450, "")


def test_files_that_were_begun_meanwhile_count_whole(monkeypatch):
    log = Log(b1=1_000, b2=300)
    assert written(monkeypatch, log, lambda: log.sizes.update(b2=400, b3=90, b4=7)) == (100 + 90 + 7, "")


def test_a_file_that_was_removed_unread_makes_the_figure_unknown(monkeypatch):
    log = Log(b1=1_000)
    with pytest.raises(ServerError, match="b1 of the binary log was removed"):
        written(monkeypatch, log, lambda: setattr(log, "sizes", {"b2": 5}))


def test_a_log_that_was_reset_makes_the_figure_unknown(monkeypatch):
    log = Log(b1=1_000)
    with pytest.raises(ServerError, match="reset while it was measured: b1"):
        written(monkeypatch, log, lambda: log.sizes.update(b1=999))


def test_without_a_binary_log_nothing_is_written_to_it(monkeypatch):
    assert written(monkeypatch, Log(), lambda: None, Facts("mysql", (8, 0, 33), "", {}, {})) == (
        0, "the binary log is off",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("flavour", "version", "statement"),
    [
        ("mysql", (8, 2, 0), "SHOW BINARY LOG STATUS"),
        ("mysql", (8, 1, 0), "SHOW MASTER STATUS"),
        ("mariadb", (11, 8, 0), "SHOW MASTER STATUS"),
    ],
)
def test_new_mysql_is_asked_by_the_new_name(monkeypatch, flavour, version, statement):
    asked = []
    monkeypatch.setattr(ask, "rows", lambda connection, sql: asked.append(sql) or [])
    assert end_of_log(None, Facts(flavour, version, "", {}, {})) == ("", 0)
    assert asked == [statement]
