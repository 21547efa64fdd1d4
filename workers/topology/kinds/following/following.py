"""A topology of a primary and replicas that follow it: its steps, and those in which nobody takes over."""

from dataclasses import replace
from typing import Literal

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica_link import Link
from workers.errors import AccessDenied, DurascopeError, MissingPrivilege, ServerEnded, ServerError, Unreachable
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.kinds.following.failover import fail_over
from workers.topology.kinds.following.form import form
from workers.topology.kinds.following.rejoin import come_back
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.nodes import Node
from workers.topology.takeover import compared, counted_again, refused, take_over

AFTER_CRASH, AFTER_RESTART = "after its crash", "after the primary started again"
LIMIT_S = 120.0
GO_ON_S = 0.2  # clients commit on: the replica has something to catch up with


class Following(SourceAndReplica):
    def form(self, begun: FailoverBegun) -> Formed:
        return form(begun, self)

    def fail_over(self, struck: Struck) -> Promoted:
        if struck.fault.spares_primary:
            return go_on(struck)
        return start_again(struck) if is_meant(struck) else fail_over(struck)

    def come_back(self, promoted: Promoted) -> Returned:
        if promoted.fault.spares_primary:
            return replicas_return(promoted)
        return replicas_follow(promoted) if is_meant(promoted) else come_back(promoted, self)


def is_meant(struck: Struck) -> bool:
    return struck.setup.policy.promote == "nobody" and struck.fault.primary_down


def start_again(struck: Struck) -> Promoted:
    """Replicas that start again receive again before clients come: a semi-synchronous primary waits for them. Raises
    ServerEnded when the primary does not start."""
    clock = struck.ports.clock
    began = clock()
    struck.timeline.step("primary returns")
    for number, node in enumerate(struck.nodes):
        if struck.fault.ends(number):
            node.restart({})
    recovery_s = clock() - began
    for wire in struck.wires:
        wire.heal()
    for number, link in enumerate(struck.links, start=1):
        if struck.fault.ends(number):
            _refusal(link, "IO_THREAD")  # it is told when the replica follows
    return take_over(struck, struck.primary, began=began, recovery_s=recovery_s)


def go_on(struck: Struck) -> Promoted:
    """Nobody takes over: clients commit on the primary while the replicas are down or paused."""
    struck.ports.sleep(GO_ON_S)
    struck.outlast_pause(GO_ON_S)
    struck.hear()
    return take_over(counted_again(struck), struck.primary, began=struck.ports.clock())


def replicas_follow(promoted: Promoted) -> Returned:
    promoted.timeline.step("replicas follow")
    pairs = zip(promoted.replicas, promoted.links, strict=True)
    others = tuple((node.name, followed(promoted, node, link, AFTER_RESTART)) for node, link in pairs)
    return Returned(**vars(promoted), others=others)


def replicas_return(promoted: Promoted) -> Returned:
    """Those whose disks are lost stay away."""
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
        follows = link.follow_to_rest(LIMIT_S)
        if follows.state != "caught up":
            return replace(refused(node, follows.state, follows.error, promoted.secret), moment=moment)
        return replace(compared(promoted.primary, node, promoted.secret), moment=moment)
    except ServerEnded as ended:
        return ReplicaSeen(moment, "stopped", ended.message)
    except DurascopeError as failure:
        return ReplicaSeen(moment, "unknown", str(failure))


def _refusal(link: Link, thread: Literal["", "IO_THREAD"] = "") -> str:
    """The replica's own words when it refuses to start replication, as with error 1872; "" when it starts."""
    try:
        link.tell("START", thread)
    except (Unreachable, AccessDenied, MissingPrivilege):
        raise
    except ServerError as answer:
        return answer.message
    return ""
