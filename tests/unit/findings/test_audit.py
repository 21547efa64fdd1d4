"""The audit: the worst server first, with the reason and the setting to change."""

import re
from dataclasses import asdict, replace

import pytest
from django.utils import timezone

from dashboard.findings.audit.audit import against, audit, with_levels
from dashboard.findings.audit.in_words import audit_lines
from dashboard.findings.audit.subject import NOT_READ, AuditedServer, by_tests, pasted, read_now
from dashboard.records.servers import levels, queries
from dashboard.records.servers.models import Preflight
from tests.unit.api.tokens import script
from tests.unit.results import factory, trials
from tests.unit.schedules.made import somebody
from tests.unit.whole_settings import MYSQL_8, whole
from workers.servers.facts import Facts
from workers.servers.pasted.read import read
from workers.servers.preflight import PreflightCheck
from workers.servers.reading import ServerReading
from workers.servers.replication import Peer, Replication

pytestmark = pytest.mark.django_db
ENGINES = {"innodb": "DEFAULT"}


def settings(flush="1", sync="1", **more):
    """All on which the durability report rests."""
    told = {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync, "innodb_redo_log_enabled": "ON"}
    return whole(*MYSQL_8, **(told | more))


def replication(number, sources=(), **values):
    return Replication(number, 3306, sources, (), (), {"server_uuid": f"uuid-{number}", **values})


