"""A network of nodes that tell each other their addresses, as the nodes of a cluster do.

with Network(3, one_way_ms=5.0) as network:
    Sandbox.create(..., namespace=network.nodes[0])
    network.link(0, 1).partition()
"""

from itertools import combinations
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.namespace import Namespace
from workers.sandbox.owner import Removable
from workers.topology.network import netem
from workers.topology.network.child import NetworkProcess
from workers.topology.network.link import NodeLink, microseconds
from workers.topology.network.netem import NetemLink
from workers.topology.network.packets import PREFIX

MOST_NODES = 9


class _TunnelLink(NodeLink):
    def __init__(self, child: NetworkProcess, ends: tuple[int, int]) -> None:
        self._child, self._ends = child, ends

    def delay(self, one_way_ms: float) -> None:
        self._child.ask("delay", *self._ends, microseconds(one_way_ms))

    def partition(self) -> None:
        self._child.ask("partition", *self._ends)

    def heal(self) -> None:
        self._child.ask("heal", *self._ends)


class Network(Removable):
    """`nodes`: their namespaces, each with an address that the others reach. `how`: netem where the kernel has it, else
    a tunnel through a process.

    It ends with the `with` block, and with the worker; end the servers in it first.
    """

    def __init__(self, nodes: int, *, one_way_ms: float = 0.0) -> None:
        if not 2 <= nodes <= MOST_NODES:
            raise SandboxError(f"A network cannot have {nodes} nodes.", f"It has 2 to {MOST_NODES}.")
        by_kernel = netem.available()
        self.how = "netem" if by_kernel else "user-space tunnel"
        self._child = NetworkProcess("The process of the network", "packets", nodes, int(not by_kernel))
        try:
            places = [Path(f"/proc/{self._child.pid}/fd/{fd}") for fd in self._child.ask("namespaces")]
            self.nodes = tuple(Namespace(place, f"{PREFIX}{number}") for number, place in enumerate(places, start=1))
            self._links = {pair: self._join(*pair) for pair in combinations(range(nodes), 2)}
            self.delay(one_way_ms)
        except BaseException:
            self.remove()
            raise

    def link(self, one: int, other: int) -> NodeLink:
        """Between these two of `nodes`, counted from 0."""
        return self._links[min(one, other), max(one, other)]

    def links(self, node: int) -> tuple[NodeLink, ...]:
        """Of this node with all others."""
        return tuple(link for pair, link in self._links.items() if node in pair)

    def delay(self, one_way_ms: float) -> None:
        """Between all nodes."""
        for link in self._links.values():
            link.delay(one_way_ms)

    def _join(self, one: int, other: int) -> NodeLink:
        if self.how == "netem":
            return NetemLink(self.nodes[one], self.nodes[other])
        return _TunnelLink(self._child, (one, other))

    @property
    def pid(self) -> int:
        return self._child.pid

    def remove(self) -> None:
        """May be called twice."""
        self._child.end()
