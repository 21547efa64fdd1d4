"""Settings from a pasted text, in every form in which clients print them, and from option files."""

import pytest

from workers.errors import PlanError
from workers.servers.durability import report
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.option_file import MOST_FOLLOWED
from workers.servers.pasted.read import MOST_CHARACTERS, read

VALUES = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0", "version": "10.11.6-MariaDB"}
FORMS = {
    "tab-separated": "Variable_name\tValue\n" + "".join(f"{name}\t{value}\n" for name, value in VALUES.items()),
    "a table with bars": "+---+---+\n| Variable_name | Value |\n+---+---+\n"
    + "".join(f"| {name} | {value:20} |\n" for name, value in VALUES.items())
    + "+---+---+\n3 rows in set (0.001 sec)\n",
    "vertical rows": "".join(
        f"*********** {n}. row ***********\nVariable_name: {name}\n        Value: {VALUES[name]}\n"
        for n, name in enumerate(VALUES, start=1)
    ),
    "JSON": "".join(f'{{\n  "Variable_name": "{name}",\n  "Value": "{value}"\n}}\n' for name, value in VALUES.items())
    + "3 rows in set (0.0012 sec)\n",
    "CSV": '"Variable_name","Value"\n' + "".join(f'"{name}","{value}"\n' for name, value in VALUES.items()),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_recognised(form):
    found = read(FORMS[form])
    assert found.form == form and found.notes == ()
    assert (found.facts.flavour, found.facts.version) == ("mariadb", (10, 11, 6))
    assert found.facts.variables == VALUES


@pytest.mark.parametrize(
    "text",
    [
        '[{"Variable_name": "sync_binlog", "Value": "0"}]',
        '{"hasData": true, "rows": [{"Variable_name": "sync_binlog", "Value": "0"}]}',
        '{"sync_binlog": 0, "port": 3306}',
    ],
)
def test_json_of_other_tools_is_read(text):
    assert read(text).facts.variables["sync_binlog"] == "0"


def test_other_columns_of_a_vertical_row_are_no_value():
    row = "***** 1. row *****\nVARIABLE_NAME: sync_binlog\nVARIABLE_SOURCE: COMMAND_LINE\nValue: 1\n"
    assert read(row).facts.variables["sync_binlog"] == "1"


def of_file(text, version="MariaDB 10.11"):
    return read(text, named_version(version))


@pytest.mark.parametrize(
    ("line", "more"),
    [("[mysqld{}]", 980), ("[mysqld-5.{}]", 980), ("!include /etc/x{}", MOST_FOLLOWED - 19), ("loose-x{}", 980)],
)
def test_a_long_file_gives_no_long_list_of_notes(line, more):
    lines = "".join(f"{line.format(number + 10)}\n" for number in range(1000))
    notes = of_file(f"[mysqld]\nsync_binlog = 1\n{lines}").notes
    assert len(notes) <= 23 and notes[20] == f"{more} more such lines."
    assert notes[21].startswith("Settings that the file leaves out")


def test_an_option_file_is_read_as_a_server_reads_it():
    found = of_file(
        "[client]\npassword = secret\nsync_binlog = 7\n[mysqld]\n# a comment\ninnodb-flush-log-at-trx-commit = 2 # y\n"
        "sync_binlog=100\nsync-binlog = 1\nloose_innodb_buffer_pool_size = '2G'\nloose-skip-innodb-doublewrite\n"
        "log-bin = /var/log/mysql/bin\n[mariadb-10.11]\ninnodb_log_file_size=512M\n[mariadb-10.6]\nsync_binlog=0\n"
    )
    assert {
        "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1", "innodb_buffer_pool_size": str(2 << 30),
        "innodb_doublewrite": "OFF", "log_bin": "ON", "innodb_log_file_size": str(512 << 20),
    }.items() <= found.facts.variables.items()  # fmt: skip
    assert any("[mariadb-10.6] was left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("version", "sync", "binlog"),
    [
        ("MySQL 5.6", "0", "OFF"),
        ("MySQL 5.7.6", "0", "OFF"),
        ("MySQL 5.7.7", "1", "OFF"),
        ("MySQL 5.7", "1", "OFF"),
        ("MySQL 8.0", "1", "ON"),
        ("MariaDB 11.8", "0", "OFF"),
    ],
)
def test_settings_missing_in_a_file_have_the_default_of_the_named_version(version, sync, binlog):
    found = of_file("[mysqld]\nport=3306\nmax_connections=5", version).facts
    assert (found.variable("sync_binlog"), found.variable("log_bin")) == (sync, binlog)
    assert found.variable("innodb_flush_log_at_trx_commit") == "1"
    assert found.variable("rocksdb_flush_log_at_trx_commit") is None


def test_tabs_before_the_equals_sign_make_no_table():
    """As Debian writes its my.cnf."""
    lines = "user\t\t= mysql\nsync_binlog\t= 0\nskip_name_resolve\t# y\n"
    for text in (f"[mysqld]\t# the server\n{lines}", "[mysqld] sync_binlog\n" + lines, lines):
        found = read(text)
        assert (found.form, found.facts.variables["sync_binlog"]) == ("my.cnf", "0")


def test_a_mark_of_the_byte_order_is_passed_over():
    assert read("\ufeff[client]\nsync_binlog=7\n[mysqld]\nsync_binlog=0\n").facts.variables["sync_binlog"] == "0"
    assert read('\ufeff[{"Variable_name": "sync_binlog", "Value": "0"}]').form == "JSON"


@pytest.mark.parametrize("section", ["mysqld1", "mysqld@db1", "mariadb@db1"])
def test_what_one_of_several_servers_sets_is_unknown_and_no_default(section):
    """Sections of mysqld_multi, and of units of systemd."""
    common = "[mysqld]\nsync_binlog=1\nlog_bin\ninnodb_flush_log_at_trx_commit=1\n"
    found = of_file(f"{common}[{section}]\nsync-binlog=0\nslave_parallel_threads=4\n[client]\nlog_bin=x\n")
    assert found.facts.variable("sync_binlog") is None and found.facts.variable("slave_parallel_threads") is None
    assert found.facts.variable("innodb_flush_log_at_trx_commit") == "1" and found.facts.variable("log_bin") == "ON"
    assert "unknown" in outcomes(found)
    assert [note for note in found.notes if f"[{section}] is of one of several servers" in note]


def outcomes(found):
    return {one.outcome for one in report(found.facts)}


def test_an_option_without_a_value_is_on():
    assert of_file("[mysqld]\ninnodb_doublewrite\n").facts.variables["innodb_doublewrite"] == "ON"


def test_without_a_version_it_is_unknown():
    found = of_file("[mysqld]\nport=3306", "")
    assert outcomes(found) == {"kept", "unknown"} and found.facts.variable("sync_binlog") is None
    assert found.facts.variable("innodb_flush_log_at_trx_commit") == "1", "the default of every version"
    assert any("The version of the server is not named" in note for note in found.notes)


def test_an_include_that_is_not_followed_is_named_and_leaves_the_rest_unknown():
    found = of_file("[mysqld]\ninnodb_flush_log_at_trx_commit=1\n!includedir /etc/mysql/conf.d/\n")
    assert "/etc/mysql/conf.d/ was not followed: its settings are unknown here." in found.notes
    assert "unknown" in outcomes(found) and found.facts.variable("sync_binlog") is None


def test_only_settings_of_the_audit_are_kept():
    found = of_file("[mysqld]\nsync_binlog=1\nwsrep_sst_auth=root:secret\nmaster_password=secret\nssl_key=/k\n")
    assert "secret" not in repr(found) and "/k" not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        "", "   \n\n", "hello", "\0\0\0", "{", "[" * 100_000, '{"rows":' * 100_000, "a\tb\n", "| a | b |", "1,2\n",
        "x" * (MOST_CHARACTERS + 1), '"Variable_name","Value"\n"' + "x" * 200_000, "Variable_name: a",
        "[mysqld]\nsync_binlog=\ud800\n",
    ],
)  # fmt: skip
def test_unknown_texts_are_refused_and_not_repeated(text):
    with pytest.raises(PlanError) as refused:
        read(text)
    assert len(str(refused.value)) < 300 and refused.value.fix


def test_a_value_cannot_change_a_terminal():
    assert "\x1b" not in read("sync_binlog\t\x1b[2J1\n").facts.variables["sync_binlog"]


@pytest.mark.parametrize("words", ["8.0", "Oracle 19", "MySQL", "MySQL 8", "MySQL 8.0; DROP", "MySQL 8.0.36.1"])
def test_a_version_that_nobody_can_know_is_refused(words):
    with pytest.raises(PlanError, match="Write for example"):
        named_version(words)


@pytest.mark.parametrize(("section", "flavour"), [("mariadb", "mariadb"), ("mysqld", "mysql")])
def test_a_section_of_mariadb_tells_the_flavour_where_no_version_does(section, flavour):
    assert read(f"[{section}]\nsync_binlog=0\n").facts.flavour == flavour