def registered(name, found, seen=None, flavour="mysql", version="8.0.36", **more):
    server = factory.server(name, host=f"{name}.example.org")
    facts = {
        "flavour": flavour, "version_text": version, "settings": found, "engines": ENGINES,
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
    fast, half, new, safe = found.lines
    assert fast.finding.startswith("Server killed: Acknowledged commits of about the last second may be lost")
    assert "InnoDB: Acknowledged commits" in half.finding and "Binary log: Everything" in half.finding, "both logs"
    assert fast.changes == ("innodb_flush_log_at_trx_commit=1", "sync_binlog=1") and fast.flushes == "0/0"
    assert new.finding == NOT_READ and safe.changes == () and safe.version == "MySQL 8.0.36"
    assert found.worst == "may be lost"
    assert found.finding == (
        "Of 4 servers, acknowledged commits may be lost on 1 when the server is killed, on 2 when the power is lost. "
        "1 of 4 servers is not read yet."
    )


def test_before_the_first_reading_nothing_is_said_to_have_failed(client_in):
    for number in range(19):
        factory.server(f"db{number}", host="db.example.org")
    assert audited().finding == "19 of 19 servers are not read yet."
    page = client_in.get("/servers/audit/").text
    assert "could not be read" not in page and page.count("not read yet") > 19


def test_servers_of_which_something_is_unknown_are_counted():
    registered("proxied", settings(), version="8.0.30-Vitess")
    registered("safe", settings())
    assert audited().finding == (
        "No setting of 2 servers is known to lose acknowledged commits. What 1 of 2 servers would lose is unknown."
    )
    alone = audit([pasted("A", read("version\t8.0.30-Vitess\nsync_binlog\t1\n"))])
    assert alone.finding == "What 1 of 1 server would lose is unknown."
    proxied, _ = audited().lines
    assert outcomes(proxied)[:2] == ("unknown", "unknown") and "Vitess" in proxied.finding
    assert audited().worst == "unknown"


CASES = {
    "a fork": ("TiDB", "version\t8.0.11-TiDB-v7.5.1\nlog_bin\tOFF\ninnodb_flush_log_at_trx_commit\t1\n"),
    "a proxy": ("Vitess", "version\t8.0.30-Vitess\nsync_binlog\t1\ninnodb_flush_log_at_trx_commit\t1\n"),
    "a service": ("PolarDB", "version\t8.0.13\npolardb_version\t8.0.1.1.0\ninnodb_flush_log_at_trx_commit\t1\n"),
    "a short text": ("innodb_doublewrite", "version\t8.0.33\nsync_binlog\t1\ninnodb_flush_log_at_trx_commit\t1\n"),
}


@pytest.mark.parametrize(("named", "text"), CASES.values(), ids=CASES)
def test_a_pasted_text_that_does_not_say_enough_is_unknown(named, text):
    found = audit([pasted("A", read(text))])
    assert found.worst == "unknown" and named in found.lines[0].power_loss.says


@pytest.mark.parametrize(
    ("version", "told", "notes"),
    [("8.0.33", "", 1), ("8.0.33", "Innodb_redo_log_enabled\tON\n", 0), ("8.0.20", "", 0), ("10.11.6-MariaDB", "", 0)],
)
def test_a_text_of_variables_says_that_it_does_not_tell_of_the_redo_log(version, told, notes):
    line = audit([pasted("A", read(f"version\t{version}\nsync_binlog\t1\nlog_bin\tON\n{told}"))]).lines[0]
    assert sum("Innodb_redo_log_enabled" in one for one in line.notes) == notes


@pytest.mark.parametrize("lacks", ["innodb_redo_log_enabled", "innodb_checksum_algorithm"])
def test_a_test_of_an_older_worker_keeps_nothing_that_it_did_not_ask_for(lacks):
    registered("now", settings())
    registered("before", settings(**{lacks: None}))
    before, now = audited().lines
    assert before.power_loss.outcome == "unknown" and lacks in before.finding
    assert sum("Test the server again" in note for note in before.notes) == 1
    assert now.power_loss.outcome == "kept" and not any("Test the server again" in note for note in now.notes)


def test_a_redo_log_that_is_off_is_told_from_a_text():
    text = "".join(f"{name}\t{value}\n" for name, value in settings().items())
    found = audit([pasted("A", read(f"version\t8.0.33\n{text}Innodb_redo_log_enabled\tOFF\n"))])
    assert found.worst == "may be lost" and outcomes(found.lines[0])[:2] == ("may be lost", "may be lost")
    assert found.lines[0].changes == ("ALTER INSTANCE ENABLE INNODB REDO_LOG",)


@pytest.mark.parametrize(("told", "notes"), [("ON", 0), ("OFF", 0), (None, 1)])
def test_a_server_that_does_not_tell_of_its_binary_log_has_a_note(told, notes):
    registered("A", settings(**({"binlog_open": told} if told else {})))
    registered("B", settings(log_bin="OFF"))
    lines = {line.name: line for line in audited().lines}
    assert len([one for one in lines["A"].notes if "still writes its binary log" in one]) == notes
    assert not lines["B"].notes
    assert lines["A"].killed.outcome == ("may be lost" if told == "OFF" else "kept")


def test_aurora_is_not_judged_by_the_settings_of_innodb():
    server = registered("cluster", settings())
    server.service = "aurora"
    server.save()
    (line,) = audited().lines
    assert line.killed.outcome == line.power_loss.outcome == "unknown" and "Aurora" in line.killed.says


def test_beside_a_loss_the_line_says_why_another_outcome_is_unknown(client_in):
    seen = replace(replication(1), unread=("SHOW SLAVE HOSTS: The account may not do this.",))
    registered("reports", settings("2", "0"), seen, flavour="mariadb", version="10.11.19-MariaDB-0+deb12u1-log")
    registered("kept", settings(), seen)
    (lost, kept) = audited().lines
    assert lost.unclear.startswith("Failover is unknown: ") and "SHOW SLAVE HOSTS" in lost.unclear
    assert kept.unclear == "" and "SHOW SLAVE HOSTS" in kept.finding, "its finding says it already"
    assert lost.short_version == "MariaDB 10.11.19" and lost.unclear in "\n".join(audit_lines(audited()))
    page = " ".join(client_in.get("/servers/audit/").text.split())
    assert "setting 2/0" in page and 'title="MariaDB 10.11.19-MariaDB-0+deb12u1-log"' in page


TORN = "Torn power loss: as a power loss, but a random half of the unflushed sectors reached the disk"


def test_a_torn_power_loss_is_explained_where_a_line_tells_of_one(client_in):
    registered("other", settings("2", "0"), version="5.7.1")
    assert audited().torn == "" and TORN not in client_in.get("/servers/audit/").text
    like = registered("like", settings("2", "1"), flavour="mariadb", version="10.11.6-MariaDB")
    assert any("torn" in one.kind.lower() for line in audited().lines for one in line.reference), like
    assert TORN in "\n".join(audit_lines(audited())) and TORN in client_in.get("/servers/audit/").text


def test_a_setting_of_five_thousand_digits_does_not_end_the_audit_of_the_other_servers():
    registered("odd", settings("1" * 5000), version=f"8.{'1' * 5000}")
    registered("safe", settings())
    assert {line.name: outcomes(line)[0] for line in audited().lines} == {"odd": "unknown", "safe": "kept"}


def test_a_server_that_did_not_answer_is_one_line_with_the_reason():
    silent = registered("was here", settings("0"))
    check = PreflightCheck("reachability", "Reachable", "failed", "Nothing listens at x:1.", "Start it.")
    Preflight.objects.create(server=silent, state="done", checks=[asdict(check)])
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


def test_replication_that_could_not_be_read_is_unknown():
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


def level_of(server, wanted):
    levels.agree(None, server, wanted)
    subjects = by_tests(queries.last_tests())
    (line,) = [one for one in with_levels(audit(subjects), subjects).lines if one.server_id == server.pk]
    return line.level


def targets(level):
    return [(one.met, one.measured) for one in level.targets]


def measured(server, rates=None, **more):
    """1/1 and 2/0 on this server, as its settings are by default."""
    one = trials.experiment(rates or {"1/1": {}, "2/0": {}}, replica=False, servers=[server], environment=more)
    for variant in one.plan["variants"]:
        flush, sync = variant["name"].split("/")
        variant["settings"] = {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync}
    one.save()
    return one


def test_a_level_that_nothing_measured_is_judged_by_the_rules_alone():
    one = registered("fast", settings("2", "0"))
    found = level_of(one, levels.Wanted(4000, survives=["kill", "power", "failover"]))
    assert found.asked == (
        "At least 4,000 commits/s; nothing lost when the server process is killed, in a power loss and in a failover."
    )
    assert targets(found) == [
        ("unclear", "Not measured."),
        ("unclear", "Not tried."),
        ("missed", "Not tried. By the settings, commits may be lost."),
        ("unclear", "Not tried."),
    ]
    assert (found.met, found.experiment_id, found.says) == ("missed", None, "No result has measured it yet.")


def test_the_level_of_the_present_settings_has_figure_and_interval_and_the_settings_that_meet_it():
    """At 8 threads 1/1 makes 4,290 commits/s (3 repeats, noise 5 %), 2/0 12,900."""
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    done = measured(one)
    found = level_of(one, levels.Wanted(4000))
    ((met, says),) = targets(found)
    assert met == "met" and re.fullmatch(r"4,\d+ \(4,\d+ to 4,\d+\) commits/s at 8 threads", says)
    assert found.says == f"The present settings are 1/1 in experiment {done.pk}. 1/1 and 2/0 meet it."
    found = level_of(one, levels.Wanted(6000))
    assert targets(found)[0][0] == "missed" and found.says.endswith("2/0 meets it.")
    assert level_of(one, levels.Wanted(4285)).met == "unclear"
    assert level_of(one, levels.Wanted(60000)).says.endswith("No setting that it tested is known to meet it.")


def test_a_level_that_allows_a_loss_is_judged_by_measurement():
    one = registered("fast", settings("2", "0"), flavour="mariadb", version="10.11.9")
    measured(one, {"1/1": {"power-loss": trials.HELD * 36}, "2/0": {"power-loss": [(1100, 2200)] * 36}})
    for lost_s, met in ((3, "met"), (1, "missed")):
        found = level_of(one, levels.Wanted(survives=["power"], lost_s=lost_s))
        assert found.met == met and "at most the last 2.00 s of commits" in found.targets[0].measured, lost_s
    assert found.meet == ("1/1",)


@pytest.mark.parametrize(
    ("now", "ran", "tested"),
    [
        ({}, {}, "1/1"),
        ({"innodb_doublewrite": "ON"}, {"innodb_doublewrite": "1"}, "1/1"),
        ({"innodb_doublewrite": "OFF"}, {"innodb_doublewrite": "ON"}, ""),
        ({}, {"version": "10.6.3-MariaDB"}, ""),
    ],
)
def test_figures_of_other_settings_or_versions_are_not_those_of_the_present_ones(now, ran, tested):
    one = registered("safe", settings("1", "1", **now), flavour="mariadb", version="10.11.9")
    done = measured(one, **ran)
    found = level_of(one, levels.Wanted(4000))
    assert (found.tested, found.met) == (tested, "met" if tested else "unclear")
    if not tested:
        assert (
            found.says == f"The newest result, experiment {done.pk}, tested other settings only. 1/1 and 2/0 meet it."
        )


def test_an_older_result_with_the_present_settings_counts_before_a_newer_one_without():
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    older, newer = measured(one), measured(one, {"2/0": {}})
    type(newer).objects.filter(pk=newer.pk).update(ended_at=timezone.now())
    assert level_of(one, levels.Wanted(4000)).experiment_id == older.pk
    older.state = "running"
    older.save()
    assert level_of(one, levels.Wanted(4000)).experiment_id == newer.pk, "it has not ended"


def test_many_newer_experiments_that_were_deleted_do_not_hide_a_result():
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    done = measured(one)
    for _ in range(10):
        newer = factory.experiment({"1/1": 1000.0}, threads=(8,), servers=[one], measured=0)
        type(newer).objects.filter(pk=newer.pk).update(deleted_at=timezone.now())
    assert level_of(one, levels.Wanted(4000)).experiment_id == done.pk


def test_a_crash_that_was_tried_with_its_settings_on_another_server_here_counts():
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    measured(one)
    wanted = levels.Wanted(4000, survives=["power", "kill"])
    assert [met for met, _ in targets(level_of(one, wanted))] == ["met", "unclear", "unclear"]
    sandbox = factory.server("a sandbox", kind="sandbox", host="", build="mariadb-10.11")
    other = trials.experiment({}, measured=0, levels={"1/1": 10.0}, servers=[sandbox])
    other.plan["variants"][0]["settings"] = settings("1", "1")
    other.save()
    trials.add(other, {"1/1": {"power-loss": trials.HELD * 36}}, factory.environment_row())
    found = level_of(one, wanted)
    assert [met for met, _ in targets(found)] == ["met", "met", "unclear"]
    assert found.targets[1].measured.endswith(", on another server here with these settings")


def test_the_page_the_api_and_the_command_show_the_level(client_in):
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    done = measured(one)
    levels.agree(None, one, levels.Wanted(4000))
    page = client_in.get("/servers/audit/").text
    assert f'href="/results/{done.pk}/"' in page and "1/1 and 2/0 meet it." in page and "commits/s at 8 threads" in page
    (line,) = script(somebody()).get("/api/v1/audit").json()["lines"]
    assert (line["level"]["met"], line["level"]["tested"], line["level"]["meet"]) == ("met", "1/1", ["1/1", "2/0"])
    subjects = by_tests(queries.last_tests())
    told = "\n".join(audit_lines(with_levels(audit(subjects), subjects)))
    assert "Service level, met: At least 4,000 commits/s. The present settings are 1/1" in told


def test_a_hostile_server_cannot_change_the_terminal():
    one = registered("db", settings("1\x1b[2J", "0"), version="8.0.36\x1b[2J")
    told = audit_lines(audit(by_tests([(one, one.last_answer)])))
    assert "8.0.36" in audited().lines[0].version and not any("\x1b" in line for line in told)


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


OF_AURORA = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "log_bin": "ON", "innodb_doublewrite": "OFF"}


