"""The old primary comes back and follows the new one."""

from collections.abc import Mapping

from workers.crash import compare_tables, dialects
from workers.crash.evidence import ReplicaSeen
from workers.crash.replica import SCHEMA
from workers.crash.replica_link import Link
from workers.errors import DurascopeError, ServerEnded
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Promoted, Returned
from workers.topology.failover import read
from workers.topology.nodes import Node

REJOIN = "as a replica of the new primary"
LIMIT_S = 30.0


def come_back(promoted: Promoted) -> Returned:
    """A policy without a return leaves all of it unknown."""
    others = tuple((node.name, _joined(promoted, node)) for node in promoted.replicas if node is not promoted.new)
    if promoted.setup.policy.old_primary == "stays away":
        return Returned(**vars(promoted), old=None, stays_down="", rejoined=None, others=others)
    promoted.timeline.step("old primary returns")
    try:
        promoted.primary.restart(_as(promoted))
    except ServerEnded as ended:
        return Returned(**vars(promoted), old=None, stays_down=ended.message, rejoined=None, others=others)
    old, problems = read(promoted.primary, promoted.secret)
    known = {**vars(promoted), "problems": (*promoted.problems, *problems)}
    return Returned(**known, old=old, stays_down="", rejoined=_joined(promoted, promoted.primary), others=others)


def _as(promoted: Promoted) -> Mapping[str, str]:
    """Settings of the return: by the policy."""
    if promoted.setup.policy.old_primary == "as it was":
        return {}
    as_replica = promoted.kind.settings(promoted.setup.topology, promoted.setup.build, "replica")
    as_primary = promoted.kind.settings(promoted.setup.topology, promoted.setup.build, "primary")
    off = {name: "OFF" for name in as_primary if name.endswith("_enabled")}
    return {**off, **as_replica, "init_rpl_role": "SLAVE"}


def _joined(promoted: Promoted, node: Node) -> ReplicaSeen:
    """Raises no DurascopeError: a failure makes the state unknown, and `error` says why."""
    link = Link(promoted.new.sandbox, node.sandbox)
    try:
        _demote(promoted, link)
        link.start()
        followed = link.follow(LIMIT_S)
        if followed.state != "caught up":
            return ReplicaSeen(REJOIN, followed.state, followed.error)
        with connect(link.source.target) as source, connect(link.follower.target) as follower:
            left, right = (compare_tables.read_rows(one, SCHEMA) for one in (source, follower))
    except DurascopeError as failure:
        return ReplicaSeen(REJOIN, "unknown", str(failure))
    found = compare_tables.difference(left, right)
    return ReplicaSeen(
        REJOIN, "caught up", "", found.rows, only_source=found.first_left, only_follower=found.first_right
    )


def _demote(promoted: Promoted, link: Link) -> None:
    """A former primary goes on from its own position, and waits for no replica any more."""
    dialect = dialects.of(promoted.setup.build)
    with connect(link.follower.target) as connection:
        promoted.kind.retire(connection)
        if dialect.demote and link.follower is promoted.primary.sandbox:
            ask.rows(connection, dialect.demote, [link.written(connection)])
