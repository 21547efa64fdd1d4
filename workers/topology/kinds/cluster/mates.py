"""The other nodes of a cluster under load. They have the settings of the variant, as in a failover trial."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace

from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.ground import Ground, network_of
from workers.topology.kinds.cluster.membership import ANY_ROW, Membership
from workers.topology.nodes import Companion, Node, NodePlan, on_each


class ClusterMates:
    """See workers.topology.companions.Companions."""

    data_of_no_use = True

    def __init__(self, kind: Membership, ground: Ground) -> None:
        self._kind, self._ground = kind, ground
        self._nodes: tuple[Node, ...] = ()
        with ExitStack() as made:  # a plan may be refused, and then nobody closes the network
            network = made.enter_context(network_of(ground.topology))
            self.first, *self._others = kind.plans(replace(ground, network=network))
            self._made = made.pop_all()

    @property
    def others(self) -> tuple[Companion, ...]:
        each = self._ground.topology.settings_of_each
        return tuple(
            Companion(node.sandbox.target, frozenset(own))
            for node, own in zip(self._nodes[1:], each, strict=False)  # none before attach
        )

    @property
    def sandboxes(self) -> tuple[Sandbox, ...]:
        return tuple(node.sandbox for node in self._nodes[1:])

    def attach(self, first: Sandbox) -> None:
        others = tuple(self._start(plan) for plan in self._others)
        self._nodes = (Node(self.first.name, first, None, self.first.settings), *others)
        self._kind.assemble(self._nodes)

    def restart(self, settings: Mapping[str, str], while_down: Callable[[], None]) -> None:
        """The cluster is formed anew, as at first."""
        self.catch_up()
        plans = zip((self.first, *self._others), ({}, *self._ground.topology.settings_of_each), strict=True)
        self._nodes = tuple(
            replace(node, settings=self._kind.completed({**plan.settings, **settings, **own}))
            for node, (plan, own) in zip(self._nodes, plans, strict=True)
        )
        on_each(self._nodes, lambda node: node.sandbox.stop())
        while_down()
        on_each(self._nodes, lambda node: node.restart(self.first.at_first))
        self._kind.assemble(self._nodes)

    def catch_up(self) -> None:
        for node in self._nodes:
            with connect(node.sandbox.target) as connection:
                ask.rows(connection, self._kind.causal_read)
                ask.rows(connection, ANY_ROW)

    def close(self) -> None:
        self._made.close()

    def _start(self, plan: NodePlan) -> Node:
        sandbox = self._made.enter_context(plan.start(self._ground.root, self._ground.user))
        return Node(plan.name, sandbox, None, plan.settings)
