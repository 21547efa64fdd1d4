"""DURASCOPE_CRASH_PROGRAMS. The settings read this module, so it imports no model."""

from collections.abc import Mapping


def listed(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Raises ValueError for one that is not a whole path: which program a name stands for, PATH would decide."""
    found = tuple(one for one in environ.get("DURASCOPE_CRASH_PROGRAMS", "").split(":") if one)
    if names := [one for one in found if not one.startswith("/")]:
        raise ValueError(f"DURASCOPE_CRASH_PROGRAMS holds {names[0]!r}. Write whole paths, separated by colons.")
    return found
