"""SQL statements that create an account with the least privileges, to copy."""

from dataclasses import dataclass

from dashboard.records.servers.models import Server
from workers.servers.answered import AnsweredFacts
from workers.servers.facts import Facts, FlavourKey, Version
from workers.servers.flavours import FLAVOURS, Purpose, grants
from workers.servers.look import UNREADABLE, version_of

ACCOUNT = "durascope"
# Shown while the server's version is not known: one version of each range whose privileges differ.
RANGES: dict[str, tuple[FlavourKey, Version]] = {
    "MariaDB 10.5.9 and later": ("mariadb", (11, 4, 0)),
    "MariaDB 10.5.2 to 10.5.8": ("mariadb", (10, 5, 2)),
    "MariaDB before 10.5.2": ("mariadb", (10, 4, 0)),
    "MySQL 8.0 and later": ("mysql", (8, 4, 0)),
    "MySQL before 8.0": ("mysql", (5, 7, 0)),
}


@dataclass(frozen=True)
class Statements:
    title: str
    sql: str


def statements(
    server: Server | None = None, facts: AnsweredFacts | None = None, *, managed: bool = False
) -> list[Statements]:
    """For the version in the `facts` of a preflight, else for each range of versions. `managed`: without the right to
    change settings, which vendors do not give."""
    user = (server.user if server else "") or ACCOUNT
    host = "localhost" if server and server.socket else "%"
    ranges = RANGES
    if facts and facts.flavour and (found := version_of(facts.version_text)) != UNREADABLE:
        ranges = {f"{FLAVOURS[facts.flavour].title} {facts.version_text}": (facts.flavour, found)}
    purposes: tuple[Purpose, ...] = ("look", "load") if managed else ("look", "load", "change")
    return [
        Statements(title, "\n".join(grants(Facts(flavour, version, "", {}, {}), user, host, purposes)))
        for title, (flavour, version) in ranges.items()
    ]
