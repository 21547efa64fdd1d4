"""Option files, read as servers read them. The truth of each case was asked of these servers."""

import pytest

from workers.errors import PlanError
from workers.servers.deciding import NOT_TOLD
from workers.servers.durability import report
from workers.servers.pasted.file_facts import borders, file_facts
from workers.servers.pasted.files_here import MOST_FILES, FilesHere
from workers.servers.pasted.lines import LONGEST, MOST_LINES, lines
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.options import nearest, servers
from workers.servers.pasted.read import OfFile, read
from workers.servers.present import WORDS

MARIADB, OLD, MYSQL, NEW = "MariaDB 10.11", "MySQL 5.6", "MySQL 8.0", "MySQL 9.7"
SYNC, FLUSH, LOG, TWICE = "sync_binlog", "innodb_flush_log_at_trx_commit", "log_bin", "innodb_doublewrite"
METHOD = "innodb_flush_method"


def found(text, version=MYSQL, **more):
    return file_facts(text, named_version(version), **more)


def value(text, setting, version):
    read = found(f"[mysqld]\n{text}\n", version)
    assert not read.refused
    return read.facts.variable(setting)


@pytest.mark.parametrize(
    ("version", "line", "setting", "is_now"),
    [
        # names
        (MARIADB, "sync-binlog=7", SYNC, "7"),
        (MARIADB, "SYNC_Binlog=7", SYNC, "7"),
        (MARIADB, "loose-skip_sync-binlog", SYNC, "0"),
        (MARIADB, "sync_bin=7", SYNC, "7"),
        (MARIADB, "a.sync_binlog=7", SYNC, "7"),
        (OLD, "innodb_flush_log_at_trx=2", FLUSH, "2"),
        # prefixes
        (MYSQL, "skip_log_bin = 1", LOG, "OFF"),
        (MYSQL, "skip-log-bin=", LOG, "OFF"),
        (MYSQL, "disable_log_bin=1", LOG, "OFF"),
        (MARIADB, "skip_log_bin=0", LOG, "ON"),
        (MARIADB, "enable-log-bin=0", LOG, "OFF"),
        (MARIADB, "maximum-log-bin=x", LOG, "ON"),
        (MYSQL, "skip-innodb_doublewrite=1", TWICE, "OFF"),
        (MARIADB, "enable-sync_binlog=5", SYNC, "1"),
        (MARIADB, "sync_binlog=1\nenable-sync-binlog=0", SYNC, "0"),
        (MARIADB, "skip-innodb-flush-log-at-trx-commit=1", FLUSH, "0"),
        (MARIADB, "maximum-innodb-flush-log-at-trx-commit=0", FLUSH, "0"),
        (MYSQL, "enable-skip-innodb_doublewrite", TWICE, "OFF"),
        (MYSQL, "skip-enable-innodb_doublewrite", TWICE, "ON"),
        # the name of a file
        (MARIADB, "log_bin=0", LOG, "ON"),
        (MARIADB, "log_bin=OFF", LOG, "ON"),
        (MYSQL, "log_bin=", LOG, "ON"),
        (MARIADB, "log-basename=x", LOG, "OFF"),
        # numbers
        (MYSQL, f"{FLUSH}=3", FLUSH, "2"),
        (MARIADB, f"{FLUSH}=3", FLUSH, "3"),
        (MARIADB, f"{FLUSH}=9", FLUSH, "3"),
        (MARIADB, f"{FLUSH}", FLUSH, "1"),
        (MARIADB, f"{FLUSH}=", FLUSH, "0"),
        (MARIADB, "sync_binlog=1kxyz", SYNC, "1024"),
        (MARIADB, "sync_binlog=4294967296", SYNC, "4294967295"),
        (MARIADB, "sync_binlog=16E", SYNC, "0"),
        (MARIADB, "sync_binlog=many", SYNC, "0"),
        (MARIADB, "sync_binlog=+7", SYNC, "7"),
        (OLD, "sync_binlog=-1", SYNC, "4294967295"),
        (MYSQL, "sync_binlog=-1", SYNC, "0"),
        (MARIADB, "sync_binlog=1\nloose-sync_binlog=5x", SYNC, "0"),
        # switches and choices
        (MARIADB, "maximum-binlog_format=ROW", "binlog_format", "MIXED"),
        (MARIADB, f"{TWICE}=no", TWICE, "ON"),
        (MARIADB, f"{TWICE}=0x", TWICE, "OFF"),
        (OLD, f"{TWICE}=0x", TWICE, "ON"),
        (OLD, f"{TWICE}=FALSE", TWICE, "OFF"),
        (MYSQL, f"{TWICE}=4", TWICE, "FALSE"),
        (MYSQL, f"{TWICE}=detect_o", TWICE, "DETECT_ONLY"),
        (MYSQL, f"{METHOD}=3", METHOD, "nosync"),
        (MARIADB, f"{METHOD}=", METHOD, "fsync"),
        (MARIADB, f"enable-{METHOD}", METHOD, "O_DSYNC"),
        (OLD, f"{METHOD}=O_DSYNC", METHOD, "O_DSYNC"),
        (OLD, f"enable-{METHOD}", METHOD, ""),
        # what another setting brings with it
        (MARIADB, "innodb_force_recovery=7", TWICE, "OFF"),
        (OLD, "innodb_force_recovery=7", TWICE, "ON"),
        (MYSQL, "innodb_read_only", TWICE, "OFF"),
        (MARIADB, "innodb_force_recovery=6", "innodb_read_only", "ON"),
        (OLD, "skip-innodb_checksums", "innodb_checksum_algorithm", "none"),
        ("MariaDB 11.8", f"{METHOD}=O_DIRECT_NO_FSYNC", TWICE, "fast"),
        ("MariaDB 11.8", f"{METHOD}=O_DIRECT_NO_FSYNC\n{TWICE}=OFF", TWICE, "OFF"),
        (MARIADB, f"{METHOD}=O_DIRECT_NO_FSYNC", TWICE, "ON"),
        (MYSQL, "innodb_dedicated_server", METHOD, "O_DIRECT_NO_FSYNC"),
        (MYSQL, f"innodb_dedicated_server=ON\n{METHOD}=fsync", METHOD, "fsync"),
        (MYSQL, "innodb_dedicated_server=ON\nskip-innodb-dedicated-server", METHOD, "fsync"),
        ("MySQL 8.4", "innodb_dedicated_server=ON", METHOD, "O_DIRECT"),
        (NEW, "innodb_dedicated_server=ON", METHOD, "O_DIRECT"),
        (MYSQL, "skip-log-bin", "log_replica_updates", "OFF"),
        (MYSQL, "log_slave_updates=0", "log_replica_updates", "OFF"),
        # defaults
        (NEW, "", METHOD, "O_DIRECT"),
        ("MySQL 8.4", "", METHOD, "O_DIRECT"),
        (MYSQL, "", METHOD, "fsync"),
        (OLD, "", METHOD, ""),
        ("MariaDB 10.6", "", METHOD, "O_DIRECT"),
        # quotes, escapes, comments
        (MARIADB, "sync_binlog\t=\t'7' # why", SYNC, "7"),
        (MARIADB, "sync_binlog=7# why", SYNC, "7"),
        (MARIADB, r"sync_binlog=\s7", SYNC, "7"),
        (MARIADB, "; sync_binlog=8\n # sync_binlog=8", SYNC, "0"),
        (MARIADB, "sync_binlog=0\n# page 2\fsync_binlog=1", SYNC, "0"),
        (MARIADB, "sync_binlog=7\r", SYNC, "7"),
        (MARIADB, "sync_binlog=7\0 more", SYNC, "7"),
        (MYSQL, "sync_binlog=7\0 more\n8", SYNC, "78"),
    ],
)  # fmt: skip
def test_a_line_is_read_as_that_server_reads_it(version, line, setting, is_now):
    assert value(line, setting, version) == is_now


