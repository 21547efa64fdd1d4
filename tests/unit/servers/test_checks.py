"""The judging half of the preflight's checks, each once passed and once not."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pymysql
import pytest

from tests.unit.servers.played import Played
from workers.errors import PlanError
from workers.servers import checks, free_disk, loads
from workers.servers.checks import CheckedServer
from workers.servers.facts import Facts
from workers.servers.target import Target


def scene(version=(10, 11, 19), engines=(), host="db.example", answers=None, **variables):
    """`answers`: rows by how a statement begins."""
    facts = Facts("mariadb", version, "10.11.19-MariaDB", variables, dict(engines))
    return CheckedServer(Target("t", "attached", "u", "p", host=host), Played(answers or {}), facts)


@pytest.mark.parametrize(
    ("most", "used", "outcome"), [(2000, 10, "passed"), (151, 1, "warned"), (20, 18, "failed"), (5, 9, "failed")]
)
def test_free_connections_are_counted(most, used, outcome):
    found = checks.judge_connections(most, used)
    assert found.outcome == outcome and bool(found.fix) == (outcome != "passed")


def test_room_is_left_for_eight_connections_of_durascope():
    assert "143" in checks.judge_connections(151, 1).says


def test_the_number_of_used_connections_is_asked():
    used = {"SHOW GLOBAL STATUS": [("Threads_connected", "18")]}
    assert checks.connections(scene(max_connections="20", answers=used)) == checks.judge_connections(20, 18)
    assert checks.connections(scene(answers=used)).outcome == "unknown"
    assert checks.connections(scene(max_connections="20", answers={"SHOW": []})).outcome == "unknown"


@pytest.mark.parametrize(
    ("granted", "outcome", "lacks"),
    [
        ("GRANT ALL PRIVILEGES ON *.* TO `t`@`%`", "passed", ""),
        ("GRANT USAGE ON *.* TO `t`@`%`", "failed", "PROCESS"),
    ],
)
def test_the_grants_of_the_account_are_read(granted, outcome, lacks):
    """One lacking privilege that a load needs is enough to fail."""
    answers = {"SHOW GRANTS": [(granted,)], "SELECT CURRENT_USER": [("t@%",)]}
    found = checks.privileges(scene(answers=answers))
    assert found.outcome == outcome and lacks in found.says + found.fix


def test_replicas_are_found_only_with_the_privilege_to_see_them():
    dumps = {"SHOW GRANTS": [("GRANT ALL PRIVILEGES ON *.* TO `t`@`%`",)], "SELECT host": [("b:4711",), ("a:4712",)]}
    assert checks.replicas(scene(answers=dumps)) == checks.judge_replicas(["b", "a"])
    blind = {"SHOW GRANTS": [("GRANT USAGE ON *.* TO `t`@`%`",)], "SELECT CURRENT_USER": [("t@%",)]}
    found = checks.replicas(scene(answers=blind))
    assert found.outcome == "unknown" and "PROCESS" in found.fix


class SlowAtFirst(Played):
    def execute(self, sql, args=None):
        time.sleep(self.delay_s)
        self.delay_s = 0.0
        super().execute(sql, args)

    delay_s = 0.03


def test_the_least_of_the_round_trips_is_told():
    server = SlowAtFirst({"SELECT 1": [(1,)]})
    found = checks.round_trip(replace(scene(), connection=server))
    median, least = map(float, re.findall(r"(\d+\.\d+)", found.says))
    assert least <= median


def test_the_fixed_number_of_connections_passes():
    fixed = int(checks.judge_connections(20, 18).fix.split("=")[1].strip(" ;"))
    assert checks.judge_connections(fixed, 18).outcome == "passed"


@pytest.mark.parametrize(
    ("free", "outcome"), [(500, "passed"), (10, "passed"), (5, "warned"), (1, "warned"), (0.2, "failed")]
)
def test_disk_space_is_judged(free, outcome):
    assert checks.judge_disk(free, "/data").outcome == outcome


def test_the_mount_point_of_the_data_is_found():
    mounts = {"/": 1, "/var/lib": 2, "/var/lib/mysql": 3, "/var/lib/my": 4}
    assert free_disk.room_below("/var/lib/mysql/", mounts) == 3
    assert free_disk.room_below("/srv", mounts) == 1
    assert free_disk.room_below("/srv", {"/var": 1}) is None


@pytest.mark.parametrize(
    ("skew", "within", "outcome"),
    [(0.2, 0.001, "passed"), (3, 0.001, "warned"), (-3, 0.001, "warned"), (1.5, 1, "passed")],
)
def test_clocks_are_judged_within_half_a_round_trip(skew, within, outcome):
    found = checks.judge_clock(skew, within)
    assert found.outcome == outcome
    if outcome == "warned":
        assert ("ahead of" if skew > 0 else "behind") in found.says


def test_round_trips_are_judged():
    assert checks.judge_round_trip(0.1, 0.2).outcome == "passed"
    assert checks.judge_round_trip(8, 20).outcome == "warned"


def test_attached_replicas_are_a_warning():
    assert checks.judge_replicas([]).outcome == "passed"
    found = checks.judge_replicas(["b", "a"])
    assert found.outcome == "warned" and "a, b" in found.says


@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({"log_bin": "ON", "binlog_format": "ROW"}, "passed"),
        ({"log_bin": "ON", "binlog_format": "STATEMENT"}, "warned"),
        ({"log_bin": "OFF"}, "warned"),
        ({"log_bin": "ON", "binlog_format": "ROW", "binlog_open": "ON"}, "passed"),
        ({"log_bin": "ON", "binlog_format": "ROW", "binlog_open": "OFF"}, "failed"),
        ({}, "unknown"),
    ],
)
def test_the_binlog_is_checked(variables, outcome):
    assert checks.binlog(scene(**variables)).outcome == outcome


@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({"read_only": "OFF"}, "passed"),
        ({"read_only": "ON"}, "failed"),
        ({"read_only": "NO_LOCK_NO_ADMIN"}, "failed"),
        ({"read_only": "OFF", "innodb_read_only": "ON"}, "failed"),
        ({"read_only": "OFF", "transaction_read_only": "ON"}, "failed"),
        ({"read_only": "OFF", "tx_read_only": "ON"}, "failed"),
        ({"read_only": "OFF", "tx_read_only": "OFF"}, "passed"),
        ({}, "unknown"),
    ],
)
def test_a_read_only_server_is_noticed(variables, outcome):
    found = checks.read_only(scene(answers={"SHOW ALL SLAVES STATUS": []}, **variables))
    assert found.outcome == outcome and ("OFF" in found.fix) == (outcome == "failed")


def test_a_setting_with_two_names_is_told_once():
    both = {"transaction_read_only": "ON", "tx_read_only": "ON"}
    found = checks.read_only(scene(answers={"SHOW ALL SLAVES STATUS": []}, read_only="OFF", **both))
    assert found.fix == "SET GLOBAL transaction_read_only = OFF;"


@pytest.mark.parametrize(
    ("variables", "outcome", "named"),
    [
        ({}, "passed", ""),
        ({"tx_isolation": "REPEATABLE-READ", "max_statement_time": "0.000000", "unique_checks": "ON"}, "passed", ""),
        ({"sql_select_limit": "18446744073709551615", "transaction_isolation": "READ-COMMITTED"}, "passed", ""),
        ({"transaction_isolation": "SERIALIZABLE"}, "warned", "transaction_isolation=SERIALIZABLE"),
        ({"tx_isolation": "READ-UNCOMMITTED"}, "warned", "tx_isolation=READ-UNCOMMITTED"),
        ({"max_statement_time": "7.000000"}, "warned", "max_statement_time=7.000000"),
        ({"sql_select_limit": "3", "unique_checks": "OFF"}, "warned", "sql_select_limit=3, unique_checks=OFF"),
        ({"unique_checks": "x" * 4096}, "warned", f"unique_checks={'X' * 40}."),
    ],
)
def test_unusual_defaults_of_sessions_are_named(variables, outcome, named):
    found = checks.sessions(scene(**variables))
    assert found.outcome == outcome and named in found.says


def test_nobody_is_told_to_write_to_a_replica():
    """SET GLOBAL read_only = OFF there, and the servers differ."""
    replica = scene(answers={"SHOW ALL SLAVES STATUS": [("db1" * 100, "No")]}, read_only="ON")
    replica.connection.description = (("Master_Host",), ("Slave_IO_Running",))
    found = checks.read_only(replica)
    assert found.outcome == "failed" and "SET GLOBAL" not in found.fix and "Measure its source" in found.fix
    assert "replica of db1db1" in found.says and len(found.says) < 200
    member = checks.read_only(scene(super_read_only="ON", read_only="ON", group_replication_group_name="aa-bb"))
    assert member.outcome == "failed" and "SET GLOBAL" not in member.fix and "primary" in member.fix


def test_where_it_may_not_be_asked_whether_this_is_a_replica_nobody_is_told_to_write():
    refused = pymysql.OperationalError(1227, "Access denied; you need (at least one of) the SLAVE MONITOR privilege(s)")
    answers = {"SHOW ALL SLAVES STATUS": refused, "SELECT CURRENT_USER": [("u@%",)]}
    found = checks.read_only(scene(answers=answers, read_only="ON"))
    assert found.outcome == "failed" and "GRANT SLAVE MONITOR" in found.fix and "SET GLOBAL" not in found.fix


def test_a_connection_test_tells_of_a_fork_or_a_proxy():
    plain = scene()
    assert checks.version(plain).outcome == "passed"
    found = checks.version(replace(plain, facts=replace(plain.facts, lookalike="tidb")))
    assert found.outcome == "warned" and "TiDB" in found.says


def test_engines_and_version_are_checked():
    assert checks.engines(scene(engines={"innodb": "DEFAULT"})).outcome == "passed"
    assert checks.engines(scene(engines={"innodb": "DISABLED", "myisam": "YES"})).outcome == "failed"
    assert checks.version(scene()).outcome == "passed"
    assert checks.version(scene(version=(5, 5, 0))).outcome == "passed"
    assert checks.version(scene(version=(5, 1, 73))).outcome == "failed"


def test_performance_schema_is_checked():
    assert checks.performance_schema(scene(performance_schema="ON")).outcome == "passed"
    assert checks.performance_schema(scene(performance_schema="OFF")).outcome == "warned"
    assert checks.performance_schema(scene(version=(5, 5, 34), performance_schema="ON")).outcome == "warned"


@pytest.mark.parametrize(("version", "sql"), [((5, 5, 9), "UTC_TIMESTAMP()"), ((5, 6, 14), "UTC_TIMESTAMP(6)")])
def test_old_servers_are_asked_for_whole_seconds(monkeypatch, version, sql):
    """What they cut off is no skew."""
    asked = []

    def answer(connection, statement):
        asked.append(statement)
        now = datetime.now(UTC).replace(tzinfo=None)
        return now if "(6)" in statement else now.replace(microsecond=0)

    monkeypatch.setattr(checks.ask, "value", answer)
    assert checks.clock(scene(version=version)).outcome == "passed"
    assert asked == [f"SELECT {sql}"]


@pytest.mark.parametrize(
    ("used", "host", "outcome"),
    [("TLS_AES", "db.example", "passed"), ("", "db.example", "warned"), ("", "127.0.0.1", "passed")],
)
def test_encryption_is_checked(monkeypatch, used, host, outcome):
    monkeypatch.setattr(checks, "cipher", lambda connection: used)
    assert checks.tls(scene(host=host)).outcome == outcome


@pytest.mark.parametrize(
    ("known", "encrypted", "outcome", "words"),
    [
        ({"socket": "/run/x"}, False, "passed", "socket file"),
        ({"tls": "verify", "tls_ca": "/ca.pem"}, True, "passed", "authority"),
        ({"certificate_pin": "AA"}, True, "passed", "was confirmed"),
        ({"tls": "off", "key_pin": "a key"}, False, "passed", "was confirmed"),
        ({"key_pin": "a key"}, True, "warned", "Nothing proves"),
        ({"any_key": True}, True, "warned", "Nobody has confirmed"),
        ({}, False, "warned", "scramble"),
        ({"host": "127.0.0.1"}, False, "passed", "does not leave"),
    ],
)
def test_how_a_server_was_proven_is_told(known, encrypted, outcome, words):
    connection = Played({})
    connection.certificate = lambda: b"DER" if encrypted else b""
    asked = CheckedServer(Target("t", "attached", "u", "p", **{"host": "db.example", **known}), connection, None)
    found = checks.identity(asked)
    assert found.outcome == outcome and words in found.says and bool(found.fix) == (outcome == "warned")


@pytest.mark.parametrize(
    ("known", "plugin"),
    [
        ({"tls": "verify"}, "mysql_native_password"),  # by the authorities of the system
        ({"certificate_pin": "AA"}, "caching_sha2_password"),  # the load is plain
        ({"certificate_pin": "AA"}, "dialog"),
        ({"tls": "required"}, "mysql_native_password"),  # an authority that is not known signed it
    ],
)
def test_a_proof_that_a_load_cannot_use_has_not_passed(known, plugin):
    connection = Played({})
    connection.certificate, connection.plugin = lambda: b"DER", plugin
    asked = CheckedServer(Target("t", "attached", "u", "p", host="db.example", **known), connection, None)
    with pytest.raises(PlanError) as refused:
        loads.check(asked.target, b"DER", plugin)
    found = checks.identity(asked)
    assert (found.outcome, found.says, found.fix) == ("failed", refused.value.message, refused.value.fix)
