"""Nodes that vote: what differs between Galera and Group Replication."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workers.errors import SandboxError, ServerEnded, ServerError
from workers.host.until import until
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.topology.faults import Fault
from workers.topology.ground import Ground
from workers.topology.kinds.kind import ServerVersion, TopologyKind
from workers.topology.nodes import Node, NodePlan
from workers.topology.topology import Topology

BACK_S, POLL_S = 90.0, 0.02
# Of a transactional table: MySQL's group orders no other reads.
ANY_ROW = "SELECT 1 FROM mysql.user LIMIT 1"


@dataclass(frozen=True)
class Position:
    """How far a node came: `order` compares nodes, `text` is the server's own notation."""

    order: int
    text: str


class Membership(TopologyKind):
    """`causal_read`: a statement after which a session reads all that was committed on any node before. `executed`: a
    query for the transactions that a node has executed; "": only their number is known."""

    least_replicas = 2
    causal_read: str
    executed = ""

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        found = {
            "The nodes of a cluster always apply: leave behind out.": not topology.applying,
            "The nodes of a cluster are equally far from each other: leave first-rtt out.": (
                topology.first_rtt_ms is not None
            ),
            "The nodes of a cluster follow nobody: leave position and keyless out.": (
                topology.position != "gtid" or not topology.keys
            ),
        }
        return [why for why, is_so in found.items() if is_so]

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        policy = topology.policy
        found = {
            f"{fault.title}: the clients must be on the first node, which nobody hears: leave writers out.": (
                fault.comes_back and topology.writers != "first"
            ),
            f"{policy.title}: the nodes of a cluster have no relay log that a failover script could drop.": (
                policy.relay_log == "stop receiving, then apply"
            ),
            f"{policy.title}: a cluster promotes by itself.": policy.by_manager,
            f"{policy.title}: the nodes of a cluster are compared by what they executed anyway.": (
                policy.promote == "most executed"
            ),
            f"{policy.title}: the other nodes of a cluster go on without the lost one.": policy.promote == "nobody",
            f"{policy.title}: a cluster shuts off its lost nodes by itself.": not policy.fence,
            f"{policy.title}: a node of a cluster always returns as what it was.": (
                policy.old_primary in ("as a replica", "rebuilt")
            ),
        }
        return super().misfits(topology, fault) + [why for why, is_so in found.items() if is_so]

    def plans(self, ground: Ground) -> tuple[NodePlan, ...]:
        """One for each node, the first one first. Raises SandboxError or ServerError."""
        raise NotImplementedError

    def at_once(self, plans: Sequence[NodePlan]) -> Sequence[NodePlan]:
        """For nodes that all start at one moment; `gather` comes next."""
        return plans

    def gather(self, nodes: Sequence[Node]) -> None:
        """The nodes of `at_once` become one cluster."""
        self.assemble(nodes)

    def completed(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        """With the settings that these imply. A load restarts a node with the variant's settings after `plans`."""
        return settings

    def assemble(self, nodes: Sequence[Node]) -> None:
        """Nodes that run by themselves become one cluster."""
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

    def force(self, nodes: Sequence[Node]) -> None:
        """All nodes that still run, without a majority, go on by themselves."""
        raise NotImplementedError

    def wait_until_back(self, node: Node, members: int) -> None:
        """A node that was parted from the others, or paused, is one of so many again, and has caught up. ServerEnded or
        SandboxError: it does not come back by itself."""
        wait(node, lambda: self._is_back(node, members), "it was back", BACK_S)

    def _is_back(self, node: Node, members: int) -> bool:
        """A node that was expelled counts the others at once, and only later learns that it is none of them any more.
        So a read must be answered that goes through the cluster."""
        try:
            with connect(node.sandbox.target) as connection:
                ask.rows(connection, self.causal_read)
                ask.rows(connection, ANY_ROW)
                return self.members(connection) == members
        except ServerError:
            return False

    def join(self, node: Node, position: str) -> None:
        """A revived node joins the others and catches up. `position`: that of its revival. ServerEnded or ServerError:
        it refuses."""
        raise NotImplementedError


def wait(node: Node, is_so: Callable[[], bool], what: str, limit_s: float) -> None:
    """ServerEnded: the node ended by itself meanwhile. SandboxError: it took too long."""

    def must_run() -> None:
        if not node.sandbox.running:
            said = " ".join(node.sandbox.log_text.splitlines()[-8:])
            raise ServerEnded(f"{node.name} ended before {what}. Its error log ends with: {said}")

    if not until(is_so, limit_s, POLL_S, must_run):
        raise SandboxError(f"After {limit_s:g} s {what} was still to come on {node.name}.", "See its error log.")
