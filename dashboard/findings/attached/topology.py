"""The topology of an attached server, and what its settings let a crash of several hosts lose. Derived, not measured;
the rules are those of workers/topology/cause.py and docs/topology.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.attached.clusters import UNKNOWN, TopologyStatement, of_clusters
from dashboard.findings.attached.known import Known, Told, told
from dashboard.findings.attached.links import Joined, Key, ReplicationLink, joined, recognised
from dashboard.findings.flushing import in_short
from dashboard.records.servers.models import Server
from dashboard.text.numbers import duration
from workers.servers.ask import whole
from workers.servers.look import BINLOG_OPEN
from workers.servers.replication import Peer

MOST = 1000  # attached servers; of more only those of one site are read for a page


@dataclass(frozen=True)
class AttachedNode:
    """`server`: None: not registered here. `state` is a look of a badge: passed, warned, unknown."""

    server: Server | None
    name: str
    role: str
    state: str
    says: str
    flushes: str


@dataclass(frozen=True)
class AttachedTopology:
    """`unread`: what a server did not tell, with the reason."""

    nodes: tuple[AttachedNode, ...]
    statements: tuple[TopologyStatement, ...]
    unread: tuple[str, ...]


def topology_of(server: Server) -> AttachedTopology | None:
    """None: it replicates with nobody as far as is known, and everything was read."""
    is_part = Server.objects.filter(kind=Server.Kind.ATTACHED).count() > MOST
    known = told(server.site if is_part else "")
    if server.pk not in known:
        return None
    all_joined = joined(known)
    here = all_joined.groups[server.pk]
    members = known.among(here)
    unread = tuple(f"{one.server}: {why}" for one in members.values() for why in one.replication.unread)
    if len(here) == 1 and not unread:
        return None
    if is_part:
        unread = (
            *unread,
            f"More than {MOST:,} servers are registered: only those of the site {server.site} are named.",
        )
    joins = all_joined.within(here)
    seats = _seats(known, members.values())
    nodes = [_node(key, known, joins, seats.get(key)) for key in here]
    nodes.sort(key=lambda node: (node.role != "primary", node.name))
    statements = (*of_clusters(members), *(said for link in joins for said in _of_link(link, joins, known)))
    return AttachedTopology(tuple(nodes), tuple(statements), unread)


def failovers_of(pk: int, all_joined: Joined) -> list[TopologyStatement]:
    """What is lost with this server, and by its own restart where it is a replica; [] if it replicates with nobody."""
    here, known = all_joined.groups[pk], all_joined.known
    joins = all_joined.within(here)
    found = list(of_clusters(known.among(here)))
    for link in joins:
        if link.source == pk:
            found.append(_source_lost(link, joins, known))
        if link.replica == pk and pk in known:
            found += _restarts(link, known[pk], _name(link.source, known), _name(pk, known))
    return found


def _seats(known: Known, members: Iterable[Told]) -> Mapping[Key, Peer]:
    """Each member of a group as the group names it."""
    return {
        recognised(known, one, peer) or f"{peer.host}:{peer.port}": peer
        for one in members
        for peer in one.replication.members or ()
    }


def _node(key: Key, known: Known, joins: list[ReplicationLink], seat: Peer | None) -> AttachedNode:
    one = known.get(key) if isinstance(key, int) else None
    mine = [link for link in joins if link.replica == key]
    role = "replica" if mine else "primary" if any(link.source == key for link in joins) else ""
    role = seat.role if seat and seat.role else role
    in_group = f"group member: {seat.state}" if seat else ""
    if one is None:
        says = "; ".join(filter(None, (in_group, "not registered here: its settings are unknown")))
        return AttachedNode(None, str(key), role, UNKNOWN, says, "")
    galera = f"Galera: {one.value('wsrep_local_state_comment')}" if one.galera else ""
    says = "; ".join(filter(None, (galera, in_group, *(_follows(link, known) for link in mine))))
    broken = any(_is_stopped(link) for link in mine)
    apart = (seat and seat.state != "ONLINE") or (one.galera and one.value("wsrep_cluster_status") != "Primary")
    state = "warned" if broken or apart else "passed"
    return AttachedNode(one.server, one.server.name, role, state, says, in_short(one.replication.values))


def _follows(link: ReplicationLink, known: Known) -> str:
    if link.peer is None:
        return f"{_name(link.source, known)} names it as its replica"
    error = f": {link.peer.error}" if link.peer.error else ""
    return f"{link.peer.state} {_name(link.source, known)}{', by GTID' if link.peer.by_gtid else ''}{error}"


def _name(key: Key, known: Known) -> str:
    return known[key].server.name if isinstance(key, int) else key


def _of_link(link: ReplicationLink, joins: Sequence[ReplicationLink], known: Known) -> Iterable[TopologyStatement]:
    (source, name), (replica, follower) = _end(link.source, known), _end(link.replica, known)
    yield _source_lost(link, joins, known)
    yield _all_lose_power(source, replica, name, follower)
    if replica:
        yield from _restarts(link, replica, name, follower)
        yield from _restarts_alone(link, replica, name, follower)


def _end(key: Key, known: Known) -> tuple[Told | None, str]:
    """A registered server, if it is one; and its name."""
    return known.get(key) if isinstance(key, int) else None, _name(key, known)


def _is_stopped(link: ReplicationLink) -> bool:
    return link.peer is not None and link.peer.state != "follows"


def _source_lost(link: ReplicationLink, joins: Sequence[ReplicationLink], known: Known) -> TopologyStatement:
    (source, name), (replica, follower) = _end(link.source, known), _end(link.replica, known)
    crash = f"host of {name} lost, {follower} promoted"
    if _is_stopped(link):
        says = f"{follower} does not follow {name} now: it lacks every commit since it stopped."
        return TopologyStatement(crash, "may be lost", says)
    if source is None:
        return TopologyStatement(crash, UNKNOWN, f"{name} is not registered here: how it replicates is unknown.")
    if source.value(BINLOG_OPEN) == "OFF":
        says = f"{name} has closed its binary log after an error: {follower} lacks every later commit."
        return TopologyStatement(crash, "may be lost", says)
    status, fell = source.value("rpl_semi_sync_source_status"), source.value("rpl_semi_sync_source_enabled") == "ON"
    clients, answers, timeout_ms = _semi_sync(source)
    if status == "OFF" or clients == 0 or not (status or fell):
        why = "semi-synchronous replication has fallen back to asynchronous" if fell else "replication is asynchronous"
        says = f"Acknowledged commits that no replica has received: {why}."
        word = "master" if source.flavour == "mariadb" else "source"
        return TopologyStatement(crash, "may be lost", says, (f"rpl_semi_sync_{word}_enabled=ON",))
    if status != "ON" or clients is None or answers is None or timeout_ms is None:
        says = f"The state of semi-synchronous replication on {name} could not be read."
        return TopologyStatement(crash, UNKNOWN, says)
    half = replica.value("rpl_semi_sync_replica_status") if replica else ""
    if half == "OFF":
        says = f"Commits that only another replica received: semi-synchronous replication is off on {follower}."
        return TopologyStatement(crash, "may be lost", says)
    replicas = sum(other.source == link.source for other in joins)  # as far as is known; any may answer
    able = clients if half else max(clients, replicas)
    if able > answers:
        says = (
            f"{answers} of {able} replicas received each acknowledged commit, which need not be {follower}. Promote "
            "the replica that received most."
        )
        return TopologyStatement(crash, "may be lost", says)
    wait = source.value("rpl_semi_sync_source_wait_point")
    phantoms = " Others may have read commits that are then gone (AFTER_COMMIT)." if wait == "AFTER_COMMIT" else ""
    says = (
        f"{follower} has received each acknowledged commit (semi-synchronous, {wait}). Without an answer {name} "
        f"goes on asynchronously after {duration(timeout_ms / 1000)}.{phantoms}"
    )
    return TopologyStatement(crash, "kept", says)


def _semi_sync(source: Told) -> tuple[int | None, int | None, int | None]:
    """Replicas that answer, answers that it waits for, and its timeout in milliseconds. None: unknown. A server without
    the second setting waits for one answer."""
    answers = source.replication.values.get("rpl_semi_sync_source_wait_for_replica_count", "1")
    clients, timeout_ms = source.value("rpl_semi_sync_source_clients"), source.value("rpl_semi_sync_source_timeout")
    return whole(clients), whole(answers), whole(timeout_ms)


def _all_lose_power(source: Told | None, replica: Told | None, name: str, follower: str) -> TopologyStatement:
    crash = f"power loss of {name} and {follower}, {follower} promoted"
    if replica is None:
        return TopologyStatement(crash, UNKNOWN, f"{follower} is not registered here: what it flushes is unknown.")
    rest = ""
    flushes = in_short(source.replication.values) if source else ""
    if flushes in ("1/1", "3/1"):
        rest = f" {name} keeps its commits ({flushes}): start it again instead, if it comes back."
    elif flushes:
        rest = f" {name} ({flushes}) may have lost commits too."
    every = replica.value("sync_relay_log")
    if not every:
        return TopologyStatement(crash, UNKNOWN, f"sync_relay_log of {follower} could not be read.{rest}")
    if every == "1":
        says = f"{follower} flushes its relay log after each event (sync_relay_log=1).{rest}"
        return TopologyStatement(crash, UNKNOWN, f"{says} What it had not received yet is lost there.")
    says = (
        f"Acknowledged commits that {follower} has not applied: its relay log is not flushed (sync_relay_log={every})."
    )
    return TopologyStatement(crash, "may be lost", f"{says}{rest}")


def _by_gtid(link: ReplicationLink) -> bool:
    return link.peer is not None and link.peer.by_gtid


def _drops(link: ReplicationLink, replica: Told) -> str:
    """Why a restart of the replica drops commits that it received and did not apply; "" if it keeps them."""
    if replica.value("relay_log_recovery") == "ON":
        return "relay_log_recovery=ON"
    return "MariaDB, by GTID" if _by_gtid(link) and replica.flavour == "mariadb" else ""


def _restarts_alone(link: ReplicationLink, replica: Told, name: str, follower: str) -> Iterable[TopologyStatement]:
    if drops := _drops(link, replica):
        says = f"{follower} drops commits that it received and did not apply ({drops}). Nobody else has them."
        yield TopologyStatement(f"host of {name} lost, then {follower} restarts", "may be lost", says)


def _restarts(link: ReplicationLink, replica: Told, name: str, follower: str) -> Iterable[TopologyStatement]:
    """Of the replica alone: its source goes on, and has what the replica drops."""
    recovery, by_gtid = replica.value("relay_log_recovery"), _by_gtid(link)
    is_mariadb, drops = replica.flavour == "mariadb", _drops(link, replica)
    if drops:
        dropped = f"commits that it received and did not apply ({drops})"
        says = f"{follower} drops {dropped}, and fetches them again from {name}."
        outcome = "kept" if link.peer and not _is_stopped(link) else UNKNOWN
        yield TopologyStatement(f"{follower} restarts", outcome, says)
    elif not recovery:
        yield TopologyStatement(f"{follower} restarts", UNKNOWN, f"relay_log_recovery of {follower} could not be read.")
    else:
        says = f"{follower} goes on with the relay log that it has (relay_log_recovery={recovery})."
        yield TopologyStatement(f"{follower} restarts", "kept", says)
    if link.peer is None:
        return
    flush = replica.value("innodb_flush_log_at_trx_commit")
    crash = f"power loss of {follower}"
    if by_gtid and replica.flavour == "mysql" and flush not in ("", "1"):
        says = (
            f"{follower} takes its position from its binary log, and its engine flushes less often "
            f"(innodb_flush_log_at_trx_commit={flush}): rows can be missing without an error."
        )
        yield TopologyStatement(crash, "may be lost", says, ("innodb_flush_log_at_trx_commit=1",))
    if by_gtid and flush == "0" and _leaves_gaps(replica):
        says = (
            f"{follower} applies in {replica.value('replica_parallel_threads')} threads and does not flush "
            f"(innodb_flush_log_at_trx_commit=0): recovery can leave gaps before its position, so rows can be missing "
            "without an error. gtid_strict_mode=ON makes it stop instead."
        )
        yield TopologyStatement(f"{follower} is killed", "may be lost", says, ("gtid_strict_mode=ON",))
    if not by_gtid and (is_mariadb or replica.value("relay_log_info_repository") == "FILE"):
        says = f"{follower} keeps its position in a file: commits can be applied twice or be missing without an error."
        yield TopologyStatement(crash, "may be lost", says)


def _leaves_gaps(replica: Told) -> bool:
    """docs/research/topology.md, replica-crash."""
    parallel = replica.flavour == "mariadb" and replica.value("replica_parallel_threads") not in ("", "0", "1")
    return parallel and replica.value("log_replica_updates") == "ON" != replica.value("gtid_strict_mode")
