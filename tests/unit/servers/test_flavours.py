"""Flavours are told apart, and no account is asked for more than serves."""

import pytest

from workers.servers.facts import Facts
from workers.servers.flavours import detect, grants, needs


def facts(flavour, *version):
    return Facts(flavour, version, ".".join(map(str, version)), {}, {})


@pytest.mark.parametrize(
    ("texts", "flavour"),
    [
        (("10.11.19-MariaDB-0+deb12u1-log", "Debian 12"), "mariadb"),
        (("5.5.5-10.4.1-MariaDB", ""), "mariadb"),
        (("11.4.2", "mariadb.org binary distribution"), "mariadb"),
        (("8.0.33", "MySQL Community Server - GPL"), "mysql"),
        (("8.0.36-28", "Percona Server (GPL)"), "mysql"),
    ],
)
def test_flavours_are_told_apart(texts, flavour):
    assert detect(*texts) == flavour


def names(at, *purposes):
    return {need.privilege for need in needs(at, purposes)}


def test_super_is_asked_for_only_where_nothing_narrower_serves():
    assert "SUPER" not in names(facts("mysql", 8, 0, 33), "look", "load", "change")
    assert "SUPER" in names(facts("mysql", 5, 7, 40), "change")
    assert "SUPER" not in names(facts("mariadb", 10, 11, 19), "look", "load")
    assert names(facts("mariadb", 10, 11, 19), "change") == {"BINLOG ADMIN", "SUPER"}


def test_a_privilege_that_mariadb_renamed_has_the_name_of_the_version():
    assert "REPLICATION CLIENT" in names(facts("mariadb", 10, 4, 0), "look")
    renamed = names(facts("mariadb", 10, 5, 2), "look")
    assert "BINLOG MONITOR" in renamed and "REPLICATION CLIENT" not in renamed
    assert "BINLOG ADMIN" not in names(facts("mariadb", 10, 4, 0), "change")


def test_the_statements_for_the_account_and_its_grants_are_printed():
    assert grants(facts("mysql", 8, 0, 33), "du", "10.%") == [
        "CREATE USER 'du'@'10.%' IDENTIFIED BY '...';",
        "GRANT PROCESS, REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO 'du'@'10.%';",
        "GRANT SELECT ON performance_schema.* TO 'du'@'10.%';",
        r"GRANT ALL PRIVILEGES ON `durascope\_%`.* TO 'du'@'10.%';",
        "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO 'du'@'10.%';",
    ]


def test_grants_for_other_purposes_are_left_out():
    printed = grants(facts("mariadb", 10, 11, 19), "du", "%", purposes=("look", "load"))
    assert not any("SUPER" in line or "BINLOG ADMIN" in line for line in printed)


def test_the_account_that_is_printed_may_list_replicas():
    """Else the topology and the failover are unknown, and nothing says why."""
    assert "REPLICATION SLAVE" in names(facts("mysql", 8, 0, 33), "look")
    assert "REPLICATION SLAVE" in names(facts("mariadb", 10, 4, 0), "look")
    assert "REPLICATION MASTER ADMIN" in names(facts("mariadb", 10, 11, 19), "look")


def test_odd_account_names_are_quoted():
    assert grants(facts("mysql", 8, 0, 33), "o'ne", "%")[0] == "CREATE USER 'o''ne'@'%' IDENTIFIED BY '...';"
