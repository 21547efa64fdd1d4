"""How servers of a flavour and version are made and started: MariaDB from 10.1 on, MySQL from 5.5 on."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import process
from workers.sandbox.builds.build import Build
from workers.sandbox.users import User
from workers.servers.facts import FlavourKey, Version

READ_S = 60.0
MOST_SQL_BYTES = 32 << 20


@dataclass(frozen=True)
class OptionLine:
    """A line of the option file, for servers from `since` on and below `before`."""

    line: str
    since: Version = (0, 0, 0)
    before: Version = (999, 0, 0)


@dataclass(frozen=True)
class Family:
    """`system_tables(build, user)`: the SQL that makes a server's own tables, fed to --bootstrap; None: the server
    makes them itself (--initialize-insecure). `accounts_since`: the first version with CREATE USER IF EXISTS and
    ACCOUNT LOCK."""

    options: tuple[OptionLine, ...]
    system_tables: Callable[[Build, User], bytes | None]
    accounts_since: Version

    def lines(self, version: Version) -> list[str]:
        return [option.line for option in self.options if option.since <= version < option.before]

    def account_sql(self, version: Version) -> str:
        """Makes our account, locks out all others; `{password}` is to be filled in."""
        name = "account.sql" if version >= self.accounts_since else "account_old.sql"
        return Path(__file__).with_name(name).read_text()


def share_sql(build: Build, patterns: tuple[str, ...], user: User) -> bytes:
    """The files of the build's share folder that fit, joined in this order; each may have one of two names. They are
    read as the user who runs sandboxes: a build may bring a link to a file that only root may read."""
    share = build.layout.share
    files = (share / name for pattern in patterns for name in pattern.split("|")) if share else ()
    return b"\n".join(_read(file, user) for file in files if file.is_file()) + b"\n"


def _read(file: Path, user: User) -> bytes:
    return process.run(["cat", "--", file], user, cwd=Path("/"), limit_s=READ_S, most_bytes=MOST_SQL_BYTES)


# What mariadb-install-db feeds to the server, which is a shell script that not every package has.
MARIADB_TABLES = (
    "mariadb_system_tables.sql|mysql_system_tables.sql",
    "mariadb_performance_tables.sql|mysql_performance_tables.sql",
    "mariadb_system_tables_data.sql|mysql_system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mariadb_sys_schema.sql|mysql_sys_schema.sql",
)
MARIADB_ACCOUNTS_SINCE = (10, 4, 2)
MARIADB_FIRST = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @skip_auth_anonymous=1;\n"
ONE_ROOT = b"SET @auth_root_socket='root';\n"  # else one for every name of this host; older SQL stumbles over it


def _mariadb_tables(build: Build, user: User) -> bytes:
    return (
        MARIADB_FIRST
        + (ONE_ROOT if build.version >= MARIADB_ACCOUNTS_SINCE else b"")
        + share_sql(build, MARIADB_TABLES, user)
    )


MARIADB = Family(
    options=(
        OptionLine("skip_ssl", since=(11, 4, 0)),  # since then a start spends seconds on a certificate
        OptionLine("binlog_expire_logs_seconds=60", since=(10, 6, 1)),
    ),
    system_tables=_mariadb_tables,
    accounts_since=MARIADB_ACCOUNTS_SINCE,
)

MYSQL_TABLES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql")
MYSQL_FIRST = b"CREATE DATABASE mysql;\nUSE mysql;\n"
INITIALISES_ITSELF = (5, 7, 6)


def _mysql_tables(build: Build, user: User) -> bytes | None:
    return None if build.version >= INITIALISES_ITSELF else MYSQL_FIRST + share_sql(build, MYSQL_TABLES, user)


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
    system_tables=_mysql_tables,
    accounts_since=(5, 7, 8),
)

FAMILIES: dict[FlavourKey, Family] = {"mariadb": MARIADB, "mysql": MYSQL}
