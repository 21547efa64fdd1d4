"""The catalogue: values in the server's spelling, refusals that say what is allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.errors import PlanError
from workers.servers.settings import FILE, SETTINGS, check, read, same


@pytest.mark.parametrize(
    ("name", "value", "flavour", "normal"),
    [
        ("innodb_flush_log_at_trx_commit", " 2 ", "mysql", "2"),
        ("innodb_flush_log_at_trx_commit", "3", "mariadb", "3"),
        ("sync_binlog", "1000", "mariadb", "1000"),
        ("log_bin", "on", "mariadb", "ON"),
        ("log_bin", "0", "mysql", "OFF"),
        ("binlog_format", "row", "mysql", "ROW"),
        ("binlog_row_image", "MINIMAL", "mysql", "minimal"),
        ("innodb_buffer_pool_size", "8192K", "mariadb", "8388608"),
        ("innodb_buffer_pool_size", "128m", "mariadb", "134217728"),
        ("innodb_buffer_pool_size", "2G", "mariadb", "2147483648"),
        ("innodb_buffer_pool_size", "1t", "mysql", "1099511627776"),
        ("innodb_doublewrite", "detect_only", "mysql", "DETECT_ONLY"),
        ("innodb_flush_method", "o_dsync", "mariadb", "O_DSYNC"),
        ("innodb_doublewrite", "0", "mariadb", "OFF"),
    ],
)
def test_values_are_spelled_as_the_server_does(name, value, flavour, normal):
    assert check(name, value, flavour) == normal


@pytest.mark.parametrize(
    ("name", "value", "flavour", "words"),
    [
        ("innodb_flush_log_at_trx_commit", "3", "mysql", "0 to 2"),
        ("innodb_flush_log_at_trx_commit", "-1", "mariadb", "0 to 3"),
        ("sync_binlog", "1; DROP TABLE x", "mariadb", "0 to 4294967295"),
        ("sync_binlog", "1K", "mariadb", "0 to"),
        ("log_bin", "maybe", "mariadb", "ON, OFF"),
        ("log_bin", "", "mariadb", "ON, OFF"),
        ("binlog_commit_wait_count", "1", "mysql", "mariadb"),
        ("binlog_group_commit_sync_delay", "1", "mariadb", "mysql"),
        ("max_connections", "1", "mariadb", "sync_binlog"),
    ],
)
def test_a_refused_value_says_what_is_allowed(name, value, flavour, words):
    with pytest.raises(PlanError) as refused:
        check(name, value, flavour)
    assert words in str(refused.value)


@given(st.sampled_from(sorted(SETTINGS)), st.text(), st.sampled_from(["mariadb", "mysql"]))
def test_any_value_is_normalised_or_refused(name, value, flavour):
    try:
        normal = check(name, value, flavour)
    except PlanError:
        return
    assert check(name, normal, flavour) == normal
    assert same(name, value, normal)


def test_settings_that_need_a_restart_are_known():
    assert SETTINGS["sync_binlog"].dynamic_on("mariadb")
    assert not SETTINGS["log_bin"].dynamic_on("mysql")
    assert not SETTINGS["sync_binlog"].dynamic_on("oracle")
    assert SETTINGS["innodb_log_file_size"].dynamic_on("mariadb", (10, 11, 19))
    assert SETTINGS["innodb_log_file_size"].dynamic_on("mariadb", (10, 9, 0)), "the version that made it so"
    assert not SETTINGS["innodb_log_file_size"].dynamic_on("mariadb", (10, 5, 23))


def test_settings_that_a_server_should_be_started_with_are_known():
    flush = SETTINGS["innodb_flush_log_at_trx_commit"]
    assert flush.wants_start("2", "mariadb") and flush.wants_start("2", "mariadb", (10, 8, 4))
    assert not flush.wants_start("2", "mariadb", (10, 6, 25)), "it always writes past the page cache, or never"
    assert not flush.wants_start("1", "mariadb") and not flush.wants_start("2", "mysql")
    assert SETTINGS["log_bin"].wants_start("ON", "mysql"), "what needs a restart"


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_every_setting_is_explained(setting):
    assert setting.title and setting.explains.endswith(".") and "\n" not in setting.explains
    for flavour, rule in setting.rules.items():
        assert rule.manual.startswith("https://") and rule.manual.endswith(setting.name)
        assert rule.choices or rule.most > rule.least
        if rule.default:
            assert check(setting.name, rule.default, flavour) == rule.default


def test_spellings_of_one_value_are_the_same():
    assert same("log_bin", "ON", "1") and same("binlog_row_image", "FULL", "full")
    assert not same("sync_binlog", "0", "1") and same("sync_binlog", "01", "1")
    assert same("innodb_buffer_pool_size", "128m", "134217728")
    assert not same("innodb_buffer_pool_size", "128M", "") and not same("innodb_buffer_pool_size", "-1", "1")


@pytest.mark.parametrize(
    ("written", "instead", "says"),
    [
        ('kind = "switch"', 'kind = "toggle"', "settings.log_bin.kind is 'toggle'. There are: integer, bytes"),
        ("most = 3,", 'most = "3",', "settings.innodb_flush_log_at_trx_commit.mariadb.most is '3'"),
        ("rounded = true", 'rounded = "yes"', "settings.tokudb_cache_size.rounded is 'yes'. Write true or false."),
        ('"10.2.2"', '"10.2"', "settings.innodb_buffer_pool_size.mariadb.dynamic_since is '10.2'"),
        ('least = "5M"', 'least = "5 MB"', "settings.innodb_buffer_pool_size.mariadb.least is '5 MB'"),
        ('title = "Binary log"\n', "", "settings.log_bin.title is missing"),
        ('title = "Binary log"', 'name = "Binary log"', "settings.log_bin.name is not known here"),
        ('page = "gtid"', 'page = "gtids"', "settings.gtid_mode.page is 'gtids'. There are: innodb, binlog"),
        ('gtid = { mysql = "', 'gtid = { mariadb = "', "pages.gtid.mysql is missing"),
        ("\n[pages]", "\n[pages", "is not valid TOML"),
    ],
)
def test_a_broken_file_is_named_with_table_and_key(tmp_path, written, instead, says):
    broken = tmp_path / "settings.toml"
    broken.write_text(FILE.read_text().replace(written, instead, 1))
    with pytest.raises(PlanError) as refused:
        read(broken)
    assert str(refused.value).startswith("settings.toml") and says in str(refused.value)
