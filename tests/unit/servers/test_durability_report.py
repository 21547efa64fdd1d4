"""The report against what real crashes showed (kill -9 and power loss, MariaDB 10.11, 8 clients)."""

import re

import pytest

from tests.unit.whole_settings import MYROCKS, whole
from workers.errors import PlanError
from workers.servers.defaults import defaults_of
from workers.servers.durability import DERIVED, report
from workers.servers.facts import Facts
from workers.servers.present import in_words, settings_in_words
from workers.servers.present import read as read_words
from workers.servers.risks import CONDITIONS, FILE, RISKS, read


def facts(flush="1", sync="1", *, flavour="mariadb", version=(10, 11, 19), engines=("innodb",), **more):
    told = {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync} | more
    held = whole(flavour, version, **((MYROCKS | told) if "rocksdb" in engines else told))
    return Facts(flavour, version, ".".join(map(str, version)), held, {name: "YES" for name in engines})


def outcome(at, crash, what, engine=None):
    found = [s for s in report(at) if (s.crash_class, s.what) == (crash, what) and engine in (None, s.engine)]
    return found[0].outcome


KEPT, LOST, UNKNOWN = "kept", "may be lost", "unknown"


@pytest.mark.parametrize(
    ("flush", "sync", "kill_engine", "power_engine", "power_binlog"),
    [
        ("1", "1", KEPT, KEPT, KEPT),
        ("3", "1", KEPT, KEPT, KEPT),
        ("1", "0", KEPT, LOST, LOST),
        ("1", "100", KEPT, LOST, LOST),
        ("2", "1", KEPT, LOST, KEPT),
        ("2", "0", KEPT, LOST, LOST),
        ("0", "1", LOST, LOST, KEPT),
        ("0", "0", LOST, LOST, LOST),
    ],
)
def test_the_report_agrees_with_the_crash_matrix(flush, sync, kill_engine, power_engine, power_binlog):
    at = facts(flush, sync)
    assert outcome(at, "process kill", "engine") == kill_engine
    assert outcome(at, "process kill", "binlog") == KEPT
    assert outcome(at, "power loss", "engine") == power_engine
    assert outcome(at, "power loss", "binlog") == power_binlog
    assert outcome(at, "process kill", "agreement") == (LOST if flush == "0" else KEPT)
    assert outcome(at, "power loss", "agreement") == (KEPT if flush in "13" and sync == "1" else LOST)


def test_the_report_says_how_much_may_be_lost():
    said = [s.says for s in report(facts("2", "7", innodb_flush_log_at_timeout="5"))]
    assert any("5 seconds" in says for says in said) and any("last 7 group commits" in says for says in said)


def test_the_report_leaves_the_binlog_out_where_there_is_none():
    assert {s.what for s in report(facts("1", "0", log_bin="OFF"))} == {"engine"}
    assert "binlog" in {s.what for s in report(facts(log_bin="1"))}, "some clients print 1 for ON"
    assert outcome(facts("1", "0", log_bin="OFF"), "power loss", "engine") == KEPT


def test_the_report_knows_the_binlog_inside_the_engine():
    inside = {"binlog_storage_engine": "innodb"}
    assert outcome(facts("1", "0", **inside), "power loss", "binlog") == KEPT
    assert outcome(facts("2", "1", **inside), "power loss", "binlog") == LOST
    assert outcome(facts("2", "1", **inside), "process kill", "binlog") == KEPT
    assert outcome(facts("0", "1", **inside), "process kill", "binlog") == LOST
    assert outcome(facts("0", "0", **inside), "power loss", "agreement") == KEPT


