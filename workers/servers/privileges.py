"""The privileges of the account in use, read from its grants."""

import re
from collections.abc import Iterable, Mapping

from workers.servers import ask
from workers.servers.facts import Facts
from workers.servers.flavours import (
    EVERYWHERE,
    FOR_TABLES,
    OUR_SCHEMAS,
    PERFORMANCE_SCHEMA,
    Need,
    grant_statements,
    needs,
)
from workers.servers.limited import Connection

Grants = Mapping[str, frozenset[str]]  # scope as printed, without quotes -> privileges, upper case
_GRANT = re.compile(r"^GRANT (?P<what>.+?) ON (?:TABLE )?(?P<scope>\S+\.\*) TO ", re.IGNORECASE)
MOST_PATTERN = 256  # characters: a name has 64, and each may be escaped


def granted(connection: Connection, facts: Facts) -> Grants:
    """The grants of this connection's account and its active roles. Raises ServerError."""
    statement = "SHOW GRANTS"
    if facts.flavour == "mysql" and facts.version >= (8, 0, 0):
        roles = ask.text(connection, "SELECT CURRENT_ROLE()")
        if roles and roles != "NONE":
            statement = f"SHOW GRANTS FOR CURRENT_USER() USING {roles}"  # as quoted by the server
    return parse(ask.as_text(row[0]) for row in ask.rows(connection, statement))


def parse(lines: Iterable[str]) -> Grants:
    """Grants on everything or on whole schemas. Grants on tables, routines and roles are ignored."""
    found: dict[str, set[str]] = {}
    for line in lines:
        if match := _GRANT.match(line):
            names = {name.strip().upper() for name in match["what"].split(",")}
            found.setdefault(_plain(match["scope"]), set()).update(names)
    return {scope: frozenset(names) for scope, names in found.items()}


def missing(needs: Iterable[Need], grants: Grants) -> list[Need]:
    return [need for need in needs if not _met(need, grants)]


def grant_to_see_others(connection: Connection, facts: Facts) -> str:
    """The GRANT by which this account sees the connections of others; "" when it sees them. Raises ServerError."""
    process = [need for need in needs(facts, ("look",)) if need.privilege == "PROCESS"]
    lacking = missing(process, granted(connection, facts))
    return "\n".join(grant_statements(lacking, ask.account(connection))) if lacking else ""


def _met(need: Need, grants: Grants) -> bool:
    wanted = set(FOR_TABLES) if need.privilege == "ALL PRIVILEGES" else {need.privilege}
    names = set().union(*(names for scope, names in grants.items() if _covers(scope, need.scope)))
    return bool(names & {"ALL PRIVILEGES", "ALL", *need.covered_by}) or wanted <= names


def _covers(scope: str, wanted: str) -> bool:
    """Whether a grant on `scope` covers `wanted`; scopes are LIKE patterns of schema names."""
    if EVERYWHERE in (scope, wanted):
        return scope == EVERYWHERE
    pattern = scope.removesuffix(".*")
    return len(pattern) <= MOST_PATTERN and like(pattern, _AN_EXAMPLE[wanted])


def like(pattern: str, text: str) -> bool:
    """SQL's LIKE. It goes back to the last `%` only, so it takes at most as many steps as both lengths multiplied: a
    regular expression takes for ever with thirty `%`."""
    parts = _PART.findall(pattern)
    at = reached = 0
    last, tried = -1, 0  # of the last "%": its place, and where the text after it was tried
    while reached < len(text):
        part = parts[at] if at < len(parts) else ""
        if part == "%":
            last, tried = at, reached
            at += 1
        elif part == "_" or part[-1:] == text[reached]:
            at, reached = at + 1, reached + 1
        elif last >= 0:
            tried += 1
            at, reached = last + 1, tried
        else:
            return False
    return all(part == "%" for part in parts[at:])


_PART = re.compile(r"\\.|.", re.DOTALL)
_AN_EXAMPLE: dict[str, str] = {OUR_SCHEMAS: "durascope_zz9", PERFORMANCE_SCHEMA: "performance_schema"}


def _plain(scope: str) -> str:
    """Without quotes, and with single backslashes: some servers double them."""
    return re.sub(r"\\+", r"\\", re.sub(r"[`\"']", "", scope)).lower()
