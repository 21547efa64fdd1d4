"""The primary crashed and starts again in place: nobody takes over, and its replicas go on with it."""

from workers.topology.chain import Promoted, Returned, Struck
from workers.topology.kinds.following.replica_crash import followed
from workers.topology.takeover import take_over

AFTER_RESTART = "after the primary started again"


def is_meant(struck: Struck) -> bool:
    return struck.setup.policy.promote == "nobody" and struck.fault.primary_down


def start_again(struck: Struck) -> Promoted:
    """Raises ServerEnded when the primary does not start."""
    clock = struck.ports.clock
    began = clock()
    struck.timeline.step("primary returns")
    for number, node in enumerate(struck.nodes):
        if struck.fault.ends(number):
            node.restart({})
    recovery_s = clock() - began
    for wire in struck.wires:
        wire.heal()
    return take_over(struck, struck.primary, began=began, recovery_s=recovery_s)


def replicas_follow(promoted: Promoted) -> Returned:
    promoted.timeline.step("replicas follow")
    pairs = zip(promoted.replicas, promoted.links, strict=True)
    others = tuple((node.name, followed(promoted, node, link, AFTER_RESTART)) for node, link in pairs)
    return Returned(**vars(promoted), others=others)