def test_innodb_of_an_old_version_refuses_the_last_value_only():
    assert value(f"{METHOD}=5\n{METHOD}=O_DSYNC", METHOD, OLD) == "O_DSYNC"
    for text in (f"{METHOD}=5", f"{METHOD}=O_DSYNC\n{METHOD}=5"):
        assert "cannot be 5" in found(f"[mysqld]\n{text}\n", OLD).refused
    assert "cannot be 99" in found(f"[mysqld]\n{METHOD}=99\n{METHOD}=O_DSYNC\n", MARIADB).refused


@pytest.mark.parametrize(
    ("version", "text", "why"),
    [
        (MYSQL, "[mysqld]\ninnodb_log_flush_at_trx_commit=2", f"Is {FLUSH} meant?"),
        (MYSQL, "[mysqld]\nSYNC_BINLOG=1", "Is sync_binlog meant?"),
        (MYSQL, "[mysqld]\nsync_bin=1", "no option is called sync_bin"),
        (MARIADB, "[mariadb]\n--log-bin", "no option is called --log-bin"),
        (MYSQL, "[mysqld]\nsync.binlog=0", "no option is called sync.binlog"),
        (MARIADB, "[mysqld]\nlog-bin ; on since May", "a ; behind a value begins no comment"),
        (MARIADB, "[mysqld]\nsync_binlog = 0 ; fast", "a ; behind a value begins no comment"),
        (MARIADB, "[mysqld]\ninnodb_flush_log_at=2", "may be short for"),
        (MARIADB, "[mysqld]\nmaximum-sync_binlog=7", "has no maximum"),
        (OLD, "[mysqld]\nmaximum-binlog_format=2", "has no maximum"),
        (MYSQL, "[mysqld]\nmaximum-binlog_row_image=1", "has no maximum"),
        (NEW, "[mysqld]\nloose-maximum-binlog_format=ROW", "has no maximum"),
        (MARIADB, "[mysqld]\nautoset-sync_binlog", "autoset"),
        (MARIADB, "[mysqld]\nsync_binlog", "has no value"),
        (MARIADB, "[mysqld]\nskip-loose-sync_binlog", "has no value"),
        (MYSQL, "[mysqld]\nsync_binlog=", "has an empty value"),
        (MYSQL, "[mysqld]\nloose-sync_binlog=5x", "this is no number"),
        (MARIADB, "[mysqld]\nsync_binlog=-1", "this is no number"),
        (MARIADB, f"[mysqld]\nsync_binlog={'9' * 30}", "this is no number"),
        (OLD, "[mysqld]\nsync_binlog=1T", "this is no number"),
        (MYSQL, "[mysqld]\nsync_binlog=20E", "this is no number"),
        (MARIADB, f"[mysqld]\n{METHOD}=O_D", "cannot be O_D"),
        (OLD, f"[mysqld]\n{METHOD}=o_direct", "cannot be o_direct"),
        (MARIADB, f"[mysqld]\n{METHOD}=9", "cannot be 9"),
        (MARIADB, "[mysqld]\nskip-innodb", "without InnoDB"),
        (MYSQL, "[mysqld]\ngtid_mode=ON", "enforce_gtid_consistency=ON"),
        (OLD, "[mysqld]\ngtid_mode=ON\nenforce_gtid_consistency", "log_bin and log_slave_updates"),
        (MARIADB, "[mysqld\nsync_binlog=1", "without its closing bracket"),
        (MARIADB, "sync_binlog=1\n[mysqld]", "before the first section"),
        (MARIADB, "\ufeff[mysqld]\nsync_binlog=1", "mark of the byte order"),
        (MARIADB, "[mysqld]\n!include \n", "!include without a name"),
    ],
)  # fmt: skip
def test_what_a_server_refuses_is_told_and_nothing_of_it_counts(version, text, why):
    refused = found(text, version)
    assert why in refused.refused and not refused.facts.variables
    assert {one.outcome for one in report(refused.facts)} == {"unknown"}


