"""A version that a person names, such as MariaDB 10.11."""

import re
from dataclasses import dataclass

from workers.errors import PlanError
from workers.servers.facts import FlavourKey, Version

NEWEST = 999  # "MySQL 8.0" means the newest 8.0
_NAMED = re.compile(
    r"\s*(mariadb|mysql|percona)(?: server)?[ -]?(\d{1,2})\.(\d{1,2})(?:\.(\d{1,3}))?\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class NamedVersion:
    """`text`: the digits as they were written. `is_fork`: it has options that its origin does not have."""

    flavour: FlavourKey
    version: Version
    text: str
    is_fork: bool = False


def named_version(words: str) -> NamedVersion | None:
    """None for an empty text. Raises PlanError."""
    if not words.strip():
        return None
    found = _NAMED.fullmatch(words)
    if found is None:
        raise PlanError(f"{words[:40]!r} is not a version.", "Write for example MariaDB 10.11 or MySQL 8.0.36.")
    flavour: FlavourKey = "mariadb" if found[1].lower() == "mariadb" else "mysql"
    major, minor, patch = found[2], found[3], found[4]
    text = ".".join(filter(None, (major, minor, patch)))
    return NamedVersion(flavour, (int(major), int(minor), int(patch or NEWEST)), text, found[1].lower() == "percona")
