"""A topology of a primary and replicas that follow it: its steps."""

from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.kinds.following import replica_crash
from workers.topology.kinds.following.failover import fail_over
from workers.topology.kinds.following.form import form
from workers.topology.kinds.following.rejoin import come_back
from workers.topology.kinds.following.replica_crash import followed
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.takeover import take_over

AFTER_RESTART = "after the primary started again"


class Following(SourceAndReplica):
    def form(self, begun: FailoverBegun) -> Formed:
        return form(begun, self)

    def fail_over(self, struck: Struck) -> Promoted:
        if struck.fault.spares_primary:
            return replica_crash.go_on(struck)
        return start_again(struck) if is_meant(struck) else fail_over(struck)

    def come_back(self, promoted: Promoted) -> Returned:
        if promoted.fault.spares_primary:
            return replica_crash.come_back(promoted)
        return replicas_follow(promoted) if is_meant(promoted) else come_back(promoted, self)


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
