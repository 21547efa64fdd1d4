"""The audit: the worst server first, with the reason and the setting to change."""

from dataclasses import asdict

import pytest

from dashboard.findings.audit.audit import against, audit
from dashboard.findings.audit.subject import NOT_READ, AuditedServer, by_tests, pasted
from dashboard.records.servers import levels, queries
from dashboard.records.servers.models import Preflight
from tests.unit.results import factory, trials
from workers.servers.facts import Facts
from workers.servers.pasted.read import read
from workers.servers.replication import Peer, Replication

pytestmark = pytest.mark.django_db
ENGINES = {"innodb": "DEFAULT"}


def settings(flush="1", sync="1", **more):
    return {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync, "log_bin": "ON", **more}


def replication(number, sources=(), **values):
    return Replication(number, 3306, sources, (), (), {"server_uuid": f"uuid-{number}", **values})


def registered(name, found, seen=None, **more):
    server = factory.server(name, host=f"{name}.example.org")
    facts = {
        "flavour": "mysql", "version_text": "8.0.36", "settings": found, "engines": ENGINES,
        "replication": asdict(seen or replication(server.pk)), "words": [],
    }  # fmt: skip
    Preflight.objects.create(server=server, state="done", facts=facts, **more)
    return server


def audited():
    return audit(by_tests(queries.last_tests()))


def outcomes(line):
    return tuple(one.outcome for _, one in line.crashes)


def test_the_worst_server_is_first_with_the_setting_to_change():
    registered("safe", settings())
    registered("half", settings("2", "0"))
    registered("fast", settings("0", "0"))
    factory.server("new", host="new.example.org")
    found = audited()
    assert [line.name for line in found.lines] == ["fast", "half", "new", "safe"]
    assert [outcomes(line) for line in found.lines] == [
        ("may be lost", "may be lost", ""), ("kept", "may be lost", ""), ("unknown",) * 3, ("kept", "kept", ""),
    ]  # fmt: skip
    fast, _, new, safe = found.lines
    assert fast.finding.startswith("Server killed: Acknowledged commits of about the last second may be lost")
    assert fast.changes == ("innodb_flush_log_at_trx_commit=1", "sync_binlog=1") and fast.flushes == "0/0"
    assert new.finding == NOT_READ and safe.changes == () and safe.version == "MySQL 8.0.36"
    assert found.worst == "may be lost"
    assert found.finding == (
        "Of 4 servers, acknowledged commits may be lost on 1 when the server is killed, on 2 when the power is lost. "
        "1 of 4 servers could not be read."
    )


def test_a_server_that_did_not_answer_is_one_line_with_the_reason():
    silent = registered("was here", settings("0"))
    check = {"key": "reachability", "outcome": "failed", "says": "Nothing listens at x:1.", "fix": "Start it."}
    Preflight.objects.create(server=silent, state="done", checks=[check])
    (line,) = audited().lines
    assert line.finding == "Nothing listens at x:1. Start it." and outcomes(line) == ("unknown",) * 3


def test_a_primary_and_its_replica_that_differ():
    follows = Peer("db1.example.org", 3306, 1, "uuid-1", "follows", by_gtid=True)
    first = settings(binlog_format="ROW", innodb_buffer_pool_size="100", rocksdb_block_cache_size="1")
    registered("db1", first, replication(1, sync_relay_log="1"))
    of_replica = {"relay_log_recovery": "OFF", "innodb_flush_log_at_trx_commit": "2"}
    registered("db2", settings("2", binlog_format="row"), replication(2, (follows,), **of_replica))
    found = audited()
    (pair,) = found.replicas
    assert (pair.one, pair.other) == ("db1", "db2")
    assert {one.setting: (one.one, one.other) for one in pair.differences} == {
        "innodb_flush_log_at_trx_commit": ("1", "2"), "innodb_buffer_pool_size": ("100", None),
        "rocksdb_block_cache_size": ("1", None), "sync_relay_log": ("1", None), "relay_log_recovery": (None, "OFF"),
    }  # fmt: skip
    primary = next(line for line in found.lines if line.name == "db1")
    assert primary.failover.outcome == "may be lost" and "replication is asynchronous" in primary.failover.says
    assert primary.changes == ("rpl_semi_sync_source_enabled=ON",)
    replica = next(line for line in found.lines if line.name == "db2")
    assert "rows can be missing without an error" in replica.failover.says


def test_what_could_not_be_read_of_replication_is_unknown():
    registered("few", settings(), Replication(1, 3306, None, None, (), {}, ("SHOW REPLICAS: not allowed.",)))
    (line,) = audited().lines
    assert outcomes(line) == ("kept", "kept", "unknown") and "SHOW REPLICAS" in line.failover.says


def test_each_line_is_linked_to_what_was_measured_here():
    one = trials.experiment({}, measured=0, levels={"2/0": 10.0})
    measured = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
    one.plan["variants"][0]["settings"] = measured
    one.save()
    trials.add(one, {"2/0": {"power-loss": [(3, 9)] * 3}}, factory.environment_row())
    text = "\n".join(f"{name}\t{value}" for name, value in (measured | {"version": "10.11.6-MariaDB-log"}).items())
    (line,) = audit([pasted("A", read(text))]).lines
    assert [(badge.kind, badge.state, badge.experiment_id) for badge in line.measured] == [
        ("power loss", "failed", one.pk)
    ]
    (other,) = audit([pasted("B", read(text.replace("10.11", "10.6")))]).lines
    assert other.measured == ()


def test_a_service_level_is_compared_with_the_present_settings_and_the_newest_result():
    one = registered("fast", settings("2", "0"))
    levels.agree(None, one, levels.Wanted(4000, survives=["kill", "power", "failover"]))
    (line,) = audited().lines
    asked = (
        "At least 4,000 commits/s; nothing lost when the server process is killed, in a power loss and in a failover."
    )
    assert line.notes == (
        f"Service level: {asked} The present settings miss it in a power loss.",
        "No result has measured its service level yet.",
    )
    done = trials.experiment(servers=[one])
    type(done).objects.filter(pk=done.pk).update(level="unclear")
    assert audited().lines[0].notes[1] == (
        f"The newest result that measured its service level, experiment {done.pk}, says which settings meet it."
    )
    levels.agree(None, one, levels.Wanted(survives=["power"], lost_s=5))
    assert "miss" not in audited().lines[0].notes[0], "how much a power loss may take is not known from settings"


def test_many_servers_ask_few_questions(django_assert_max_num_queries):
    for number in range(20):
        registered(f"db{number}", settings(str(number % 3)))
    with django_assert_max_num_queries(12):
        assert len(audited().lines) == 20


def test_two_servers_of_different_flavours_are_compared_by_what_both_have():
    one = AuditedServer(
        "A", facts=Facts("mysql", (8, 0, 36), "8.0.36", {"sync_binlog": "1", "gtid_mode": "ON"}, ENGINES)
    )
    other = AuditedServer("B", facts=Facts("mariadb", (10, 11, 6), "10.11.6", {"sync_binlog": "0"}, ENGINES))
    assert [difference.setting for difference in against(one, other).differences] == ["sync_binlog"]
