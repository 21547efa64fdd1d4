"""MariaDB, from 10.1 on."""

from workers.sandbox.builds.build import Build
from workers.sandbox.flavours.family import Family, OptionLine, share_sql
from workers.sandbox.users import User

# What mariadb-install-db feeds to the server, which is a shell script that not every package has.
SYSTEM_TABLES = (
    "mariadb_system_tables.sql|mysql_system_tables.sql",
    "mariadb_performance_tables.sql|mysql_performance_tables.sql",
    "mariadb_system_tables_data.sql|mysql_system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mariadb_sys_schema.sql|mysql_sys_schema.sql",
)
ACCOUNTS_SINCE = (10, 4, 2)
FIRST = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @skip_auth_anonymous=1;\n"
ONE_ROOT = b"SET @auth_root_socket='root';\n"  # else one for every name of this host; older SQL stumbles over it


def _system_tables(build: Build, user: User) -> bytes:
    return FIRST + (ONE_ROOT if build.version >= ACCOUNTS_SINCE else b"") + share_sql(build, SYSTEM_TABLES, user)


MARIADB = Family(
    options=(
        OptionLine("skip_ssl", since=(11, 4, 0)),  # since then a start spends seconds on a certificate
        OptionLine("binlog_expire_logs_seconds=60", since=(10, 6, 1)),
    ),
    system_tables=_system_tables,
    accounts_since=ACCOUNTS_SINCE,
)
