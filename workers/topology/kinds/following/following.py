"""A topology of a primary and replicas that follow it: its steps."""

from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.kinds.following import in_place, replica_crash
from workers.topology.kinds.following.failover import fail_over
from workers.topology.kinds.following.form import form
from workers.topology.kinds.following.rejoin import come_back
from workers.topology.kinds.following.replication import SourceAndReplica


class Following(SourceAndReplica):
    def form(self, begun: FailoverBegun) -> Formed:
        return form(begun, self)

    def fail_over(self, struck: Struck) -> Promoted:
        if struck.fault.spares_primary:
            return replica_crash.go_on(struck)
        return in_place.start_again(struck) if in_place.is_meant(struck) else fail_over(struck)

    def come_back(self, promoted: Promoted) -> Returned:
        if promoted.fault.spares_primary:
            return replica_crash.come_back(promoted)
        return in_place.replicas_follow(promoted) if in_place.is_meant(promoted) else come_back(promoted, self)
