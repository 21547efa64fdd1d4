"""A topology of nodes that vote: its steps."""

from dataclasses import replace

from workers.crash.image import witness_image
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.ground import Ground, network_of
from workers.topology.kinds.cluster.failover import fail_over
from workers.topology.kinds.cluster.membership import Membership
from workers.topology.kinds.cluster.rejoin import come_back
from workers.topology.network.measured import of_network
from workers.topology.network.network import Network
from workers.topology.nodes import NodePlan, on_each


class Cluster(Membership):
    def form(self, begun: FailoverBegun) -> Formed:
        begun.timeline.step("start nodes")
        setup = begun.setup
        network = begun.made.enter_context(network_of(setup.topology))
        first, *others = begun.ports.start_all(setup, _plans(self, begun, network), begun.made)
        begun.timeline.step("form the cluster")
        wires, used = (network.links(0), of_network(network)) if network else ((), None)
        formed = Formed(
            **vars(begun),
            primary=first,
            replicas=tuple(others),
            wires=wires,
            links=(),
            network=network,
            network_used=used,
        )
        self.gather(formed.nodes)
        on_each(formed.nodes, lambda node: node.make_durable())
        for node in formed.nodes:
            node.slow_down(setup.storage)
        return formed

    def fail_over(self, struck: Struck) -> Promoted:
        return fail_over(struck, self)

    def come_back(self, promoted: Promoted) -> Returned:
        return come_back(promoted, self)


def _plans(cluster: Membership, begun: FailoverBegun, network: Network | None) -> tuple[NodePlan, ...]:
    setup, fault = begun.setup, begun.fault
    image = witness_image(setup.root, setup.build, setup.engine, setup.user)
    ground = Ground(setup.root, setup.build, setup.topology, setup.settings, image, setup.user, network)
    first, *others = cluster.at_once(cluster.plans(ground))
    slow = setup.storage is not None
    return (
        replace(first, on_disk=slow or fault.primary_needs_disk),
        *(replace(other, on_disk=slow or fault.replicas_need_disk) for other in others),
    )
