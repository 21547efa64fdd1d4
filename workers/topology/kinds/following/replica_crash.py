"""Replicas crashed while they applied, were paused or parted from the primary: it goes on, they come back, and rows are
compared. Those whose disks are lost stay away."""

from dataclasses import replace

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica_link import Link
from workers.errors import AccessDenied, DurascopeError, MissingPrivilege, ServerEnded, ServerError, Unreachable
from workers.topology.chain import Promoted, Returned, Struck
from workers.topology.nodes import Node
from workers.topology.takeover import compared, counted_again, refused, take_over

AFTER_CRASH = "after its crash"
LIMIT_S = 60.0
GO_ON_S = 0.2  # clients commit on: the replica has something to catch up with


def go_on(struck: Struck) -> Promoted:
    """Nobody takes over: clients commit on the primary while the replicas are down or paused."""
    struck.ports.sleep(GO_ON_S)
    struck.outlast_pause(GO_ON_S)
    struck.hear()
    return take_over(counted_again(struck), struck.primary, began=struck.ports.clock())


def come_back(promoted: Promoted) -> Returned:
    promoted.timeline.step("replica returns")
    for wire in promoted.wires:
        wire.heal()
    pairs = zip(promoted.replicas, promoted.links, strict=True)
    found = {node.name: followed(promoted, node, link) for node, link in pairs if node in promoted.returning}
    hit = found.pop(promoted.hit.name, None)
    return Returned(**vars(promoted), rejoined=hit, others=tuple(found.items()))


def followed(promoted: Promoted, node: Node, link: Link, moment: str = AFTER_CRASH) -> ReplicaSeen:
    """A replica that crashed starts, and each replica goes on from the position that it finds. Raises no
    DurascopeError: a failure makes the state unknown, and `error` says why."""
    try:
        if not node.sandbox.running:
            node.restart({})
        if refusal := _refusal(link):
            return replace(refused(node, "stopped", refusal, promoted.secret), moment=moment)
        follows = link.follow(LIMIT_S)
        if follows.state != "caught up":
            return replace(refused(node, follows.state, follows.error, promoted.secret), moment=moment)
        return replace(compared(promoted.primary, node, promoted.secret), moment=moment)
    except ServerEnded as ended:
        return ReplicaSeen(moment, "stopped", ended.message)
    except DurascopeError as failure:
        return ReplicaSeen(moment, "unknown", str(failure))


def _refusal(link: Link) -> str:
    """The replica's own words when it refuses to start replication, as with error 1872; "" when it starts."""
    try:
        link.tell("START")
    except (Unreachable, AccessDenied, MissingPrivilege):
        raise
    except ServerError as answer:
        return answer.message
    return ""
