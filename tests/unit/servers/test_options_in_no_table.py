"""Options of MyRocks, TokuDB and Percona Server, which are in no table: none is taken for what it is not."""

import pytest

from workers.servers.durability import report
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.read import read

WHOLE = (
    "[mysqld]\nlog_bin\nsync_binlog=1\ninnodb_flush_log_at_trx_commit=1\ninnodb_flush_method=fsync\n"
    "innodb_doublewrite=ON\ninnodb_force_recovery=0\ninnodb_flush_log_at_timeout=1\n"
    "loose_binlog_error_action=ABORT_SERVER\n"
)
ROCKS = "plugin_load_add=ha_rocksdb\nrocksdb_flush_log_at_trx_commit=1\nrocksdb_manual_wal_flush=OFF\n"
TOKU = "skip-log-bin\nplugin_load_add=ha_tokudb\ntokudb_fsync_log_period=0\ntokudb_commit_sync=ON\n"


def outcomes(text, version):
    found = read(WHOLE + text, named_version(version))
    assert not found.refused, found.refused
    return {one.outcome for one in report(found.facts)}


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("MariaDB 10.11.19", ROCKS), ("MariaDB 10.11.19", f"{ROCKS}loose-ROCKSDB-enable-2pc=TRUE\n"),
        ("MariaDB 10.11.19", f"{ROCKS}rocksdb=ON\n"), ("MariaDB 10.5.23", TOKU),
        ("Percona 5.7.30", "innodb_use_global_flush_log_at_trx_commit=ON\n"),
    ],
)  # fmt: skip
def test_whole_names_with_plain_values_are_known(version, text):
    assert outcomes(text, version) == {"kept"}


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("MariaDB 10.11.19", f"{ROCKS}skip-rocksdb-enable-2pc\n"),
        ("MariaDB 10.11.19", f"{ROCKS}rocksdb_flush_log_at_trx=2\n"),
        ("MariaDB 10.11.19", f"{ROCKS}rocksdb_enable_2pc=YES\n"),
        ("MariaDB 10.11.19", f"{ROCKS}rocksdb_flush_log_at_trx_commit=\n"),
        ("MariaDB 10.11.19", f"{ROCKS}plugin-rocksdb-enable-2pc=0\n"),
        ("MariaDB 10.11.19", f"{ROCKS}ROCKSDB_wal_recovery=3\n"),
        ("MariaDB 10.11.19", f"{ROCKS}[mysqld1]\nrocksdb_flush_log_at_trx_commit=0\n"),
        ("MariaDB 10.11.19", f"{ROCKS}!include /x.cnf\n{WHOLE}"),
        ("MariaDB 10.11.19", f"plugin_load_add=ha_rocksdb\n!include /x.cnf\n{WHOLE}{ROCKS}"),
        ("MariaDB 10.5.23", f"{TOKU}skip-tokudb-commit-sync\n"),
        ("MariaDB 10.5.23", f"{TOKU}tokudb_fsync_log_period=-1\n"),
        ("Percona 5.6.14", "innodb_use_global_flush_log_at_trx_commit=0\n"),
        ("Percona 5.7.30", "skip-innodb_use_global_flush_log_at_trx_commit\n"),
        ("Percona 5.7.30", "innodb_log_checksum_algorithm=none\n"),
        ("Percona 5.7.30", "innodb_flush_method=ALL_O_DIRECT\n"),
        ("Percona 8.0.33", "innodb_flush_method=all_o_direct\n"),
    ],
)  # fmt: skip
def test_other_spellings_leave_the_setting_open(version, text):
    assert "unknown" in outcomes(text, version)


def test_capitals_are_read_where_the_server_reads_them():
    assert "may be lost" in outcomes(f"{ROCKS}ROCKSDB_FLUSH_log_at_trx_commit=0\n", "MariaDB 10.11.19")
    assert read(f"{WHOLE}ROCKSDB_flush_log_at_trx_commit=0\n", named_version("MariaDB 10.5.23")).refused


def test_a_fork_is_not_refused_for_a_name_or_a_choice_of_its_own_and_its_origin_is():
    for line in ("innodb_log_checksum_algorithm=none", "innodb_flush_method=ALL_O_DIRECT", "innodb_log_block_size=1"):
        assert read(f"[mysqld]\n{line}\n", named_version("MySQL 8.0.33")).refused
        assert not read(f"[mysqld]\n{line}\n", named_version("Percona 8.0.33")).refused
    assert read("[mysqld]\ninnodb_flush_method=no_such\n", named_version("Percona 8.0.33")).refused


def test_a_fork_may_mean_the_name_that_is_near():
    found = read(f"{WHOLE}innodb_log_flush_at_trx_commit=2\n", named_version("Percona 8.0.33"))
    assert any("Is innodb_flush_log_at_trx_commit meant?" in note for note in found.notes)
    assert {one.outcome for one in report(found.facts)} != {"kept"}
