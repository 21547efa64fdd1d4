"""A replica crashed while it applied: the primary goes on, the replica comes back, and all rows are compared."""

from dataclasses import replace

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica_link import Link
from workers.errors import DurascopeError, ServerEnded
from workers.topology.chain import Promoted, Returned, Struck
from workers.topology.nodes import Node
from workers.topology.takeover import compared, refused, take_over

AFTER_CRASH = "after its crash"
LIMIT_S = 60.0


def go_on(struck: Struck) -> Promoted:
    """Nobody takes over: clients commit on the primary while the replica is down."""
    return take_over(struck, struck.primary, began=struck.ports.clock(), detection_s=0.0)


def come_back(promoted: Promoted) -> Returned:
    promoted.timeline.step("replica returns")
    crashed, *others = zip(promoted.replicas, promoted.links, strict=True)
    rejoined = _followed(promoted, *crashed)
    return Returned(
        **vars(promoted),
        returns=False,
        old=None,
        stays_down="",
        rejoined=rejoined,
        others=tuple((node.name, _followed(promoted, node, link)) for node, link in others),
    )


def _followed(promoted: Promoted, node: Node, link: Link) -> ReplicaSeen:
    """A replica that crashed starts and goes on from the position that it finds. Raises no DurascopeError: a failure
    makes the state unknown, and `error` says why."""
    try:
        if not node.sandbox.running:
            node.restart({})
            link.tell("START")
        followed = link.follow(LIMIT_S)
        if followed.state != "caught up":
            return replace(refused(node, followed.state, followed.error, promoted.secret), moment=AFTER_CRASH)
        return replace(compared(promoted.primary, node, promoted.secret), moment=AFTER_CRASH)
    except ServerEnded as ended:
        return ReplicaSeen(AFTER_CRASH, "stopped", ended.message)
    except DurascopeError as failure:
        return ReplicaSeen(AFTER_CRASH, "unknown", str(failure))
