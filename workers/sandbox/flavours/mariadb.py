"""MariaDB's ways, from 10.1 on."""

from workers.sandbox.builds.build import Build
from workers.sandbox.flavours.family import Family, Option, share_sql

# What mariadb-install-db feeds to the server, which is a shell script that not every package has.
SYSTEM_TABLES = (
    "mariadb_system_tables.sql|mysql_system_tables.sql",
    "mariadb_performance_tables.sql|mysql_performance_tables.sql",
    "mariadb_system_tables_data.sql|mysql_system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mariadb_sys_schema.sql|mysql_sys_schema.sql",
)
FIRST = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @skip_auth_anonymous=1;\nSET @auth_root_socket='root';\n"


def _system_tables(build: Build) -> bytes:
    return FIRST + share_sql(build, SYSTEM_TABLES)


MARIADB = Family(
    options=(
        Option("skip_ssl"),  # 11.4 and later spend seconds on making a certificate
        Option("binlog_expire_logs_seconds=60", since=(10, 6, 1)),
    ),
    system_tables=_system_tables,
    accounts_since=(10, 4, 2),
)
