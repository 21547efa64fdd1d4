"""The interface of a fault.

When the host of a node is lost, the order matters: first the network, so that what is on the wire is lost; then the
server is frozen; then the answers that are already on their way to the clients are read; then the connections are cut
and the server is killed. A server that is killed on a host that lives still has its kernel, which sends what was
written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workers.sandbox.disk import ability
from workers.topology.network.link import NodeLink
from workers.topology.network.wires import Wire
from workers.topology.nodes import Node
from workers.topology.topology import Topology


@dataclass(frozen=True)
class FaultScene:
    """The running topology. `wires`: from each replica to the primary. `hear()`: read the last answers of the clients
    of the primary, which send nothing more. `acknowledged()`: commits that they know of so far. `one_way_s`: of the
    wires. `step(name)` begins a step of the time line."""

    primary: Node
    replicas: Sequence[Node]
    wires: Sequence[Wire | NodeLink]
    hear: Callable[[], None]
    acknowledged: Callable[[], int]
    one_way_s: float
    seed: int
    step: Callable[[str], None]

    def partition(self) -> None:
        for wire in self.wires:
            wire.partition()

    def cut(self) -> None:
        for wire in self.wires:
            wire.cut()

    def hear_and_cut(self) -> None:
        self.hear()
        self.cut()


class Fault:
    """`..._needs_disk`: a disk that can lose power. `..._down`: ended by the fault. `harmless`: nothing may be lost,
    whatever the replication: the negative control. `needs_wires`: between the primary and the others. `of_clusters`:
    has no meaning for replicas that follow a primary. `of_replica`: the first replica crashes and comes back; nobody
    takes over."""

    key: str
    title: str
    says: str
    primary_needs_disk = False
    replicas_need_disk = False
    primary_down = True
    replicas_down = False
    harmless = False
    needs_wires = False
    of_clusters = False
    of_replica = False

    def missing(self) -> str:
        """Why it is not available on this host and what to do; "" when it is."""
        return ability.missing() if self.primary_needs_disk or self.replicas_need_disk else ""

    def tried_on(self, topology: Topology) -> Topology:
        """The topology of the trial; a control may need another one."""
        return topology

    def strike(self, scene: FaultScene) -> None:
        raise NotImplementedError
