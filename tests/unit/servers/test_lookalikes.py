"""Forks and proxies are told from MySQL, MariaDB and their builds, and nothing that they report is kept."""

import pytest

from tests.unit.servers.played import Played
from tests.unit.servers.test_durability_report import STOPS, facts
from workers.errors import PlanError
from workers.servers.durability import report
from workers.servers.facts import Facts
from workers.servers.look import read as look
from workers.servers.lookalikes import FILE, LOOKALIKES, read, recognised

STRANGERS = [
    ("tidb", "8.0.11-TiDB-v7.5.1", "TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible"),
    ("vitess", "8.0.30-Vitess", "Version: 21.0.0"),
    ("oceanbase", "5.7.25-OceanBase_CE-v4.4.2.1", "OceanBase_CE 4.4.2.1"),
    ("polardb-x", "5.7.25-TDDL-5.4.19-20251031", "PolarDB-X"),
    ("polardb", "8.0.13", "Source distribution, PolarDB"),
    ("singlestore", "5.5.58", "SingleStoreDB source distribution (compatible; MySQL Enterprise & MySQL Commercial)"),
    ("singlestore", "5.5.8", "MemSQL source distribution (compatible; MySQL Enterprise & MySQL Commercial)"),
    ("dolt", "8.0.31", "Dolt"),
    ("dolt", "8.0.33-Dolt", ""),
    ("starrocks", "5.1.0", "StarRocks version 2.1.2"),
    ("doris", "5.7.99", "Doris version doris-2.1.7-rc03"),
    ("maxscale", "10.11.6-MariaDB-maxscale", "mariadb.org"),
    ("proxysql", "8.0.11", "(ProxySQL)"),
    ("readyset", "8.0.46", "Readyset"),
    ("shardingsphere", "5.7.22-ShardingSphere-Proxy 5.3.2", "MySQL Community Server - GPL"),
    ("shardingsphere", "5.6.4-Sharding-Proxy 4.1.0", ""),
]
HONEST = [
    ("10.11.19-MariaDB-0+deb12u1-log", "Debian 12"),
    (
        "11.8.9-MariaDB-0+deb13u1 from Debian-log",
        "-- Please help get to 10k stars at https://github.com/MariaDB/Server",
    ),
    ("10.6.17-12-MariaDB-enterprise-log", "MariaDB Enterprise Server"),
    ("8.0.33", "MySQL Community Server - GPL"),
    ("8.4.5-commercial", "MySQL Enterprise Server - Commercial"),
    ("8.0.36-28", "Percona Server (GPL), Release 28"),
    ("8.0.36-28.1", "Percona XtraDB Cluster (GPL), Release rel28"),
    ("8.0.35", "Source distribution"),
    ("8.0.31-google", "(Google)"),
    ("9.7.4-2", "(Debian)"),
    ("8.0.42-0ubuntu0.24.04.1", "(Ubuntu)"),
    ("9.3.0", "Homebrew"),
]


@pytest.mark.parametrize(("key", "version", "comment"), STRANGERS)
def test_a_fork_or_a_proxy_is_recognised(key, version, comment):
    assert recognised({"version": version, "version_comment": comment}, version) == key


@pytest.mark.parametrize(("version", "comment"), HONEST)
def test_builds_of_mysql_and_mariadb_are_what_they_say(version, comment):
    for greeting in ("", version, f"5.5.5-{version}"):
        assert recognised({"version": version, "version_comment": comment}, greeting) == ""


@pytest.mark.parametrize(
    ("name", "key"),
    [("aurora_version", "aurora"), ("memsql_version", "singlestore"), ("polardb_version", "polardb"),
     ("tidb_config", "tidb")],
)  # fmt: skip
def test_a_variable_of_its_own_is_a_sign(name, key):
    assert recognised({"version": "8.0.28", name: "3.05.2"}) == key
    assert recognised({"version": "8.0.28", name: ""}) == ""


@pytest.mark.parametrize(
    ("greeting", "key"),
    [
        ("5.5.5-10.11.6 23.08.4-maxscale", "maxscale"),
        ("8.0.11 (ProxySQL)", "proxysql"),
        ("8.0.46-readyset", "readyset"),
        ("8.0.42-router", "mysql-router"),
        ("8.0.11", "other-proxy"),
        ("10.11.6-MariaDB", ""),
        ("5.5.5-10.11.6-MariaDB", ""),
        ("", ""),
    ],
)
def test_a_proxy_greets_with_a_version_that_is_not_the_servers(greeting, key):
    assert recognised({"version": "10.11.6-MariaDB"}, greeting) == key


def test_a_server_is_asked_under_the_version_of_its_greeting():
    server = Played({"SHOW GLOBAL VARIABLES": [("version", "8.0.33")], "SHOW GLOBAL STATUS": [], "SHOW ENGINES": []})
    server.server_version = "8.0.11 (ProxySQL)"
    assert look(server).lookalike == "proxysql"
    server.server_version = "8.0.33"
    assert look(server).lookalike == ""


@pytest.mark.parametrize("key", LOOKALIKES)
def test_nothing_of_a_lookalike_is_judged(key):
    honest = facts(**STOPS)
    assert {one.outcome for one in report(honest)} == {"kept"}
    other = Facts(honest.flavour, honest.version, honest.version_text, honest.variables, honest.engines, key)
    found = report(other)
    assert len(found) == 6 and {one.outcome for one in found} == {"unknown"}
    assert all(LOOKALIKES[key].title in one.says and one.rests_on.startswith("https://") for one in found)


def test_a_long_value_is_looked_at_from_its_beginning_only():
    assert recognised({"version": "8.0.33" + "x" * 1_000_000 + "-TiDB-"}) == ""


def test_a_broken_file_is_named_with_table_and_key(tmp_path):
    broken = tmp_path / "lookalikes.toml"
    broken.write_text(FILE.read_text().replace("signs =", "sign =", 1))
    with pytest.raises(PlanError, match=r"lookalikes\.toml: tidb\.sign is not known"):
        read(broken)