def test_the_report_knows_myrocks_own_variable():
    keeps = {"rocksdb_manual_wal_flush": "ON"}
    at = facts("1", "1", engines=("innodb", "rocksdb"), rocksdb_flush_log_at_trx_commit="2", **keeps)
    assert outcome(at, "power loss", "engine", "MyRocks") == LOST
    assert outcome(at, "process kill", "engine", "MyRocks") == LOST, "as measured: docs/research/crash-matrix.md"
    assert outcome(at, "process kill", "agreement") == LOST
    assert outcome(at, "power loss", "engine", "InnoDB") == KEPT
    assert outcome(at, "power loss", "agreement") == LOST
    lazy = facts("2", "1", engines=("innodb", "rocksdb"), rocksdb_flush_log_at_trx_commit="0", **keeps)
    assert outcome(lazy, "process kill", "engine", "MyRocks") == LOST
    assert "MyRocks" not in {s.engine for s in report(facts("1", "1", rocksdb_flush_log_at_trx_commit="0"))}
    for flush in "02":
        told = {"rocksdb_flush_log_at_trx_commit": flush, "rocksdb_manual_wal_flush": "OFF"}
        written = facts("1", "1", engines=("innodb", "rocksdb"), **told)
        assert outcome(written, "process kill", "engine", "MyRocks") == KEPT
        assert outcome(written, "process kill", "agreement") == KEPT
        assert outcome(written, "power loss", "engine", "MyRocks") == LOST
        assert outcome(written, "power loss", "agreement") == LOST
    unsynced = facts("1", "0", engines=("innodb", "rocksdb"), rocksdb_flush_log_at_trx_commit="1")
    assert outcome(unsynced, "power loss", "engine", "MyRocks") == LOST


def toku(sync="1", **more):
    own = {"tokudb_commit_sync": "ON", "tokudb_fsync_log_period": "0"} | more
    return facts("1", sync, engines=("innodb", "tokudb"), **own)


CRASHES = ("process kill", "power loss")


@pytest.mark.parametrize("crash", CRASHES)
def test_the_report_knows_tokudbs_own_variables(crash):
    assert outcome(toku(), crash, "engine", "TokuDB") == outcome(toku(), crash, "agreement") == KEPT
    lazy = toku(tokudb_fsync_log_period="1000")
    assert outcome(lazy, crash, "engine", "TokuDB") == outcome(lazy, crash, "agreement") == LOST
    assert outcome(lazy, crash, "engine", "InnoDB") == KEPT
    absent = facts(tokudb_commit_sync="OFF", tokudb_fsync_log_period="1000")
    assert "TokuDB" not in {s.engine for s in report(absent)} and outcome(absent, crash, "agreement") == KEPT


@pytest.mark.parametrize("crash", CRASHES)
def test_with_the_binlog_on_tokudb_flushes_at_prepare_whatever_commit_sync_says(crash):
    assert outcome(toku(tokudb_commit_sync="OFF"), crash, "engine", "TokuDB") == KEPT
    assert outcome(toku(tokudb_commit_sync="OFF", log_bin="OFF"), crash, "engine", "TokuDB") == LOST


def test_tokudbs_prepared_commits_go_with_an_unflushed_binlog():
    assert outcome(toku("0"), "power loss", "engine", "TokuDB") == LOST
    assert outcome(toku("0"), "process kill", "engine", "TokuDB") == KEPT


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("innodb_flush_method", "O_DSYNC", KEPT),
        ("innodb_flush_method", "fsync", KEPT),
        ("innodb_flush_method", "nosync", LOST),
        ("innodb_flush_method", "littlesync", LOST),
        ("innodb_flush_method", "O_DIRECT_NO_FSYNC", UNKNOWN),
        ("innodb_doublewrite", "OFF", LOST),
        ("innodb_doublewrite", "0", LOST),
        ("innodb_doublewrite", "DETECT_ONLY", LOST),
        ("innodb_force_recovery", "4", UNKNOWN),
        ("innodb_flush_log_at_trx_commit", None, UNKNOWN),
        ("innodb_flush_log_at_trx_commit", "x", UNKNOWN),
    ],
)
def test_the_report_depends_on_how_files_are_written(name, value, expected):
    assert outcome(facts(**{name: value}), "power loss", "engine") == expected