@pytest.mark.parametrize(
    ("section", "mariadb", "mysql"),
    [
        ("mysqld", True, True), ("MySQLd", True, True), ("mysqld ", True, True), (" mysqld", False, False),
        ("server", True, True), ("mysqld-10.11", True, False), ("mysqld-8.0", False, True), ("mariadb", True, False),
        ("mariadbd", True, False), ("mariadb-10.11", True, False), ("mariadb-10.6", False, False),
        ("client-server", True, False), ("galera", True, False), ("mysql_cluster", False, True),
        ("mysql", False, False), ("client", False, False), ("mysqld_safe", False, False),
    ],
)  # fmt: skip
def test_each_server_reads_its_own_sections(section, mariadb, mysql):
    text = f"[{section}] # why\nsync_binlog=77\n"
    for version, reads in ((MARIADB, mariadb), (MYSQL, mysql)):
        assert (found(text, version).facts.variable(SYNC) == "77") == reads


def test_sections_of_a_version_between_two_of_the_table_are_its_own():
    text = "[mariadb-10.6]\nsync_binlog=6\n[mariadb-10.5]\nsync_binlog=5\n"
    read = found(text, "MariaDB 10.6")
    assert read.facts.variable(SYNC) == "6"
    assert any("MariaDB 10.5.23, the nearest version" in note for note in read.notes)


