"""The process of a network: python -m workers.topology.network.packets UID GID PARENT NODES TUNNEL

It makes a namespace for each node and, with TUNNEL 1, carries the packets between them. It holds everything by
descriptors, so that nothing is left when it ends, but for the namespace of a server that still runs.
"""

import os
import sys
from functools import partial
from itertools import combinations

from workers.topology.network import interfaces
from workers.topology.network.loop import IN, Command, DelayLine, Loop, serve

PREFIX = "10.231.0."  # of namespaces of our own: no host sees it
HEADER = 10  # virtio_net_hdr
VERSION, SOURCE, TARGET, ADDRESS_BYTES = HEADER, HEADER + 12, HEADER + 16, 4  # in a packet (RFC 791)
MOST_PACKET = HEADER + (1 << 16)
AT_ONCE = 64  # packets of one node, before another one's turn
MOST_UNDER_WAY = 32 << 20  # bytes of one link; more are dropped, as by a router

_read = memoryview(bytearray(MOST_PACKET))


class PacketLink:
    """Between two nodes, in both directions."""

    def __init__(self) -> None:
        self.line, self.parted, self._under_way = DelayLine(), False, 0

    def delay(self, us: int) -> None:
        self.line.delay_s = us / 1e6

    def partition(self) -> None:
        self.parted, self._under_way = True, 0
        self.line.lose()

    def heal(self) -> None:
        self.parted = False

    def carry(self, to: int, packet: memoryview) -> None:
        if self.line.passes_at_once:
            _write(to, packet)
        elif self._under_way < MOST_UNDER_WAY:
            self._under_way += len(packet)
            self.line.put(partial(self._arrive, to), bytes(packet))

    def _arrive(self, to: int, packet: bytes) -> None:
        self._under_way -= len(packet)
        _write(to, packet)


class PacketNode:
    """Reads what is sent in the namespace where it is made."""

    def __init__(self, address: str) -> None:
        self.address = bytes(map(int, address.split(".")))
        self.device = interfaces.new_device(address)
        self.peers: dict[bytes, tuple[int, PacketLink]] = {}

    def ready(self, _: int) -> None:
        for _ in range(AT_ONCE):
            try:
                size = os.readv(self.device, [_read])
            except BlockingIOError:
                return
            self._forward(_read[:size])

    def _forward(self, packet: memoryview) -> None:
        """Another version than IPv4, another one's source, and an unknown target go nowhere."""
        if packet[VERSION] >> 4 != 4 or packet[SOURCE : SOURCE + ADDRESS_BYTES] != self.address:
            return
        to, link = self.peers.get(bytes(packet[TARGET : TARGET + ADDRESS_BYTES]), (0, None))
        if link and not link.parted:
            link.carry(to, packet)


def _write(to: int, packet: memoryview | bytes) -> None:
    try:
        os.write(to, packet)
    except OSError:  # the node does not take it: it is lost, as on a network
        return


def main(uid: int, gid: int, parent: int, count: int, tunnel: int) -> None:
    loop, namespaces, nodes = Loop(), list[int](), list[PacketNode]()
    for number in range(1, count + 1):
        namespaces.append(interfaces.new_namespace())
        if tunnel:
            nodes.append(PacketNode(f"{PREFIX}{number}"))
            loop.watch(nodes[-1].device, IN, nodes[-1].ready)
    links = {(one, other): _join(nodes[one], nodes[other]) for one, other in combinations(range(len(nodes)), 2)}
    loop.lines.extend(link.line for link in links.values())
    commands: dict[str, Command] = {
        "namespaces": lambda: tuple(namespaces),
        "delay": lambda one, other, us: links[one, other].delay(us),
        "partition": lambda one, other: links[one, other].partition(),
        "heal": lambda one, other: links[one, other].heal(),
    }
    serve(loop, commands, uid, gid, parent)


def _join(one: PacketNode, other: PacketNode) -> PacketLink:
    link = PacketLink()
    one.peers[other.address] = other.device, link
    other.peers[one.address] = one.device, link
    return link


if __name__ == "__main__":
    main(*map(int, sys.argv[1:6]))
