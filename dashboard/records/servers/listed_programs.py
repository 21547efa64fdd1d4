"""DURASCOPE_CRASH_PROGRAMS. The settings read this module, so it imports no model."""

from collections.abc import Mapping


def listed(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Raises ValueError for a program that is not an absolute path: the PATH would decide which program it is."""
    found = tuple(one for one in environ.get("DURASCOPE_CRASH_PROGRAMS", "").split(":") if one)
    if names := [one for one in found if not one.startswith("/")]:
        raise ValueError(f"DURASCOPE_CRASH_PROGRAMS holds {names[0]!r}. Write whole paths, separated by colons.")
    return found