@pytest.mark.parametrize(
    ("text", "version", "note"),
    [
        ("[client]\nuser=x\n[mysql]\nsync_binlog=0", MYSQL, "is for the server: it has [client], [mysql]"),
        ("[mysqld]\nlog_bin=OFF", MARIADB, "OFF is a file name here. skip-log-bin switches it off."),
        ("[mysqld]\nloose-innodb_log_flush_at_trx_commit=2", MYSQL, f"passes over it (loose-). Is {FLUSH} meant?"),
        (f"[mysqld]\n{FLUSH}=3", MYSQL, "the server runs with 2"),
        (f"[mysqld]\n{METHOD}=3", MYSQL, "the server takes it for nosync"),
        (f"[mysqld]\n{TWICE}=no", MARIADB, "the server passes over it"),
        ("[mysqld]\nvalidate_password.policy=1", MYSQL, "belongs to a plugin"),
        ("[mysqld]\ninnodb_cleaner_lsn_age_factor=x", "Percona 8.0", "Options that only this fork has"),
    ],
)  # fmt: skip
def test_what_a_reader_may_not_expect_is_told(text, version, note):
    read = found(text, version)
    assert not read.refused and any(note in one for one in read.notes), read.notes


def test_what_a_person_wrote_as_it_is_needs_no_note():
    text = f"[mysqld]\n{FLUSH}=2\nskip-{TWICE}=1\n{METHOD}=O_DIRECT\nsync_binlog=0\nskip-log-bin\n"
    usual = ("have the defaults", "also count")
    assert [note for note in found(text).notes if not any(one in note for one in usual)] == []


@pytest.mark.parametrize(
    ("version", "is_told"), [(MYSQL, True), (NEW, True), (OLD, False), (MARIADB, False), ("", False)]
)
def test_settings_that_persist_are_told_once_where_a_server_has_them(version, is_told):
    notes = found(f"[mysqld]\n{FLUSH}=1\n", version).notes
    assert sum("mysqld-auto.cnf" in note for note in notes) == is_told


def test_an_option_of_another_version_of_the_series_is_no_reason_to_refuse():
    assert found("[mysqld]\ninnodb_log_file_size=1G\n", NEW).refused
    assert not found("[mysqld]\nquery_cache_size=0\n", "MySQL 5.7").refused
    between = found("[mysqld]\nshow_compatibility_56=ON\n", "MySQL 5.7")
    assert not between.refused and any("is unknown" in note for note in between.notes)
    assert found("[mysqld]\nsync_binary_log=1\n", "MySQL 5.7").refused, "no version has it, and another name is near"


