"""Wires: the network between a source and its replica, as ports of 127.0.0.1 with a delay, partitions and cuts.

with Wires() as wires:
    wire = wires.join(source_port, one_way_ms=10.0)
    ...  # the replica connects to 127.0.0.1, wire.port
    wire.partition()
"""

from dataclasses import dataclass

from workers.errors import SandboxError
from workers.sandbox.owner import Removable
from workers.topology.network.child import NetworkProcess
from workers.topology.network.link import microseconds


@dataclass(frozen=True)
class Wire:
    """Connections to `port` of 127.0.0.1 go on to the target. Every change counts when the call returns."""

    port: int
    _number: int
    _child: NetworkProcess

    def delay(self, one_way_ms: float) -> None:
        """Of everything that is sent from now on, in each direction. Nothing overtakes what is under way."""
        self._child.ask("delay", self._number, microseconds(one_way_ms))

    def partition(self) -> None:
        """From now on nothing arrives on either side, and nothing is reset. A new connection gets no answer."""
        self._child.ask("partition", self._number)

    def heal(self) -> None:
        """After a partition: whatever was sent meanwhile arrives. After a cut: new connections are possible again."""
        self._child.ask("heal", self._number)

    def cut(self) -> None:
        """Whatever is under way is lost, both sides of each connection are reset, new connections are refused."""
        self._child.ask("cut", self._number)

    def redirect(self, target_port: int) -> None:
        """New connections go to this port."""
        self._child.ask("redirect", self._number, _port(target_port))


class Wires(Removable):
    """Any number of wires in one process. They end with the `with` block, and with the worker."""

    def __init__(self) -> None:
        self._child = NetworkProcess("The process of the wires", "forward")

    @property
    def pid(self) -> int:
        return self._child.pid

    def join(self, target_port: int, *, one_way_ms: float = 0.0) -> Wire:
        """A wire to that port of 127.0.0.1. SandboxError: such a wire cannot be."""
        number, port = self._child.ask("join", _port(target_port), microseconds(one_way_ms))
        return Wire(port, number, self._child)

    def remove(self) -> None:
        """May be called twice."""
        self._child.end()


def _port(number: int) -> int:
    if not 0 < number < 1 << 16:
        raise SandboxError(f"{number} is not a port.", "Ports are 1 to 65535.")
    return number