def test_the_report_does_not_guess_about_an_unseen_binlog():
    assert outcome(facts(log_bin=None), "process kill", "binlog") == UNKNOWN
    assert outcome(facts(sync=None), "power loss", "agreement") == UNKNOWN


NAMES = (
    "innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_flush_method", "innodb_doublewrite",
    "innodb_force_recovery",
)  # fmt: skip


def statements(at):
    return {(one.crash_class, one.what): one for one in report(at)}


@pytest.mark.parametrize("value", [None, "XYZ", "-1", "9" * 30, ""])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_rests_on_a_setting_is_kept_without_it(name, value):
    """A file of MariaDB may leave its method empty: it has had a name since 10.3 only."""
    known = name == "innodb_flush_method" and value == ""
    found = statements(facts(**{name: value}))
    if known:
        assert {one.outcome for one in found.values()} == {KEPT}
        return
    unclear = [one for one in found.values() if one.outcome == UNKNOWN]
    assert unclear and all(name in one.says and one.rests_on for one in unclear)
    assert found["power loss", "binlog" if name in ("sync_binlog", "log_bin") else "engine"] in unclear


@pytest.mark.parametrize(
    ("flavour", "version", "name", "needed"),
    [
        ("mysql", (5, 6, 14), "innodb_support_xa", True),
        ("mysql", (8, 0, 33), "innodb_support_xa", False),
        ("mariadb", (10, 2, 44), "innodb_support_xa", True),
        ("mariadb", (10, 3, 0), "innodb_support_xa", False),
        ("mariadb", (12, 3, 0), "binlog_storage_engine", True),
        ("mariadb", (11, 8, 9), "binlog_storage_engine", False),
        ("mysql", (5, 6, 14), "binlog_error_action", False),
        ("mysql", (8, 0, 33), "binlog_error_action", True),
        ("mysql", (5, 5, 40), "innodb_checksum_algorithm", False),
        ("mysql", (5, 6, 14), "innodb_checksum_algorithm", True),
        ("mariadb", (10, 11, 19), "innodb_checksum_algorithm", True),
        ("mysql", (5, 7, 30), "innodb_checksums", True),
        ("mysql", (8, 0, 33), "innodb_checksums", False),
        ("mariadb", (10, 4, 30), "innodb_checksums", True),
        ("mariadb", (10, 5, 23), "innodb_checksums", False),
        ("mysql", (5, 6, 14), "innodb_log_checksums", False),
        ("mysql", (8, 0, 33), "innodb_log_checksums", True),
        ("mariadb", (10, 5, 23), "innodb_log_checksums", True),
        ("mariadb", (10, 6, 0), "innodb_log_checksums", False),
        ("mysql", (0, 0, 0), "version", True),
    ],
)
def test_a_setting_is_needed_where_it_exists(flavour, version, name, needed):
    lacks = {} if name == "version" else {name: None}
    found = statements(facts(flavour=flavour, version=version, **lacks))
    assert (UNKNOWN in {one.outcome for one in found.values()}) is needed
    assert (name in " ".join(one.says for one in found.values())) is needed


def test_a_value_that_only_another_flavour_has_is_not_understood():
    mysql = {"flavour": "mysql", "version": (8, 0, 33), "binlog_error_action": "ABORT_SERVER"}
    assert outcome(facts("3", **mysql), "process kill", "engine") == UNKNOWN
    assert outcome(facts("2", **mysql), "process kill", "engine") == KEPT
    assert outcome(facts("3"), "process kill", "engine") == KEPT


