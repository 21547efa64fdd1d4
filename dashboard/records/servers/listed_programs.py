"""DURASCOPE_CRASH_PROGRAMS, DURASCOPE_FAILOVER_COMMAND. The settings read this module, so it imports no model."""

import json
from collections.abc import Mapping


def listed(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Raises ValueError for a program that is not an absolute path: the PATH would decide which program it is."""
    found = tuple(one for one in environ.get("DURASCOPE_CRASH_PROGRAMS", "").split(":") if one)
    if names := [one for one in found if not one.startswith("/")]:
        raise ValueError(f"DURASCOPE_CRASH_PROGRAMS holds {names[0]!r}. Write whole paths, separated by colons.")
    return found


def failover_command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """A failover manager and its arguments; empty: none. Raises ValueError when it is no JSON list with a whole path
    first."""
    text = environ.get("DURASCOPE_FAILOVER_COMMAND", "")
    argv = json.loads(text) if text.startswith("[") else [] if not text else None
    if argv is None or any(not isinstance(one, str) for one in argv) or (argv and not argv[0].startswith("/")):
        raise ValueError(
            'DURASCOPE_FAILOVER_COMMAND is no command. Write for example ["/usr/local/bin/manager", "-v"].'
        )
    return tuple(argv)
