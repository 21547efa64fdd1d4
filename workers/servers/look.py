"""The first look at a server."""

import re
from contextlib import suppress

from workers.errors import ServerError
from workers.servers import ask
from workers.servers.facts import Facts, FlavourKey, Version
from workers.servers.flavours import detect
from workers.servers.limited import Connection
from workers.servers.lookalikes import recognised
from workers.servers.printable import bounded
from workers.servers.settings import switch

MOST_OF_A_VERSION = 120
MOST_OF_A_VARIABLE = 4096  # optimizer_switch has more than a thousand characters
ENGINES = "SHOW ENGINES"
UNREADABLE: Version = (0, 0, 0)
REDO_LOG = "innodb_redo_log_enabled"  # a status: ALTER INSTANCE switches it off, and no variable shows it
REDO_LOG_SINCE: Version = (8, 0, 21)
# No variable: after an error a server may close its binary log, and log_bin stays ON. It then names no file of it.
BINLOG_OPEN = "binlog_open"


def read(connection: Connection) -> Facts:
    """All facts of a server, by four statements at most. Raises ServerError."""
    found = ask.names_to_values(connection, "SHOW GLOBAL VARIABLES")
    if not found.get("version"):
        raise ServerError(
            f"{ask.where(connection)} did not tell its version: SHOW GLOBAL VARIABLES gave {len(found)} variables.",
            "A limit of rows, a proxy or another program may answer in the server's place.",
        )
    variables = {bounded(name): bounded(value, MOST_OF_A_VARIABLE) for name, value in found.items()}
    text = bounded(found["version"], MOST_OF_A_VERSION)
    flavour, version = detect(text, variables.get("version_comment", "")), version_of(text)
    if flavour == "mysql" and version >= REDO_LOG_SINCE:
        status = ask.names_to_values(connection, f"SHOW GLOBAL STATUS LIKE '{REDO_LOG}'")
        variables[REDO_LOG] = bounded(status.get(REDO_LOG, ""))
    if switch(variables.get("log_bin", "OFF")) == "ON":
        with suppress(ServerError):  # the account may not ask: not known
            named = ask.rows(connection, binlog_status(flavour, version))
            variables[BINLOG_OPEN] = "ON" if named else "OFF"
    return Facts(
        flavour=flavour,
        version=version,
        version_text=text,
        variables=variables,
        engines={name: support.upper() for name, support in ask.names_to_values(connection, ENGINES).items()},
        lookalike=recognised(variables, bounded(connection.server_version, MOST_OF_A_VERSION)),
    )


def binlog_status(flavour: FlavourKey, version: Version) -> str:
    """The statement that names the last file of the binary log; no row: none is open."""
    return "SHOW BINARY LOG STATUS" if flavour == "mysql" and version >= (8, 2, 0) else "SHOW MASTER STATUS"


def version_of(text: str) -> Version:
    """`10.11.19-MariaDB-log` -> (10, 11, 19). Behind some proxies MariaDB reports 5.5.5-10.11.19-MariaDB."""
    match = re.match(r"(?:5\.5\.5-)?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?", text)
    if match is None:
        return UNREADABLE
    major, minor, patch = match.groups(default="0")
    return (int(major), int(minor), int(patch))
