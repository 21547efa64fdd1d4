"""The judging half of the preflight's checks, each once passed and once not."""

from datetime import UTC, datetime

import pytest

from workers.servers import checks, free_disk
from workers.servers.checks import CheckedServer
from workers.servers.facts import Facts
from workers.servers.target import Target


def scene(version=(10, 11, 19), engines=(), host="db.example", **variables):
    facts = Facts("mariadb", version, "10.11.19-MariaDB", variables, dict(engines))
    return CheckedServer(Target("t", "attached", "u", "p", host=host), None, facts)


@pytest.mark.parametrize(
    ("most", "used", "outcome"), [(2000, 10, "passed"), (151, 1, "warned"), (20, 18, "failed"), (5, 9, "failed")]
)
def test_it_counts_free_connections(most, used, outcome):
    found = checks.judge_connections(most, used)
    assert found.outcome == outcome and bool(found.fix) == (outcome != "passed")


def test_the_fixed_number_of_connections_passes():
    fixed = int(checks.judge_connections(20, 18).fix.split("=")[1].strip(" ;"))
    assert checks.judge_connections(fixed, 18).outcome == "passed"


@pytest.mark.parametrize(("free", "outcome"), [(500, "passed"), (5, "warned"), (0.2, "failed")])
def test_it_judges_disk_space(free, outcome):
    assert checks.judge_disk(free, "/data").outcome == outcome


def test_it_finds_the_mount_point_of_the_data():
    mounts = {"/": 1, "/var/lib": 2, "/var/lib/mysql": 3, "/var/lib/my": 4}
    assert free_disk.room_below("/var/lib/mysql/", mounts) == 3
    assert free_disk.room_below("/srv", mounts) == 1
    assert free_disk.room_below("/srv", {"/var": 1}) is None


@pytest.mark.parametrize(
    ("skew", "within", "outcome"),
    [(0.2, 0.001, "passed"), (3, 0.001, "warned"), (-3, 0.001, "warned"), (1.5, 1, "passed")],
)
def test_it_judges_clocks_within_half_a_round_trip(skew, within, outcome):
    found = checks.judge_clock(skew, within)
    assert found.outcome == outcome
    if outcome == "warned":
        assert ("ahead of" if skew > 0 else "behind") in found.says


def test_it_judges_round_trips():
    assert checks.judge_round_trip(0.1, 0.2).outcome == "passed"
    assert checks.judge_round_trip(8, 20).outcome == "warned"


def test_it_judges_replicas():
    assert checks.judge_replicas([]).outcome == "passed"
    found = checks.judge_replicas(["b", "a"])
    assert found.outcome == "warned" and "a, b" in found.says


@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({"log_bin": "ON", "binlog_format": "ROW"}, "passed"),
        ({"log_bin": "ON", "binlog_format": "STATEMENT"}, "warned"),
        ({"log_bin": "OFF"}, "warned"),
        ({}, "unknown"),
    ],
)
def test_it_looks_at_the_binlog(variables, outcome):
    assert checks.binlog(scene(**variables)).outcome == outcome


@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({"read_only": "OFF"}, "passed"),
        ({"read_only": "ON"}, "failed"),
        ({"read_only": "NO_LOCK_NO_ADMIN"}, "failed"),
        ({"read_only": "OFF", "innodb_read_only": "ON"}, "failed"),
        ({}, "unknown"),
    ],
)
def test_it_looks_whether_writes_are_taken(variables, outcome):
    found = checks.read_only(scene(**variables))
    assert found.outcome == outcome and bool(found.fix) == (outcome == "failed")


def test_it_looks_at_engines_and_version():
    assert checks.engines(scene(engines={"innodb": "DEFAULT"})).outcome == "passed"
    assert checks.engines(scene(engines={"innodb": "DISABLED", "myisam": "YES"})).outcome == "failed"
    assert checks.version(scene()).outcome == "passed"
    assert checks.version(scene(version=(5, 1, 73))).outcome == "failed"


def test_it_looks_at_performance_schema():
    assert checks.performance_schema(scene(performance_schema="ON")).outcome == "passed"
    assert checks.performance_schema(scene(performance_schema="OFF")).outcome == "warned"
    assert checks.performance_schema(scene(version=(5, 5, 34), performance_schema="ON")).outcome == "warned"


@pytest.mark.parametrize(("version", "sql"), [((5, 5, 9), "UTC_TIMESTAMP()"), ((5, 6, 14), "UTC_TIMESTAMP(6)")])
def test_it_asks_old_servers_for_whole_seconds(monkeypatch, version, sql):
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
def test_it_looks_at_encryption(monkeypatch, used, host, outcome):
    monkeypatch.setattr(checks, "cipher", lambda connection: used)
    assert checks.tls(scene(host=host)).outcome == outcome
