"""Servers that registered servers name as their sources, replicas or cluster members, and that are not registered."""

from collections.abc import Iterable
from dataclasses import replace

from dashboard.findings.attached.known import Known, Told
from dashboard.findings.attached.links import recognised, unregistered_nodes
from workers.servers.ask import whole
from workers.servers.checks import is_loopback
from workers.servers.inventory.found import FoundServer, split_address
from workers.servers.replication import Peer

NO_ADDRESS = "It does not report its address. Set report_host on it, or register it by hand."


def unregistered(known: Known) -> list[FoundServer]:
    """With the account of the server that names them, without its password: a hostile server could name any address."""
    found: dict[str, FoundServer] = {}
    for one in known.values():
        for named in _peers(known, one):
            is_here = is_loopback(named.host) and one.server.host  # on the host of the server that names it
            peer = replace(named, host=one.server.host) if is_here else named
            where = f"{peer.host or f'server_id {peer.server_id}'}:{peer.port}"
            why = "" if peer.host else NO_ADDRESS
            port = str(peer.port) if peer.port else ""
            found.setdefault(where, FoundServer(where, peer.host, port, user=one.server.user, why=why))
    return list(found.values())


def _peers(known: Known, one: Told) -> Iterable[Peer]:
    seen, connected = one.replication, list(_connected(known, one))
    for peer in (*(seen.sources or ()), *(seen.replicas or ()), *(seen.members or ())):
        is_unknown = recognised(known, one, peer) is None and not _follows(known, one, peer)
        if is_unknown and (peer.host or not connected):
            yield peer
    yield from connected
    for address in unregistered_nodes(known, one):
        host, port = split_address(address)
        yield Peer(host, whole(port) or 0)


def _connected(known: Known, one: Told) -> Iterable[Peer]:
    """Replicas that do not report their address, by their connections. Which is which is not known, so all must have
    one port."""
    nameless = [peer for peer in one.replication.replicas or () if not peer.host and not _follows(known, one, peer)]
    if len({peer.port for peer in nameless}) == 1:
        yield from (Peer(host, nameless[0].port) for host in one.replication.dump_hosts if host not in known.hosts)


def _follows(known: Known, one: Told, peer: Peer) -> bool:
    """A replica that does not report its address is known by its ids."""
    return not peer.host and any(known[pk] is not one for pk in known.by_ids[peer.server_id, peer.port])
