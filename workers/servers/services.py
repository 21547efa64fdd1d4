"""Managed services (services.toml): servers whose host belongs to a vendor."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.toml.table import TomlTable

FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class ManagedService:
    title: str
    signs: tuple[str, ...]
    hosts: tuple[str, ...]
    log: str


def read(path: Path) -> dict[str, ManagedService]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {name: file.table(name).read(ManagedService) for name in file.data}


SERVICES = read(FILE)
_SIGNS = [
    (key, name, re.compile(pattern, re.DOTALL))
    for key, service in SERVICES.items()
    for name, _, pattern in (sign.partition("=") for sign in service.signs)
]
_HOSTS = [(key, re.compile(pattern)) for key, service in SERVICES.items() for pattern in service.hosts]


def recognised(variables: Mapping[str, str], host: str) -> tuple[str, str]:
    """The service and the sign by which it is known; two empty texts for any other server. A server's own variables
    count more than the name of its host, which may be an alias."""
    for key, name, value in _SIGNS:
        if name in variables and value.fullmatch(variables[name]):
            return key, name
    name = host.rstrip(".").lower()
    return next(((key, "the name of its host") for key, pattern in _HOSTS if pattern.search(name)), ("", ""))