def test_settings_of_an_engine_that_is_not_innodb_are_needed_too():
    def without(*names):
        return facts(engines=("innodb", "rocksdb"), **dict.fromkeys(names))

    assert outcome(without("rocksdb_manual_wal_flush"), "power loss", "engine", "MyRocks") == KEPT, (
        "1 asks nothing of it"
    )
    for name in MYROCKS.keys() - {"rocksdb_manual_wal_flush", "rocksdb_enable_2pc"}:
        assert outcome(without(name), "power loss", "engine", "MyRocks") == UNKNOWN
    assert outcome(without("rocksdb_enable_2pc"), "process kill", "agreement") == UNKNOWN
    assert outcome(without(*MYROCKS), "power loss", "agreement") == UNKNOWN
    assert outcome(facts(engines=("innodb", "tokudb")), "process kill", "engine", "TokuDB") == UNKNOWN


def test_a_server_without_innodb_is_not_judged():
    assert outcome(facts(engines=()), "process kill", "engine") == UNKNOWN


MYSQL = {"flavour": "mysql", "version": (8, 0, 33)}
ERROR = {**MYSQL, "binlog_error_action": "IGNORE_ERROR"}
STOPS = {**MYSQL, "binlog_error_action": "ABORT_SERVER"}


@pytest.mark.parametrize(
    ("more", "what", "expected", "change"),
    [
        (ERROR, "binlog", LOST, "binlog_error_action=ABORT_SERVER"),
        (ERROR, "agreement", LOST, "binlog_error_action=ABORT_SERVER"),
        (ERROR, "engine", KEPT, ""),
        ({**ERROR, "log_bin": "OFF"}, "engine", KEPT, ""),
        (STOPS, "binlog", KEPT, ""),
        ({**STOPS, "binlog_open": "ON"}, "binlog", KEPT, ""),
        ({**STOPS, "binlog_open": "OFF"}, "binlog", LOST, ""),
        ({**STOPS, "binlog_open": "OFF"}, "agreement", LOST, ""),
        ({**STOPS, "binlog_open": "OFF"}, "engine", KEPT, ""),
        ({**STOPS, "binlog_open": "?"}, "binlog", UNKNOWN, ""),
        ({**STOPS, "innodb_redo_log_enabled": "OFF"}, "engine", LOST, "ALTER INSTANCE ENABLE INNODB REDO_LOG"),
        ({**STOPS, "innodb_redo_log_enabled": "OFF"}, "binlog", KEPT, ""),
        ({**STOPS, "innodb_redo_log_enabled": ""}, "engine", UNKNOWN, ""),
        ({**STOPS, "innodb_redo_log_enabled": "ON"}, "engine", KEPT, ""),
        ({"innodb_use_global_flush_log_at_trx_commit": "OFF"}, "engine", UNKNOWN,
         "innodb_use_global_flush_log_at_trx_commit=ON"),
        ({"innodb_use_global_flush_log_at_trx_commit": "ON"}, "engine", KEPT, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("crash", ["process kill", "power loss"])
def test_what_no_flush_setting_shows_is_told(crash, more, what, expected, change):
    found = statements(facts(**more))[crash, what]
    assert found.outcome == expected and found.changes == ((change,) if change else ())


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("innodb_flush_method", "ALL_O_DIRECT", UNKNOWN),
        ("innodb_doublewrite", "fast", UNKNOWN),
        ("innodb_doublewrite", "DETECT_AND_RECOVER", KEPT),
        ("innodb_checksum_algorithm", "none", UNKNOWN),
        ("innodb_checksum_algorithm", "strict_none", UNKNOWN),
        ("innodb_checksum_algorithm", "full_crc32", KEPT),
        ("innodb_checksums", "OFF", UNKNOWN),
        ("innodb_checksums", "ON", KEPT),
        ("innodb_log_checksums", "OFF", UNKNOWN),
        ("innodb_log_checksums", "ON", KEPT),
    ],
)
def test_a_torn_write_is_found_by_checksums_and_repaired_from_a_flushed_copy(name, value, expected):
    assert outcome(facts(**{name: value}), "power loss", "engine") == expected
    assert outcome(facts(**{name: value}), "process kill", "engine") == KEPT


@pytest.mark.parametrize("what", ["engine", "binlog", "agreement"])
def test_without_the_system_calls_that_flush_a_power_loss_loses_and_a_kill_does_not(what):
    assert outcome(facts(debug_no_sync="ON"), "power loss", what) == LOST
    assert outcome(facts(debug_no_sync="ON"), "process kill", what) == KEPT
    assert outcome(rocks(debug_no_sync="ON"), "power loss", "engine", "MyRocks") == LOST
    assert outcome(facts(debug_no_sync="OFF"), "power loss", what) == KEPT


def rocks(**more):
    keeps = {"rocksdb_flush_log_at_trx_commit": "1", "rocksdb_manual_wal_flush": "ON"}
    return facts(engines=("innodb", "rocksdb"), **keeps, **more)


def test_myrocks_needs_its_log_its_prepare_phase_and_a_recovery_that_leaves_nothing_out():
    kill = ("process kill", "engine", "MyRocks")
    assert outcome(rocks(rocksdb_write_disable_wal="ON"), *kill) == LOST
    assert outcome(rocks(rocksdb_write_disable_wal="ON"), "process kill", "agreement") == LOST
    assert outcome(rocks(rocksdb_write_disable_wal="OFF"), *kill) == KEPT
    assert outcome(rocks(rocksdb_enable_2pc="OFF"), "process kill", "agreement") == LOST
    assert outcome(rocks(rocksdb_enable_2pc="ON"), "process kill", "agreement") == KEPT
    assert outcome(rocks(rocksdb_wal_recovery_mode="3"), "power loss", "engine", "MyRocks") == UNKNOWN
    assert outcome(rocks(rocksdb_wal_recovery_mode="1"), "power loss", "engine", "MyRocks") == KEPT


def test_every_setting_on_which_a_report_rests_has_a_default_for_option_files():
    """Else nothing of a my.cnf would be kept."""
    for flavour, version in [("mysql", (5, 6, 14)), ("mysql", (5, 7, 30)), ("mysql", (8, 0, 33)), ("mysql", (9, 7, 0)),
                             ("mariadb", (10, 11, 19)), ("mariadb", (11, 8, 9)), ("mariadb", (12, 3, 0))]:  # fmt: skip
        at = Facts(flavour, version, "x", defaults_of(flavour, version), {"innodb": "DEFAULT"})
        assert UNKNOWN not in {one.outcome for one in report(at)}, (flavour, version)


def test_a_loss_is_told_even_where_something_else_is_unknown():
    assert outcome(facts("0", innodb_force_recovery="1"), "process kill", "engine") == LOST


def test_the_report_knows_a_commit_without_two_phases():
    assert outcome(facts(innodb_support_xa="OFF"), "process kill", "agreement") == LOST
    assert outcome(facts(innodb_support_xa="ON"), "process kill", "agreement") == KEPT


def test_the_report_rests_every_statement_on_something():
    for flush in "0123":
        for sync in ("0", "1", "9"):
            for statement in report(facts(flush, sync, innodb_force_recovery="1")):
                assert re.search(r"https://|Claim X\d", statement.rests_on), statement


def test_each_risk_names_the_setting_that_prevents_it_or_nothing():
    changes = {one.change for one in read(FILE)[2]}
    assert "" in changes
    assert {one for one in changes - {""} if "=" not in one} == {"ALTER INSTANCE ENABLE INNODB REDO_LOG"}


def test_the_report_never_promises_safety():
    words = " ".join([DERIVED, *(risk.says for risk in RISKS), *(s.says for s in report(facts()))])
    assert "safe" not in words.lower() and "not measured" in DERIVED


@pytest.mark.parametrize("value", ["0", "1", "2", "3"])
def test_settings_are_put_in_words(value):
    words = {name: said for name, _, said in settings_in_words(facts(flush=value))}
    assert "redo log" in words["innodb_flush_log_at_trx_commit"]
    assert "innodb_support_xa" not in words


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("log_bin", "1", "is on"),
        ("log_bin", "off", "is off"),
        ("sync_binlog", "0", "never flushes"),
        ("sync_binlog", "7", "every 7th group commit"),
        ("innodb_flush_log_at_timeout", "3", "every 3 s"),
        ("innodb_flush_method", "", "default"),
        ("innodb_flush_method", "o_dsync", "durable when it returns"),
        ("innodb_flush_method", "async_unbuffered", "value is not known"),
        ("innodb_doublewrite", "0", "cannot be repaired"),
        ("innodb_doublewrite", "DETECT_AND_RECOVER", "can be repaired"),
        ("binlog_storage_engine", "innodb", "inside InnoDB"),
        ("binlog_storage_engine", "", "files of its own"),
        ("innodb_force_recovery", "2", "repair mode"),
    ],
)
def test_each_spelling_of_a_value_is_put_in_words(name, value, says):
    assert says in in_words(name, value)


