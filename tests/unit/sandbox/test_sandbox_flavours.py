"""What is written for a server is what one of its age knows."""

import os
from pathlib import Path

import pytest

from workers.sandbox import options
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout
from workers.sandbox.flavours import FAMILIES
from workers.sandbox.users import User

FOLDER = Path("/srv/sandboxes/live/1")
ME = User("me", os.geteuid(), os.getegid(), switch=False)


def names(flavour: str, version: tuple[int, int, int]) -> set[str]:
    build = Build("b", "", flavour, version, Layout(Path("/opt/bin/mysqld")))
    text = options.my_cnf(build, FOLDER, 4711, {})
    return {line.partition("=")[0] for line in text.splitlines()}


@pytest.mark.parametrize(
    ("flavour", "version", "known", "unknown"),
    [
        ("mysql", (5, 5, 9), {"innodb_file_per_table"}, {"mysqlx", "tls_version", "skip_ssl"}),
        ("mysql", (5, 6, 14), set(), {"innodb_file_per_table", "mysqlx", "binlog_expire_logs_seconds"}),
        ("mysql", (5, 7, 30), {"skip_ssl"}, {"mysqlx", "tls_version", "innodb_log_writer_threads"}),
        ("mysql", (8, 0, 33), {"mysqlx", "tls_version", "innodb_log_writer_threads"}, {"skip_ssl"}),
        ("mysql", (9, 7, 0), {"mysqlx", "tls_version"}, {"skip_ssl", "innodb_log_writer_threads"}),
        ("mariadb", (10, 1, 8), {"max_binlog_size"}, {"binlog_expire_logs_seconds", "mysqlx", "skip_ssl"}),
        ("mariadb", (10, 11, 0), {"binlog_expire_logs_seconds"}, {"skip_ssl", "tls_version"}),
        ("mariadb", (11, 8, 0), {"binlog_expire_logs_seconds", "skip_ssl"}, {"tls_version"}),
    ],
)
def test_an_option_is_written_only_where_it_is_known(flavour, version, known, unknown):
    written = names(flavour, version)
    assert known <= written and not unknown & written


@pytest.mark.parametrize("flavour", FAMILIES)
def test_every_age_has_an_account(flavour):
    family = FAMILIES[flavour]
    for version in ((5, 5, 0), family.accounts_since, (99, 0, 0)):
        sql = family.account_sql(version).format(password="secret")
        assert "'durascope'@'localhost' IDENTIFIED BY 'secret'" in sql
        assert all(line.endswith(";") for line in sql.splitlines())  # init_file takes one statement a line


def test_old_servers_are_not_told_what_they_cannot_read():
    old, new = (FAMILIES["mysql"].account_sql(version) for version in ((5, 5, 9), (8, 0, 33)))
    assert "IF EXISTS" not in old and "ACCOUNT LOCK" not in old and "DELETE FROM mysql.user" in old
    assert "ACCOUNT LOCK" in new


def test_system_tables_are_made_the_way_of_the_age(tmp_path):
    for name in ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "mariadb_system_tables.sql"):
        (tmp_path / name).write_text(f"-- {name}")

    def sql(flavour: str, version: tuple[int, int, int]) -> bytes | None:
        layout = Layout(Path("/opt/bin/mysqld"), share=tmp_path)
        return FAMILIES[flavour].system_tables(Build("b", "", flavour, version, layout), ME)

    assert sql("mysql", (8, 0, 33)) is None
    assert b"-- mysql_system_tables.sql\n-- mysql_system_tables_data.sql" in sql("mysql", (5, 6, 14))
    assert b"auth_root_socket" in sql("mariadb", (10, 11, 0))
    assert b"auth_root_socket" not in sql("mariadb", (10, 1, 8))
    assert b"-- mariadb_system_tables.sql" in sql("mariadb", (11, 8, 0))


def test_a_server_is_told_the_places_of_its_files_and_its_plugins():
    layout = Layout(Path("/opt/usr/sbin/mysqld"), share=Path("/opt/share"), plugin_dir=Path("/opt/plugin"))
    build = Build("b", "", "mariadb", (10, 11, 0), layout, plugins=("ha_rocksdb.so",))
    text = options.my_cnf(build, FOLDER, 4711, {}).splitlines()
    assert {"lc_messages_dir=/opt/share", "character_sets_dir=/opt/share/charsets", "plugin_dir=/opt/plugin"} <= {*text}
    assert "plugin_load_add=ha_rocksdb.so" in text and "basedir=/opt/usr" in text
