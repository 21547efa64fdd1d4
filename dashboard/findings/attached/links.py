"""Which registered servers replicate from which, by what each said at its last test. Nothing is guessed: a server that
is not recognised stands there by its address."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from dashboard.findings.attached.known import Known, Told
from dashboard.findings.grouped import grouped
from workers.servers.ask import whole
from workers.servers.checks import is_loopback
from workers.servers.replication import Peer

Key = int | str  # id of a registered server, or the address of another one


@dataclass(frozen=True)
class ReplicationLink:
    """`peer`: the source as the replica describes it; None: only the source named this replica."""

    source: Key
    replica: Key
    peer: Peer | None


@dataclass(frozen=True)
class Joined:
    """`groups`: each server with everything that replicates with it, directly or not, or is in its cluster."""

    known: Known
    links: tuple[ReplicationLink, ...]
    groups: Mapping[Key, set[Key]]

    def within(self, keys: set[Key]) -> list[ReplicationLink]:
        return [link for _, link in sorted((pair for key in keys for pair in self._by_source[key]), key=itemgetter(0))]

    @cached_property
    def _by_source(self) -> defaultdict[Key, list[tuple[int, ReplicationLink]]]:
        return grouped((link.source, (place, link)) for place, link in enumerate(self.links))


def links(known: Known) -> list[ReplicationLink]:
    found = [
        ReplicationLink(recognised(known, one, peer) or f"{peer.host}:{peer.port}", pk, peer)
        for pk, one in known.items()
        for peer in _outside(one, one.replication.sources)
    ]
    replicas = grouped((link.source, known[link.replica]) for link in found if isinstance(link.replica, int))
    for pk, one in known.items():
        mine = replicas[pk]
        for peer in _outside(one, one.replication.replicas):
            if not any(_has_ids(replica, peer) for replica in mine):
                address = f"{peer.host or 'host not reported'}:{peer.port} (server_id {peer.server_id})"
                found.append(ReplicationLink(pk, recognised(known, one, peer) or address, None))
    return found


def _outside(one: Told, peers: Sequence[Peer] | None) -> list[Peer]:
    """Without the members of its group: one that joined is still named as a replica of the member that let it in."""
    group = {member.uuid for member in one.replication.members or ()}
    return [peer for peer in peers or () if peer.uuid not in group]


def joined(known: Known) -> Joined:
    found = links(known)
    pairs: list[tuple[Key, Key]] = [*((link.source, link.replica) for link in found), *cluster_pairs(known)]
    groups: dict[Key, set[Key]] = {pk: {pk} for pk in known}
    for one, other in pairs:
        whole = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(whole, whole))
    return Joined(known, tuple(found), groups)


def cluster_pairs(known: Known) -> list[tuple[Key, Key]]:
    """A server beside each other member of its group or Galera cluster."""
    found: list[tuple[Key, Key]] = []
    for pk, one in known.items():
        for peer in one.replication.members or ():
            found.append((pk, recognised(known, one, peer) or f"{peer.host}:{peer.port}"))
        found += [(pk, other) for other in known.mates(one)]
        found += [(pk, address) for address in unregistered_nodes(known, one)]
    return found


def unregistered_nodes(known: Known, one: Told) -> Iterable[str]:
    """Nodes of its Galera cluster by their addresses. A node may have been told to name none."""
    mates = [known[pk] for pk in known.mates(one)]
    for address in one.value("wsrep_incoming_addresses").split(",") if one.galera else ():
        host, _, port = address.rpartition(":")
        peer = Peer(host, whole(port) or 0)
        if host and not any(
            mate.replication.port == peer.port and peer.host in _hosts(mate, one, peer) for mate in mates
        ):
            yield address


def recognised(known: Known, asked: Told, peer: Peer) -> int | None:
    """The registered server that this peer is: by its uuid; where a flavour has none by server_id, port and host, or by
    what both servers say of each other. None: none, or several."""
    like = known.like(peer)
    fits = [pk for pk in like if known[pk] is not asked and _is(known[pk], asked, peer)]
    fits = fits or [pk for pk in like if known[pk] is asked and peer.uuid and _is(asked, asked, peer)]
    others = [] if fits or peer.uuid else known.by_server_id[peer.server_id]
    fits = fits or [pk for pk in others if known[pk] is not asked and _names_back(known, known[pk], asked, peer)]
    return fits[0] if len(fits) == 1 else None


def _names_back(known: Known, one: Told, asked: Told, peer: Peer) -> bool:
    """Through a proxy a replica sees another address of its source. Then the server_id must be right, the source must
    name this replica, and no other registered server may have the replica's server_id and port."""
    if peer.uuid or not peer.server_id or one.replication.server_id != peer.server_id:
        return False
    names = any(
        _has_ids(asked, replica) and (not replica.host or replica.host in set(_hosts(asked, one, replica)))
        for replica in one.replication.replicas or ()
    )
    own = asked.replication
    return names and len(known.by_ids[own.server_id, own.port]) == 1


def _is(one: Told, asked: Told, peer: Peer) -> bool:
    if peer.uuid and (uuid := one.value("server_uuid")):
        return peer.uuid == uuid
    return _has_ids(one, peer) and peer.host in set(_hosts(one, asked, peer))


def _has_ids(one: Told, peer: Peer) -> bool:
    return (one.replication.server_id, one.replication.port) == (peer.server_id, peer.port)


def _hosts(one: Told, asked: Told, peer: Peer) -> Iterable[str]:
    """Names of its host. A loopback address means the host of the server that was asked."""
    yield from one.hosts
    if is_loopback(peer.host) and one.value("hostname") == asked.value("hostname") != "":
        yield peer.host
