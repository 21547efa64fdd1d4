"""Whether each simulated device was as fast as its profile promises."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dashboard.findings.probed import ProbedDevice


@dataclass(frozen=True)
class Promised:
    """A simulated device as one probe read it: fsyncs of a page per second, one after the other."""

    server: str  # "" where there is but one
    storage: str
    promised_per_s: float
    read_per_s: float
    matches: bool
    says: str


def promises(devices: Iterable[ProbedDevice], names: Mapping[int, str], clean: Callable[[str], str]) -> list[Promised]:
    """In the order in which they were probed. A device that was created twice is listed twice; each entry belongs to
    the runs made on it."""
    asked = [(one.server_id, one.promise) for one in devices if one.promise]
    several = len({server for server, _ in asked}) > 1
    return [
        Promised(
            server=names[server] if several else "",
            storage=clean(promise.storage),
            promised_per_s=promise.promised_per_s,
            read_per_s=promise.read_per_s,
            matches=promise.matches,
            says=clean(promise.says),
        )
        for server, promise in asked
    ]