@pytest.mark.parametrize(("sign", "outcome"), [({"aurora_version": "3.04.0"}, "unknown"), ({}, "may be lost")])
def test_a_managed_server_is_not_judged_by_settings_of_its_storage(sign, outcome):
    """Aurora reports that the doublewrite buffer is off, and nobody can turn it on."""
    shown = {"version": "8.0.28", **OF_AURORA, **sign}
    text = read("".join(f"{name}\t{value}\n" for name, value in shown.items()))
    one = factory.server()
    answer = ServerReading(Facts("mysql", (8, 0, 28), "8.0.28", shown, ENGINES))
    for subject in (pasted("A", text), *read_now([one], [answer], timezone.now())):
        (line,) = audit([subject]).lines
        assert line.power_loss.outcome == outcome
        assert ("innodb_doublewrite=ON" in line.changes) == (not sign)


def test_a_managed_server_is_known_by_its_last_test_and_by_the_word_of_its_owner():
    """The name of its host may be an alias."""
    one = registered("db", settings("1", "1"))
    assert [subject.service for subject in by_tests([(one, one.last_answer)])] == [""]
    Preflight.objects.update(facts={**one.last_answer.facts, "service": {"key": "rds", "sign": "basedir"}})
    assert [subject.service for subject in by_tests([(one, one.last_answer)])] == ["rds"]
    one.service = "none"
    assert [subject.service for subject in by_tests([(one, one.last_answer)])] == [""]


