"""The flavours of server (flavours.toml): how each is recognised, and which privileges an account needs there."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.servers.ask import quoted_account
from workers.servers.facts import Facts, FlavourKey, Version
from workers.toml.table import TomlTable

Purpose = Literal["look", "load", "change"]

FILE = Path(__file__).with_suffix(".toml")
FLAVOUR_KEYS: tuple[FlavourKey, ...] = get_args(FlavourKey)
Scope = Literal["*.*", r"`durascope\_%`.*", "performance_schema.*"]
SCOPES: tuple[Scope, Scope, Scope] = get_args(Scope)
EVERYWHERE, OUR_SCHEMAS, PERFORMANCE_SCHEMA = SCOPES  # of ours: the backslash keeps _ from matching any character
FOR_TABLES = ("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX")


@dataclass(frozen=True)
class Need:
    """A privilege, its scope and its purpose. `covered_by`: other privileges that include it."""

    purpose: Purpose
    privilege: str
    scope: Scope
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
    needs: tuple[Need, ...]
    version_words: tuple[str, ...] = ()


def read(path: Path) -> dict[FlavourKey, Flavour]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    tables = {key: file.table(key) for key in FLAVOUR_KEYS}
    return {
        key: table.read(Flavour, needs=tuple(need.read(Need) for need in table.tables("needs")))
        for key, table in tables.items()
    }


FLAVOURS = read(FILE)


def detect(*version_strings: str) -> FlavourKey:
    """The flavour named in the server's version strings; else MySQL or a fork of it."""
    said = " ".join(version_strings).lower()
    return next(
        (key for key, flavour in FLAVOURS.items() if any(word in said for word in flavour.version_words)), "mysql"
    )


def needs(facts: Facts, purposes: Iterable[Purpose] = ("look", "load", "change")) -> list[Need]:
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
