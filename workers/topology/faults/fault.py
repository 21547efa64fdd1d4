"""The interface of a fault.

When the host of a node is lost, the order matters: first the network, so that what is on the wire is lost; then the
server is frozen; then the answers that are already on their way to the clients are read; then the connections are cut
and the server is killed. A server that is killed on a host that lives still has its kernel, which sends what was
written.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workers.crash.kinds.kind import Control
from workers.sandbox.disk import ability
from workers.topology.network.link import NodeLink
from workers.topology.network.wires import Wire
from workers.topology.nodes import Node
from workers.topology.policy import MOST_REPLICAS
from workers.topology.topology import Topology


@dataclass(frozen=True)
class FaultScene:
    """The running topology. `wires_of(n)`: of node n with the others; 0 is the primary. `hear()`: read the last answers
    of the clients of the primary, which send nothing more. `acknowledged()`: commits that they know of so far.
    `one_way_s`: of the wires. `step(name)` begins a step of the time line. `later(seconds, act)`: act at that time,
    unless the trial has ended. `pause_s`: how long a pause takes."""

    nodes: Sequence[Node]  # the primary first
    wires_of: Callable[[int], Sequence[Wire | NodeLink]]
    hear: Callable[[], None]
    acknowledged: Callable[[], int]
    one_way_s: float
    step: Callable[[str], None]
    later: Callable[[float, Callable[[], None]], None]
    pause_s: float

    @property
    def primary(self) -> Node:
        return self.nodes[0]

    @property
    def replicas(self) -> Sequence[Node]:
        return self.nodes[1:]

    def partition(self, numbers: Iterable[int] = (0,)) -> None:
        """Of each of these nodes from all others."""
        for wire in self._wires(numbers):
            wire.partition()

    def part(self, numbers: Iterable[int]) -> None:
        """These nodes from the others. A wire that two of them have joins them to each other, and stays whole."""
        wires = self._wires(numbers)
        for wire in wires:
            if wires.count(wire) == 1:
                wire.partition()

    def cut(self, numbers: Iterable[int] = (0,)) -> None:
        for wire in self._wires(numbers):
            wire.cut()

    def _wires(self, numbers: Iterable[int]) -> list[Wire | NodeLink]:
        return [wire for number in numbers for wire in self.wires_of(number)]


class Fault:
    """`..._needs_disk`: a disk that can lose power. `..._down`: ended by the fault. `control`: of the self-test of
    the checks. `needs_wires`: between the primary and the others. `of_clusters`: has no meaning for replicas that
    follow a primary. `spares_primary`: it is not struck, and nobody takes over; `of_replica`: replicas that are struck
    without it come back. `for_good`: the disks of the struck nodes do not come back. `pauses`: nodes are frozen for a
    while. `comes_back`: by itself, once the fault is over."""

    key: str
    title: str
    says: str
    primary_needs_disk = False
    replicas_need_disk = False
    primary_down = True
    replicas_down = False
    control: Control = ""
    needs_wires = False
    of_clusters = False
    spares_primary = False
    of_replica = False
    for_good = False
    pauses = False
    comes_back = False

    @property
    def harmless(self) -> bool:
        """Nothing may be lost, whatever the replication."""
        return self.control == "must hold"

    def strikes(self, node: int) -> bool:
        """Node 0 is the primary, node 1 the first replica."""
        return self.ends(node)

    def ends(self, node: int) -> bool:
        return self.replicas_down if node else self.primary_down

    @property
    def judged(self) -> int:
        """The node whose return is judged: the primary, or the first replica that is struck without it."""
        return next(node for node in range(1, MOST_REPLICAS + 1) if self.strikes(node)) if self.of_replica else 0

    def misfits(self, topology: Topology) -> list[str]:
        """Why this topology has not the nodes for it; empty when it has."""
        return []

    def missing(self) -> str:
        """Why it is not available on this host and what to do; "" when it is."""
        return ability.missing() if self.primary_needs_disk or self.replicas_need_disk else ""

    def tried_on(self, topology: Topology) -> Topology:
        """The topology of the trial; a control may need another one."""
        return topology

    def strike(self, scene: FaultScene) -> None:
        raise NotImplementedError