def test_a_broken_file_of_words_is_named_with_table_and_key(tmp_path):
    broken = tmp_path / "values.toml"
    broken.write_text('[log_bin]\nOFF = "Off."\nelse = 1\n')
    with pytest.raises(PlanError, match=r"values.toml: log_bin.else is 1"):
        read_words(broken)


def test_every_kind_of_value_is_put_in_words():
    odd = facts(
        "9", "5", innodb_flush_method="", innodb_doublewrite="OFF", log_bin="OFF", binlog_storage_engine="innodb",
        rocksdb_flush_log_at_trx_commit="2", innodb_support_xa="OFF", innodb_force_recovery="3",
        rocksdb_manual_wal_flush="ON", tokudb_commit_sync="OFF", tokudb_fsync_log_period="1000",
    )  # fmt: skip
    words = settings_in_words(odd)
    assert len(words) == 14 and all(said.endswith(".") for _, _, said in words)


@pytest.mark.parametrize(("every", "pause"), [("1", "second"), ("2", "2 seconds"), (None, "seconds")])
def test_the_pause_between_flushes_is_named(every, pause):
    said = " ".join(s.says for s in report(facts("2", "1", innodb_flush_log_at_timeout=every)))
    assert f"Acknowledged commits of about the last {pause} may be lost" in said