BETWEEN = [
    ("MariaDB 11.4.5", f"{TWICE}=fast", TWICE, None),
    ("MariaDB 11.4.5", f"{TWICE}=no", TWICE, None),
    ("MariaDB 11.4.5", f"{TWICE}=0", TWICE, "OFF"),
    ("MariaDB 11.4.5", f"{METHOD}=3", METHOD, "nosync"),
    ("MySQL 5.7.30", f"{METHOD}=3", METHOD, None),
    ("MySQL 5.7.30", f"{TWICE}=FALSE", TWICE, "OFF"),
    ("MySQL 5.7.30", "sync_binlog=-1", SYNC, None),
    ("MySQL 5.7.30", f"{FLUSH}=3", FLUSH, "2"),
    ("MySQL 5.7.30", "innodb_log_checksums=OFF", "innodb_log_checksums", "OFF"),
    ("MySQL 5.7.30", "loose_innodb_log_checksums=OFF", "innodb_log_checksums", "OFF"),
    ("MySQL 5.6.21", "loose_binlog_error_action=IGNORE_ERROR", "binlog_error_action", None),
    ("MySQL 5.7.30", "binlog_error_action=ABORT_SERVER", "binlog_error_action", "ABORT_SERVER"),
    ("MySQL 5.7.30", "binlog_error_action=0", "binlog_error_action", "IGNORE_ERROR"),
    ("MySQL 5.7.30", "[mysqld1]\nbinlog_error_action=IGNORE_ERROR", "binlog_error_action", NOT_TOLD),
    ("MariaDB 10.3.30", "innodb_log_checksums=OFF", "innodb_log_checksums", "OFF"),
    ("MariaDB 10.3.30", "[mariadbd]\nsync_binlog=0", SYNC, None),
    ("MariaDB 10.6.30", "[mariadbd]\nsync_binlog=8", SYNC, "8"),
    ("MariaDB 12.3.1", "binlog_storage_engine=innodb", "binlog_storage_engine", NOT_TOLD),
]


@pytest.mark.parametrize(("version", "line", "setting", "is_now"), BETWEEN)
def test_between_two_servers_of_the_table_a_value_is_known_if_both_read_the_same(version, line, setting, is_now):
    assert value(f"sync_binlog=1\n{line}", setting, version) == is_now


def test_what_the_servers_around_a_version_read_differently_is_told():
    assert any("take it differently" in note for note in found(f"[mysqld]\n{TWICE}=fast\n", "MariaDB 11.4.5").notes)
    assert any("reads it is not known" in note for note in found("[mariadbd]\nsync_binlog=1\n", "MariaDB 10.3").notes)


# Includes


def told(read):
    return {name: value for name, value in read.facts.variables.items() if value != NOT_TOLD}


WHOLE = (
    f"[mysqld]\nlog_bin\n{SYNC}=1\n{FLUSH}=1\ninnodb_flush_method=fsync\ninnodb_doublewrite=ON\n"
    "innodb_force_recovery=0\ninnodb_flush_log_at_timeout=1\n"
)
SOUND = f"{WHOLE}innodb_checksum_algorithm=crc32\ndebug_no_sync=OFF\n"
OPEN = {
    "an option of some versions, no version named": ("", f"{WHOLE}innodb_log_checksums=OFF\n[mariadb]\n"),
    "an included file": ("MariaDB 10.11.19", f"[mysqld]\n!include /x.cnf\n{WHOLE}"),
    "one of several servers": ("MySQL 8.0.33", f"{WHOLE}[mysqld1]\ninnodb_checksum_algorithm=none\n"),
    "an option of versions around it": ("MySQL 5.7.30", f"{WHOLE}innodb_log_checksums=OFF\n"),
    "the same, MariaDB": ("MariaDB 10.4.30", f"{WHOLE}innodb_log_checksums=OFF\n"),
    "whether an included file lets InnoDB only read": ("MariaDB 10.11.19", f"[mysqld]\n!include /x.cnf\n{SOUND}"),
    "whether one of several servers only reads": ("MySQL 8.0.33", f"{WHOLE}[mysqld2]\ninnodb_read_only=1\n"),
}


