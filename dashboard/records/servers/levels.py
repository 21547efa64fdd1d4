"""The service level of a server: how fast its commits must be, and what a crash may take of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.servers.models import Server, ServiceLevel
from workers.bench.plan import OF_ATTACHED
from workers.crash.kinds import CRASH_KINDS
from workers.topology.faults import FAULTS


@dataclass(frozen=True)
class Disaster:
    """`title`: on the form; `says`: `in a power loss`; `kinds`: the trials that show what it takes."""

    title: str
    says: str
    kinds: tuple[str, ...]


_JUDGED = {key: kind for key, kind in CRASH_KINDS.items() if kind.judges_commits}
DISASTERS: dict[str, Disaster] = {
    "kill": Disaster(
        "the server process is killed",
        "when the server process is killed",
        tuple(key for key, kind in _JUDGED.items() if kind.keeps_page_cache),
    ),
    "power": Disaster(
        "the server's host loses power",
        "in a power loss",
        tuple(key for key, kind in _JUDGED.items() if kind.cuts_power),
    ),
    "command": Disaster("the owner's crash command is run", "after the owner's crash command", tuple(OF_ATTACHED)),
    "failover": Disaster(
        "the primary is lost and a replica is promoted",
        "in a failover",
        tuple(
            key for key, fault in FAULTS.items() if fault.primary_down and not fault.replicas_down and not fault.control
        ),
    ),
}


@dataclass(frozen=True)
class Wanted:
    """See ServiceLevel."""

    commits_per_s: float | None = None
    p99_ms: float | None = None
    survives: Sequence[str] = ()
    lost_s: float = 0.0

    @property
    def is_empty(self) -> bool:
        return self.commits_per_s is None and not self.survives


@transaction.atomic
def agree(user: Actor, server: Server, wanted: Wanted) -> None:
    """Store the level of a server. An empty one removes it."""
    require(user, "change_server", server)
    if wanted.is_empty:
        if ServiceLevel.objects.filter(server=server).delete()[0]:
            record(user, "removed the service level", server)
        return
    values = {**vars(wanted), "survives": list(wanted.survives)}
    ServiceLevel.objects.update_or_create(
        server=server, defaults={**values, "set_by": account(user), "set_at": timezone.now()}
    )
    record(user, "set the service level", server, **values)


def of(server_id: int) -> Wanted | None:
    return of_servers([server_id]).get(server_id)


def of_servers(server_ids: Collection[int]) -> dict[int, Wanted]:
    """Those that have a level; one query."""
    rows = ServiceLevel.objects.filter(server__in=server_ids)
    return {row.server_id: Wanted(row.commits_per_s, row.p99_ms, tuple(row.survives), row.lost_s) for row in rows}
