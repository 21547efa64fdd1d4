"""The old primary comes back and follows the new one."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workers.crash import dialects
from workers.crash.evidence import ReplicaSeen
from workers.crash.inspect import BinlogPlace, read_binlog
from workers.crash.replica import SCHEMA
from workers.crash.replica_link import Link
from workers.crash.transactions import Keys, client_of
from workers.crash.twin import twin
from workers.errors import DurascopeError, ServerEnded, reason
from workers.sandbox.options import BINLOG_BASE
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.gtid import reissued
from workers.topology.chain import Promoted, Returned
from workers.topology.evidence import GtidsSeen
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.nodes import Node
from workers.topology.reconnected import FIRST
from workers.topology.takeover import REJOIN, compared, read, refused

LIMIT_S = 120.0
BINLOG_INDEX = f"{BINLOG_BASE}.index"


def come_back(promoted: Promoted, kind: SourceAndReplica) -> Returned:
    """A policy without a return leaves all of it unknown."""
    others = tuple(
        (node.name, _joined(promoted, kind, node))
        for node in promoted.returning
        if node not in (promoted.primary, promoted.new)
    )
    if promoted.primary not in promoted.returning:
        return Returned(**vars(promoted), others=others)
    promoted.timeline.step("old primary returns")
    gtids, unread = _gtids(promoted)
    known = {**vars(promoted), "others": others, "returns": True, "gtids": gtids}
    known["problems"] = (*promoted.problems, *unread)
    if promoted.setup.policy.old_primary == "rebuilt":
        return Returned(**known, rejoined=_rebuilt(promoted, kind))
    try:
        promoted.primary.restart(_as(promoted, kind))
    except ServerEnded as ended:
        return Returned(**known, stays_down=ended.message)
    except DurascopeError as failure:
        known["problems"] += (str(failure),)
        return Returned(**known, stays_down=None)
    old, problems = read(promoted.primary, promoted.secret)
    known["problems"] += problems
    return Returned(**known, old=old, rejoined=_joined(promoted, kind, promoted.primary))


def _gtids(promoted: Promoted) -> tuple[GtidsSeen | None, tuple[str, ...]]:
    """As the crash left the old primary's binlog. None, and why, when one of the two cannot be read."""
    try:
        old, new = (
            read_binlog(BinlogPlace(node.sandbox.datadir / BINLOG_INDEX), SCHEMA, promoted.secret).gtids
            for node in (promoted.primary, promoted.new)
        )
    except (DurascopeError, OSError) as failure:
        return None, (f"the binlogs could not be compared: {reason(failure)}",)
    errant = tuple(gtid for gtid in old if gtid not in new)
    named: Keys = np.unique(np.fromiter(new.values(), dtype=np.int64))
    ours = (named > 0) & (client_of(named) < FIRST)
    return GtidsSeen(reissued(old, new), errant, named[ours]), ()


def _rebuilt(promoted: Promoted, kind: SourceAndReplica) -> ReplicaSeen:
    """A copy of the new primary under the old one's name and settings, as from a backup that was taken just now. Raises
    no DurascopeError."""
    old, new = promoted.primary, promoted.new.sandbox
    settings = {**old.settings, **_off(promoted, kind)}
    try:
        copy = promoted.made.enter_context(twin(new, promoted.setup.root, settings, other_id=True))
    except DurascopeError as failure:
        return ReplicaSeen(REJOIN, "unknown", str(failure))
    return _joined(promoted, kind, replace(old, sandbox=copy, disk=None))


def _as(promoted: Promoted, kind: SourceAndReplica) -> Mapping[str, str]:
    """Settings of the return: by the policy."""
    if promoted.setup.policy.old_primary == "as it was":
        return {}
    as_replica = kind.settings(promoted.setup.topology, promoted.setup.build, "replica")
    own = promoted.setup.topology.replica_settings
    return {**_off(promoted, kind), **as_replica, **own, "init_rpl_role": "SLAVE"}


def _off(promoted: Promoted, kind: SourceAndReplica) -> Mapping[str, str]:
    """The primary's half of the replication is off."""
    as_primary = kind.settings(promoted.setup.topology, promoted.setup.build, "primary")
    return {name: "OFF" for name in as_primary if name.endswith("_enabled")}


def _joined(promoted: Promoted, kind: SourceAndReplica, node: Node) -> ReplicaSeen:
    """Raises no DurascopeError: a failure makes the state unknown, and `error` says why."""
    link = Link(promoted.new.sandbox, node.sandbox)
    try:
        if node is not promoted.primary:
            promoted.outlast_pause(0)
        if not node.sandbox.running:
            node.restart({})
        _demote(promoted, kind, link)
        link.start()
        followed = link.follow_to_rest(LIMIT_S)
        if followed.state != "caught up":
            return refused(node, followed.state, followed.error, promoted.secret)
        return replace(compared(promoted.new, node, promoted.secret), errant=link.errant())
    except ServerEnded as ended:
        return ReplicaSeen(REJOIN, "stopped", ended.message)
    except DurascopeError as failure:
        return refused(node, "unknown", str(failure), promoted.secret)


def _demote(promoted: Promoted, kind: SourceAndReplica, link: Link) -> None:
    """A former primary goes on from its own position, and waits for no replica any more."""
    dialect = dialects.of(promoted.setup.build)
    with connect(link.follower.target) as connection:
        kind.retire(connection)
        if dialect.demote and all(link.follower is not replica.sandbox for replica in promoted.replicas):
            ask.rows(connection, dialect.demote, [link.written(connection)])