@pytest.mark.parametrize(("of", "text"), OPEN.values(), ids=OPEN)
def test_what_a_file_leaves_open_is_no_server_without_the_setting(of, text):
    """A setting that is not known is not one that this server does not have. Without the lines, all is kept."""
    without = f"{WHOLE}[mariadb]\n"
    assert {one.outcome for one in report(read(without, named_version(of)).facts)} == {"kept"}
    assert "unknown" in {one.outcome for one in report(read(text, named_version(of)).facts)}


def test_lines_before_an_include_that_is_not_at_hand_are_unknown_and_those_behind_it_known():
    text = f"[mysqld]\nlog_bin\nsync_binlog=1\n{FLUSH}=1\n!includedir /etc/mysql/conf.d/\nsync_binlog=0\n"
    read = found(text, MARIADB)
    assert told(read) == {SYNC: "0"} and any("wins over it" in note for note in read.notes)


@pytest.mark.parametrize(("version", "name"), [(MYSQL, "/etc/a.cn"), (OLD, "/etc/a.cn"), (NEW, "/etc/a.cnf")])
def test_an_include_at_the_end_of_a_file_loses_its_last_character_unless_the_line_ends(version, name):
    for end, meant in (("", name), ("\n", "/etc/a.cnf")):
        assert f"{meant} was not followed" in " ".join(found(f"[mysqld]\n!include /etc/a.cnf{end}", version).notes)


def test_an_included_file_counts_where_it_stands(tmp_path):
    (tmp_path / "a.cnf").write_text("[mysqld]\nsync_binlog=5\nlog_bin\n")
    (tmp_path / "empty.cnf").write_text("")
    here = FilesHere()
    text = f"[mysqld]\nsync_binlog=1\n!include {tmp_path}/a.cnf\n!include {tmp_path}/empty.cnf\n{FLUSH}=2\n"
    read = found(text, MARIADB, follow=here.follow)
    assert (read.facts.variable(SYNC), read.facts.variable(LOG), read.facts.variable(FLUSH)) == ("5", "ON", "2")
    assert here.notes == [f"Read with it: {tmp_path}/a.cnf."]
    again = found(f"{text}sync_binlog=9\n", MARIADB, follow=here.follow)
    assert again.facts.variable(SYNC) == "9", "the section goes on behind it"


@pytest.mark.parametrize(("version", "last"), [(MARIADB, "d"), (OLD, "b")])
def test_the_files_of_a_folder_are_read_in_their_order(tmp_path, version, last):
    for name in ("b.cnf", "a.cnf", "c.ini", "c.cnf.bak", "d.e.cnf"):
        (tmp_path / name).write_text(f"[mysqld]\nsync_binlog={ord(name[0])}\n")
    read = found(f"!includedir {tmp_path}\n", version, follow=FilesHere().follow)
    assert read.facts.variable(SYNC) == str(ord(last))


def test_an_included_file_that_everybody_may_write_is_passed_over(tmp_path):
    (tmp_path / "a.cnf").write_text("[mysqld]\nsync_binlog=5\n")
    (tmp_path / "a.cnf").chmod(0o666)
    here = FilesHere()
    read = found(f"!includedir {tmp_path}\n", MARIADB, follow=here.follow)
    assert read.facts.variable(SYNC) == "0" and "Everybody may write" in here.notes[0]


@pytest.mark.parametrize("wrong", ["sync_binlog=6\n", "[mysqld]\nlog_bin\n[mysqld\nsync_binlog=6\n"])
def test_a_line_that_is_none_ends_only_the_included_file(tmp_path, wrong):
    (tmp_path / "a.cnf").write_text(wrong)
    (tmp_path / "b.cnf").write_text(f"[mysqld]\n{FLUSH}=2\n")
    read = found(f"[mysqld]\nsync_binlog=1\n!includedir {tmp_path}\n{TWICE}=0\n", MARIADB, follow=FilesHere().follow)
    assert [read.facts.variable(one) for one in (SYNC, FLUSH, TWICE)] == ["1", "2", "OFF"] and not read.refused
    assert (read.facts.variable(LOG) == "ON") == ("log_bin" in wrong)
    assert any("reads no further in this file" in note for note in read.notes)


