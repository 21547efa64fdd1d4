"""Were the simulated devices what they promise? Said where a reader cannot miss it when they were not."""

from dataclasses import dataclass

from dashboard.findings.shown import Shown


@dataclass(frozen=True)
class Promised:
    """A simulated device as one probe read it: fsyncs of a page per second, one after the other."""

    server: str  # "" where there is but one
    storage: str
    promised_per_s: float
    read_per_s: float
    matches: bool
    says: str


def promises(view: Shown) -> list[Promised]:
    """In the order in which they were probed. A device that was made twice is there twice: each time counts for what
    was measured on it."""
    asked = [(server, data["promise"]) for server, data in view.probes if "promise" in data and _here(view, server)]
    several = len({server for server, _ in asked}) > 1
    return [
        Promised(
            server=view.names[server] if several else "",
            storage=view.clean(promise["storage"]),
            promised_per_s=promise["promised_per_s"],
            read_per_s=promise["read_per_s"],
            matches=promise["matches"],
            says=view.clean(promise["says"]),
        )
        for server, promise in asked
    ]


def _here(view: Shown, server: int) -> bool:
    return view.server_id in (None, server)
