"""Nodes that vote: what differs between Galera and Group Replication."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.topology.chain import FailoverBegun, Formed
from workers.topology.faults import Fault
from workers.topology.kinds.kind import TopologyKind
from workers.topology.nodes import Node, NodePlan
from workers.topology.policy import FailoverPolicy
from workers.topology.topology import Topology


@dataclass(frozen=True)
class Position:
    """How far a node came: `order` compares nodes, `text` is the server's own notation."""

    order: int
    text: str


class Membership(TopologyKind):
    """`causal_read`: a statement after which a session reads all that was committed on any node before."""

    least_replicas = 2
    causal_read: str

    def problems(self, topology: Topology, build: Build) -> list[str]:
        found = {
            "The nodes of a cluster have no delay between them here: leave rtt out.": topology.rtt_ms > 0,
            "All nodes of a cluster have the settings of the variant: leave replica settings out.": bool(
                topology.replica_settings
            ),
            "The nodes of a cluster always apply: leave behind out.": not topology.applying,
        }
        return [why for why, is_so in found.items() if is_so]

    def misfits(self, fault: Fault, policy: FailoverPolicy) -> list[str]:
        found = {
            f"{fault.title}: the nodes of a cluster have no wires that could be cut.": fault.needs_wires,
            f"{policy.title}: the nodes of a cluster have no relay log that a failover script could drop.": (
                policy.relay_log == "stop receiving, then apply"
            ),
            f"{policy.title}: a cluster shuts off its lost nodes by itself.": not policy.fence,
            f"{policy.title}: a node of a cluster always returns as what it was.": policy.old_primary == "as a replica",
        }
        return [why for why, is_so in found.items() if is_so]

    def plans(self, begun: FailoverBegun) -> tuple[NodePlan, ...]:
        """One for each node, the first one first. Raises SandboxError or ServerError."""
        raise NotImplementedError

    def assemble(self, formed: Formed) -> None:
        """The running nodes become one cluster."""
        raise NotImplementedError

    def members(self, connection: Connection) -> int:
        """How many nodes this one counts as present, itself included; 0: it has no majority."""
        raise NotImplementedError

    def revive(self, node: Node) -> Position:
        """Start a node that is down by itself, so that its rows can be read. ServerEnded: it does not start."""
        raise NotImplementedError

    def bootstrap(self, node: Node, position: Position) -> None:
        """A revived node becomes the first one of a new cluster."""
        raise NotImplementedError

    def force(self, node: Node) -> None:
        """A node that has lost the majority goes on by itself."""
        raise NotImplementedError

    def join(self, node: Node) -> None:
        """A revived node joins the others and catches up. ServerEnded or ServerError: it refuses."""
        raise NotImplementedError


def node_plan(
    begun: FailoverBegun,
    number: int,
    settings: Mapping[str, str],
    additions: Additions,
    image: str = "",
    at_first: Mapping[str, str] | None = None,
) -> NodePlan:
    """Of node `number`, counted from 1."""
    fault = begun.fault
    return NodePlan(
        name=f"node {number}",
        build=begun.setup.build,
        settings={**settings, "server_id": str(number)},
        on_disk=fault.primary_needs_disk if number == 1 else fault.replicas_need_disk,
        additions=additions,
        image=image,
        at_first=at_first or {},
    )
