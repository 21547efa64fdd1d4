"""Versions become comparable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymysql import OperationalError

from tests.unit.servers.played import Played
from workers.errors import ServerError
from workers.servers.look import read, version_of


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("10.11.19-MariaDB-0+deb12u1-log", (10, 11, 19)),
        ("5.5.5-10.4.1-MariaDB", (10, 4, 1)),
        ("5.5.9-log", (5, 5, 9)),
        ("8.0.33", (8, 0, 33)),
        ("9.7", (9, 7, 0)),
        ("nonsense", (0, 0, 0)),
    ],
)
def test_versions_are_read(text, version):
    assert version_of(text) == version


@given(st.text())
def test_any_text_is_read_as_some_version(text):
    assert len(version_of(text)) == 3


def test_the_first_look_reads_flavour_version_and_engines():
    """The name of MariaDB may stand in the comment alone."""
    variables = [("version", "10.11.6"), ("version_comment", "mariadb.org binary"), (b"SYNC_BINLOG", b"1")]
    engines = [("InnoDB", "default", "Supports transactions"), ("ROCKSDB", "NO", "Not there")]
    found = read(Played({"SHOW GLOBAL VARIABLES": variables, "SHOW ENGINES": engines}))
    assert (found.flavour, found.version, found.version_text) == ("mariadb", (10, 11, 6), "10.11.6")
    assert found.variable("sync_binlog") == "1"
    assert found.has_engine("INNODB") and not found.has_engine("rocksdb")


@pytest.mark.parametrize(
    ("version", "told", "expected"),
    [
        ("8.0.33", [("Innodb_redo_log_enabled", "OFF")], "OFF"),
        ("8.0.21", [("Innodb_redo_log_enabled", "ON")], "ON"),
        ("8.0.33", [], ""),
        ("8.0.20", [("Innodb_redo_log_enabled", "OFF")], None),
        ("10.11.6-MariaDB", [("Innodb_redo_log_enabled", "OFF")], None),
    ],
)
def test_the_redo_log_is_asked_for_where_it_can_be_switched_off(version, told, expected):
    """ALTER INSTANCE DISABLE INNODB REDO_LOG: no variable shows it. Without an answer it is not known."""
    server = Played({"SHOW GLOBAL VARIABLES": [("version", version)], "SHOW GLOBAL STATUS": told, "SHOW ENGINES": []})
    assert read(server).variable("innodb_redo_log_enabled") == expected


FIRST = [("binlog.000001", 4, "", "")]


@pytest.mark.parametrize(
    ("version", "log_bin", "named", "expected"),
    [
        ("10.11.6-MariaDB", "ON", FIRST, "ON"),
        ("10.11.6-MariaDB", "ON", [], "OFF"),
        ("5.6.14", "1", [], "OFF"),
        ("8.0.33", "ON", OperationalError(1227, "denied"), None),
        ("8.0.33", "OFF", [], None),
    ],
)
def test_a_binary_log_that_the_server_closed_is_seen(version, log_bin, named, expected):
    """log_bin stays ON. The server then names no file."""
    variables = [("version", version), ("log_bin", log_bin)]
    answers = {"SHOW GLOBAL VARIABLES": variables, "SHOW GLOBAL STATUS": [], "SHOW MASTER STATUS": named}
    account = {"SHOW ENGINES": [], "SELECT CURRENT_USER()": []}
    assert read(Played({**answers, **account})).variable("binlog_open") == expected


@pytest.mark.parametrize(("version", "statement"), [("8.2.0", "SHOW BINARY LOG STATUS"), ("8.1.0", "SHOW MASTER")])
def test_new_mysql_is_asked_for_its_log_by_the_new_name(version, statement):
    variables = [("version", version), ("log_bin", "ON")]
    answers = {"SHOW GLOBAL VARIABLES": variables, "SHOW GLOBAL STATUS": [], statement: [], "SHOW ENGINES": []}
    assert read(Played(answers)).variable("binlog_open") == "OFF"


def test_a_server_that_hides_its_version_is_refused_in_our_words():
    with pytest.raises(ServerError, match=r"db:3306 did not tell its version: .* gave 1 variables"):
        read(Played({"SHOW GLOBAL VARIABLES": [("a", "1")]}))
