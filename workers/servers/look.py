"""The first look at a server."""

import re

from workers.servers import ask
from workers.servers.facts import Facts, Version
from workers.servers.flavours import detect
from workers.servers.limited import Connection

UNREADABLE: Version = (0, 0, 0)


def read(connection: Connection) -> Facts:
    """All facts of a server, by two statements. Raises ServerError."""
    variables = ask.names_to_values(connection, "SHOW GLOBAL VARIABLES")
    text = variables["version"]
    return Facts(
        flavour=detect(text, variables.get("version_comment", "")),
        version=version_of(text),
        version_text=text,
        variables=variables,
        engines={str(row[0]).lower(): str(row[1]).upper() for row in ask.rows(connection, "SHOW ENGINES")},
    )


def version_of(text: str) -> Version:
    """`10.11.19-MariaDB-log` -> (10, 11, 19). Behind some proxies MariaDB reports 5.5.5-10.11.19-MariaDB."""
    match = re.match(r"(?:5\.5\.5-)?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?", text)
    if match is None:
        return UNREADABLE
    major, minor, patch = match.groups(default="0")
    return (int(major), int(minor), int(patch))