def test_a_server_refuses_a_name_that_an_included_file_has(tmp_path):
    (tmp_path / "a.cnf").write_text("[mysqld]\nno_such_name=5\n")
    read = found(f"!include {tmp_path}/a.cnf\n", MARIADB, follow=FilesHere().follow)
    assert read.refused == f"{tmp_path}/a.cnf, line 2: no option is called no_such_name."


@pytest.mark.parametrize(
    "directive", ["!include relative.cnf", "!include /nowhere/x.cnf", "!includedir /nowhere", "!include /dev/zero"]
)
def test_what_cannot_be_read_here_is_unknown(directive):
    read = found(f"[mysqld]\nsync_binlog=1\n{directive}\n", MARIADB, follow=FilesHere().follow)
    assert told(read) == {} and any("was not followed" in note for note in read.notes)


def test_more_files_than_a_server_has_are_not_followed(tmp_path):
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number:03}.cnf").write_text("[mysqld]\nsync_binlog=5\n")
    read = found(f"!includedir {tmp_path}\n", MARIADB, follow=FilesHere().follow)
    assert SYNC not in read.facts.variables


# Without a version


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        (f"[mariadb]\nlog_bin\nsync_binlog=1\n{FLUSH}=1\n", {"kept"}),
        (f"[mysqld]\nlog_bin\nsync_binlog=1\n{FLUSH}=1\n", {"kept", "unknown"}),
        (f"[mysqld]\nlog_bin\nsync_binlog=0\n{FLUSH}=0\n", {"may be lost", "unknown"}),
        ("[mysqld]\nport=1\n", {"kept", "unknown"}),
    ],
)  # fmt: skip
def test_without_a_version_only_what_all_versions_agree_on_is_answered(text, outcomes):
    read = found(text, "")
    assert {one.outcome for one in report(read.facts)} == outcomes
    assert any("The version of the server is not named" in note for note in read.notes)


def test_without_a_version_those_between_the_servers_of_the_table_count_too():
    """MySQL 5.6.22 to 5.7.6 go on without a binary log after an error, by default."""
    assert found(f"{WHOLE}", "").facts.variable("binlog_error_action") == NOT_TOLD
    assert "may be lost" in {one.outcome for one in report(found(WHOLE, "MySQL 5.7.5").facts)}
    assert (5, 6, 22) in borders("mysql") and (10, 6, 0) in borders("mariadb") and (12, 3, 0) in borders("mariadb")


def test_without_a_version_a_setting_that_loses_on_some_is_unknown():
    read = found(f"[mysqld]\nskip-log-bin\n{FLUSH}=3\n", "")
    assert read.facts.variable(FLUSH) is None, "2 on MySQL, 3 on MariaDB"


@pytest.mark.parametrize(
    ("section", "flavour"),
    [("mariadb-10.6", "mariadb"), (" mariadb", "mysql"), ("galera", "mariadb"), ("Client-Server", "mariadb"),
     ("mariadb-dump", "mysql"), ("mariadb-client", "mysql"), ("galera-x", "mysql")],
)  # fmt: skip
def test_only_sections_that_a_mariadb_server_alone_reads_make_a_text_one_of_mariadb(section, flavour):
    assert found(f"[mysqld]\n{FLUSH}=1\n[{section}]\nquick\n", "").facts.flavour == flavour


def test_without_a_version_servers_that_refuse_the_text_do_not_count():
    read = found(f"[mysqld]\nlog-basename=x\n{FLUSH}=3\n", "")
    assert (read.facts.flavour, read.facts.variable(FLUSH)) == ("mariadb", "3")
    assert "No version" in found("[mysqld]\nsync_binary_log=1\n", "").refused


