"""MySQL's ways, from 5.5 on."""

from workers.sandbox.builds.build import Build
from workers.sandbox.flavours.family import Family, OptionLine, share_sql
from workers.sandbox.users import User

SYSTEM_TABLES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql")
FIRST = b"CREATE DATABASE mysql;\nUSE mysql;\n"
INITIALISES_ITSELF = (5, 7, 6)


def _system_tables(build: Build, user: User) -> bytes | None:
    return None if build.version >= INITIALISES_ITSELF else FIRST + share_sql(build, SYSTEM_TABLES, user)


MYSQL = Family(
    options=(
        # As later versions have it by default: 5.5 would write 5 MiB logs round and round, and one file for all tables.
        OptionLine("innodb_file_per_table=1", before=(5, 6, 6)),
        OptionLine("innodb_log_file_size=48M", before=(5, 6, 8)),
        # Without these it makes a certificate, since 5.7. The first binaries of 5.5 know no TLS at all.
        OptionLine("skip_ssl", since=(5, 7, 0), before=(8, 0, 16)),
        OptionLine("tls_version=", since=(8, 0, 16)),
        OptionLine("mysqlx=OFF", since=(8, 0, 11)),
        OptionLine("binlog_expire_logs_seconds=60", since=(8, 0, 1)),
        # 8.4 has it off below 32 cores: the log's own threads spin, and take a small machine's cores from the load.
        OptionLine("innodb_log_writer_threads=OFF", since=(8, 0, 22), before=(8, 4, 0)),
    ),
    system_tables=_system_tables,
    accounts_since=(5, 7, 8),
)
