"""The replicas of a server whose lag can be watched while it is loaded, and those whose lag cannot."""

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.findings.attached.known import Known, Told, told
from dashboard.findings.attached.links import ReplicationLink, links
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan

REGISTER = "Nobody stops the load if it falls behind. Register it (Import servers, Find replicas), or look after it."


@dataclass(frozen=True)
class KnownFollowers:
    """By the last connection tests. `watched`: ids of registered replicas. `unwatched`: a sentence for each replica
    that is not registered here, and why others may be missing."""

    watched: tuple[int, ...]
    unwatched: tuple[str, ...]


def followers(server: Server, known: Known, all_links: Iterable[ReplicationLink]) -> KnownFollowers:
    mine = [link.replica for link in all_links if link.source == server.pk]
    watched = tuple(one for one in mine if isinstance(one, int))
    unregistered = (
        f"The lag of the replica {one} of {server} is not watched: it is not registered here. {REGISTER}"
        for one in mine
        if not isinstance(one, int)
    )
    return KnownFollowers(watched, (*unregistered, *_unknown(server, known.get(server.pk))))


def not_watched(plan: Plan) -> list[str]:
    """Sentences before the start, of all attached servers of the plan."""
    servers = Server.objects.filter(pk__in=[one.server_id for one in plan.targets if not one.is_sandbox])
    if not (plan.limits.max_lag_s and servers):
        return []
    found = links(known := told())
    return [says for server in servers for says in followers(server, known, found).unwatched]


def _unknown(server: Server, one: Told | None) -> list[str]:
    """Why there may be replicas that nothing names."""
    if one is None:
        return [f"The replicas of {server} are not known, and their lag is not watched. Press Test connection first."]
    hosts = ", ".join(one.replication.dump_hosts)
    if one.replication.replicas is None:
        seen = f"Replicas are connected from {hosts}" if hosts else "Which servers replicate from it is not known"
        return [f"The account may not list the replicas of {server}. {seen}: only registered ones are watched."]
    if hosts:
        return [f"Replicas of {server} that do not report their address are connected from {hosts}."]
    return []
