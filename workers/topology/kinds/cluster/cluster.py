"""A topology of nodes that vote: its steps."""

from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.kinds.cluster.failover import fail_over
from workers.topology.kinds.cluster.membership import Membership
from workers.topology.kinds.cluster.rejoin import come_back


class Cluster(Membership):
    def form(self, begun: FailoverBegun) -> Formed:
        begun.timeline.step("start nodes")
        first, *others = begun.ports.start_all(begun.setup, self.plans(begun), begun.made)
        begun.timeline.step("form the cluster")
        formed = Formed(**vars(begun), primary=first, replicas=tuple(others), wires=(), links=())
        self.assemble(formed)
        for node in formed.nodes:
            node.make_durable()
        return formed

    def fail_over(self, struck: Struck) -> Promoted:
        return fail_over(struck, self)

    def come_back(self, promoted: Promoted) -> Returned:
        return come_back(promoted, self)