def test_only_engine_statements_name_an_engine():
    assert {(s.what, s.engine) for s in report(facts())} == {("engine", "InnoDB"), ("binlog", ""), ("agreement", "")}


def test_every_condition_is_asked_by_a_row():
    asked = {condition for risk in RISKS for condition in risk.conditions}
    assert [name for name, condition in CONDITIONS.items() if condition not in asked] == []


@pytest.mark.parametrize(
    ("written", "instead", "says"),
    [
        ('crashes = ["process kill"]', 'crashes = ["kill"]', "risks[1].crashes is 'kill'. There are: process kill"),
        ('loses = ["engine"]', 'loses = "engine"', "risks[1].loses is 'engine'. Write a list of texts"),
        ('["redo log stays in memory at commit"]', '["redo log is lost"]', "risks[1].when is 'redo log is lost'"),
        ('rests_on = "innodb_flush_log', 'rests_on = "flush_log', "risks[1].rests_on is 'flush_log_at_trx_commit'"),
        ('engines = ["MyRocks"]', 'engines = ["Aria"]', "risks[4].engines is 'Aria'"),
        ('outcome = "unknown"', 'outcome = "unclear"', "risks[20].outcome is 'unclear'"),
        ("[[risks]]\n", "[[risks]]\nsure = true\n", "risks[1].sure is not known here"),
        ("X1 =", "X3 =", "risks[3].rests_on is 'X1'. There are: X3, X2"),
    ],
)
def test_a_broken_file_is_named_with_table_and_key(tmp_path, written, instead, says):
    broken = tmp_path / "risks.toml"
    broken.write_text(FILE.read_text().replace(written, instead, 1))
    with pytest.raises(PlanError) as refused:
        read(broken)
    assert str(refused.value).startswith("risks.toml") and says in str(refused.value)
