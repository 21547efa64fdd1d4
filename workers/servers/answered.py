"""What a connection test learned of a server: read until the next test."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workers.servers.facts import FlavourKey


@dataclass(frozen=True)
class FoundService:
    """A managed service (a key of workers.servers.services), and the sign by which it is known; "": none."""

    key: str = ""
    sign: str = ""


@dataclass(frozen=True)
class AnsweredFacts:
    """`settings`: of workers.servers.settings, those that the server has; `words`: durability settings, each with its
    value and its meaning; `replication`: workers.servers.replication as JSON, None: not asked; `free_bytes`: on the
    disk of the data; `lookalike`: as in Facts; `read_only`: the
    variables that keep a load from writing."""

    flavour: FlavourKey | Literal[""] = ""
    version_text: str = ""
    engines: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    words: tuple[tuple[str, str, str], ...] = ()
    replication: Mapping[str, object] | None = None
    service: FoundService = field(default_factory=FoundService)
    max_connections: str | None = None
    free_bytes: int | None = None
    lookalike: str = ""
    read_only: tuple[str, ...] = ()