def test_no_trial_of_another_server_stands_for_a_managed_one():
    one = registered("safe", settings("1", "1"), flavour="mariadb", version="10.11.9")
    sandbox = factory.server("a sandbox", kind="sandbox", host="", build="mariadb-10.11")
    other = trials.experiment({}, measured=0, levels={"1/1": 10.0}, servers=[sandbox])
    other.plan["variants"][0]["settings"] = settings("1", "1")
    other.save()
    trials.add(other, {"1/1": {"power-loss": trials.HELD * 36}}, factory.environment_row())
    wanted = levels.Wanted(survives=["power"])
    assert targets(level_of(one, wanted))[0][0] == "met"
    (told,) = (line for line in audit_lines(audited()) if "Measured here" in line)
    assert "nothing lost in 36 power losses" in told and ", on a sandbox (/results/" in told
    type(one).objects.update(service="rds")
    assert targets(level_of(one, wanted))[0][0] == "unclear"
    (line,) = audited().lines
    assert not line.measured and not line.reference


def test_a_test_that_cannot_be_read_leaves_its_server_unknown():
    Preflight.objects.create(server=factory.server("db1"), state="done", facts={"engines": ["InnoDB"]})
    line = audited().lines[0]
    assert outcomes(line) == ("unknown",) * 3 and "The stored engines cannot be read" in line.finding