# Other texts


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('resource "aws" "x" {\n  parameter {\n    name = "sync_binlog"\n    value = "0"\n  }\n}\n', "Terraform"),
        ('parameter {\n name = "sync_binlog"\n value = ""\n}\n', "Terraform"),
        ("DB_HOST=db1\nDB_NAME=shop\n", "no server has an option of these names"),
        ("[package]\nname = x\n", "No section of the text is of a server"),
        ('{{- define "x" }}\nsync-binlog = 1\n{{- end }}\n', "template"),
        ("[mysqld]\ninnodb_flush_log_at_trx_commit = {{ v }}\n", "template"),
        ("[mysqld]\nsync_binlog = ${S:-1}\n", "template"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_option_file_is_refused_with_what_it_is(text, what):
    for of_file in (None, OfFile()):
        with pytest.raises(PlanError) as refused:
            read(text, named_version(MYSQL), of_file=of_file)
        assert what in str(refused.value) and refused.value.fix


def test_a_comment_makes_no_template():
    assert read("[mysqld]\n# {{ v }}\n; ${S}\nsync_binlog=0\n", named_version(MYSQL)).facts.variable(SYNC) == "0"


def test_a_section_with_blanks_is_no_json():
    found = read("[ mysqld ]\nsync_binlog=0\n", named_version(MYSQL))
    assert any("it has [ mysqld]" in note for note in found.notes) and found.facts.variable(SYNC) == "1"


def test_a_pasted_part_of_a_file_needs_no_section_and_a_file_does():
    part = "sync_binlog=0\n"
    assert read(part, named_version(MYSQL)).facts.variable(SYNC) == "0"
    assert "before the first section" in read(part, named_version(MYSQL), of_file=OfFile()).refused


def test_a_file_that_everybody_may_write_has_defaults_and_says_so():
    text, of_file = f"[mysqld]\nsync_binlog=0\n{FLUSH}=0\n", OfFile(passed_over="Everybody may write it.")
    found = read(text, named_version(MYSQL), of_file=of_file)
    assert found.facts.variable(SYNC) == "1" and found.notes[0] == "Everybody may write it."
    assert read(text, of_file=of_file).facts.variable(SYNC) is None


# Lines, the table, and hostile texts


def test_a_long_line_is_cut_by_some_servers_and_joined_by_others():
    text = "#" + "x" * (LONGEST - 1) + "a=1\n"
    assert [number for number, _ in lines(text)] == [2] and not list(lines(text, joined=True))


def test_an_include_at_the_very_end_loses_its_last_character():
    """A server cuts it off with the end of the line, which is missing there."""
    assert [one.path for _, one in lines("!include /x.cnf")] == ["/x.cn"]


def test_bytes_that_are_no_text_are_kept():
    assert value(b"sync_binlog=\xa07\xa0".decode(errors="surrogateescape"), SYNC, MARIADB) == "7"


def test_the_table_has_every_setting_that_decides_what_is_lost():
    for server in servers():
        known = {name for name, option in server.options.items() if option.default is not None}
        later = {"binlog_storage_engine", "innodb_support_xa"}
        missing = {name for name in WORDS if name.startswith(("innodb", "binlog", "log_bin", "sync"))} - known - later
        there = {name for name, option in server.options.items() if option.kind != "?"}  # "?": it does nothing there
        assert not missing & there, (server.text, missing & there)
        assert {FLUSH, SYNC, LOG, TWICE, METHOD} <= known and len(server.options) > 400
    assert len({one.version for one in servers()}) == len(servers()) == 7


@pytest.mark.parametrize(
    ("version", "table"),
    [("MySQL 8.0.11", "8.0.33"), ("MySQL 8.4", "8.0.33"), ("MySQL 5.7", "5.6.14"), ("MySQL 5.5", "5.6.14"),
     ("MariaDB 10.6", "10.5.23"), ("MariaDB 10.0", "10.1.23"), ("MariaDB 12.3", "11.8.9"), ("MySQL 26.7", "9.7.4")],
)  # fmt: skip
def test_a_version_is_read_as_the_nearest_of_its_series_or_below(version, table):
    named = named_version(version)
    assert nearest(named.flavour, named.version).text == table


def test_a_text_with_more_lines_than_an_option_file_has_is_refused():
    with pytest.raises(PlanError, match="more than 10,000 lines"):
        found("[mysqld]\n" + "sync_binlog=1\n" * MOST_LINES)
