"""The flavours of server: how each is recognised, and which privileges an account needs there.

Tested on MariaDB 10.11 and MySQL 8.0: each privilege was granted alone to an otherwise empty account. On MariaDB,
BINLOG ADMIN changes every binlog variable except binlog_checksum. That one and all innodb_* variables need SUPER.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from workers.servers.ask import quoted_account
from workers.servers.facts import Facts, FlavourKey

Purpose = Literal["look", "load", "change"]
Version = tuple[int, int, int]

EVERYWHERE = "*.*"
OUR_SCHEMAS = r"`durascope\_%`.*"  # the backslash keeps _ from matching any character
PERFORMANCE_SCHEMA = "performance_schema.*"
FOR_TABLES = ("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX")


@dataclass(frozen=True)
class Need:
    """A privilege, its scope and its purpose. `covered_by`: other privileges that include it."""

    purpose: Purpose
    privilege: str
    scope: str
    why: str
    covered_by: tuple[str, ...] = ()
    since: Version = (0, 0, 0)
    before: Version = (999, 0, 0)

    def applies_to(self, version: Version) -> bool:
        return self.since <= version < self.before


@dataclass(frozen=True)
class Flavour:
    """A family of servers. `version_words`: found in its version strings only; MySQL and its forks have none."""

    title: str
    version_words: tuple[str, ...]
    needs: tuple[Need, ...]


_SETS_BINLOG = "to set sync_binlog and binlog_*"
_PROCESS = Need("look", "PROCESS", EVERYWHERE, "to see connections and replicas")
_WAITS = Need("look", "SELECT", PERFORMANCE_SCHEMA, "to read file waits")
_TABLES = Need("load", "ALL PRIVILEGES", OUR_SCHEMAS, "to make, fill and drop its own schemas")

FLAVOURS: dict[FlavourKey, Flavour] = {
    "mariadb": Flavour(
        title="MariaDB",
        version_words=("mariadb",),
        needs=(
            _PROCESS,
            Need("look", "REPLICATION CLIENT", EVERYWHERE, "to read the binlog's position", before=(10, 5, 2)),
            Need(
                "look",
                "BINLOG MONITOR",
                EVERYWHERE,
                "to read the binlog's position",
                covered_by=("REPLICATION CLIENT",),
                since=(10, 5, 2),
            ),
            _WAITS,
            _TABLES,
            Need("change", "BINLOG ADMIN", EVERYWHERE, _SETS_BINLOG, ("SUPER",), (10, 5, 2), (11, 0, 1)),
            Need("change", "BINLOG ADMIN", EVERYWHERE, _SETS_BINLOG, since=(11, 0, 1)),  # SUPER includes it no more
            Need("change", "SUPER", EVERYWHERE, "to set innodb_* (MariaDB has nothing narrower for them)"),
        ),
    ),
    "mysql": Flavour(
        title="MySQL",
        version_words=(),
        needs=(
            _PROCESS,
            Need("look", "REPLICATION CLIENT", EVERYWHERE, "to read the binlog's position"),
            _WAITS,
            _TABLES,
            Need("change", "SUPER", EVERYWHERE, "to set global variables", before=(8, 0, 0)),
            Need("change", "SYSTEM_VARIABLES_ADMIN", EVERYWHERE, "to set global variables", ("SUPER",), (8, 0, 0)),
        ),
    ),
}


def detect(*version_strings: str) -> FlavourKey:
    """The flavour named in the server's version strings; else MySQL or a fork of it."""
    said = " ".join(version_strings).lower()
    return next(
        (key for key, flavour in FLAVOURS.items() if any(word in said for word in flavour.version_words)), "mysql"
    )


def needs(facts: Facts, purposes: Iterable[Purpose] = ("look", "load", "change")) -> list[Need]:
    """The privileges that an account needs on this server for these purposes."""
    wanted = tuple(purposes)
    listed = FLAVOURS[facts.flavour].needs
    return [need for need in listed if need.purpose in wanted and need.applies_to(facts.version)]


def grants(
    facts: Facts, account: str, host: str, purposes: Iterable[Purpose] = ("look", "load", "change")
) -> list[str]:
    """The statements that make an account with the least privileges. The reader fills in the password."""
    who = quoted_account(account, host)
    return [f"CREATE USER {who} IDENTIFIED BY '...';", *grant_statements(needs(facts, purposes), who)]


def grant_statements(wanted: Iterable[Need], who: str) -> list[str]:
    """One GRANT for each scope and purpose, so that a reader can leave out the right to change variables."""
    joined: dict[tuple[Purpose, str], list[str]] = {}
    for need in wanted:
        joined.setdefault((need.purpose, need.scope), []).append(need.privilege)
    return [f"GRANT {', '.join(names)} ON {scope} TO {who};" for (_, scope), names in joined.items()]
