"""The round trip that a network really has: a busy host makes it longer than what was asked for.

A byte is sent to and fro between two ends of the network, before servers use it.
"""

import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from workers.sandbox.namespace import socket_in
from workers.topology.network.network import Network
from workers.topology.network.wires import Wire, Wires

LOCAL = "127.0.0.1"
WIRE = "wire"
TRIES = 3
PATIENCE_S = 10.0


@dataclass(frozen=True)
class NetworkUsed:
    """`how`: "wire", "netem" or "user-space tunnel". `rtt_ms`: the median of some round trips, of each wire or between
    two nodes; None: it could not be measured."""

    how: str
    rtt_ms: tuple[float | None, ...]


def of_wires(wires: tuple[Wire, ...], target_port: int) -> NetworkUsed:
    """Nothing is connected through them yet; they lead to this port again afterwards."""
    return NetworkUsed(WIRE, tuple(_of_wire(wire, target_port) for wire in wires))


def of_network(network: Network) -> NetworkUsed:
    """Between its first two nodes: all are equally far from each other."""
    server, client = network.nodes[:2]
    with socket_in(server) as listening, socket_in(client) as calling:
        listening.bind((server.address, 0))
        return NetworkUsed(network.how, (_round_trip_ms(listening, calling),))


def on_this_host(asked_ms: float) -> tuple[NetworkUsed, ...]:
    """A wire and a network of two nodes, each with this round trip."""
    with Wires() as wires, Network(2, one_way_ms=asked_ms / 2) as network:
        return of_wires((wires.join(1, one_way_ms=asked_ms / 2),), 1), of_network(network)


def _of_wire(wire: Wire, target_port: int) -> float | None:
    with socket.socket() as listening, socket.socket() as calling:
        listening.bind((LOCAL, 0))
        wire.redirect(listening.getsockname()[1])
        try:
            return _round_trip_ms(listening, calling, wire.port)
        finally:
            wire.redirect(target_port)


def _round_trip_ms(listening: socket.socket, calling: socket.socket, port: int = 0) -> float | None:
    """`port`: of a wire between them; 0: none."""
    listening.listen()
    listening.settimeout(PATIENCE_S)
    calling.settimeout(PATIENCE_S)
    address, own_port = listening.getsockname()
    answering = threading.Thread(target=_answer, args=(listening,), name="round trip", daemon=True)
    answering.start()
    try:
        calling.connect((address, port or own_port))
        _once_ms(calling)  # a wire connects to its target meanwhile
        return median(_once_ms(calling) for _ in range(TRIES))
    except OSError:
        return None
    finally:
        calling.close()
        answering.join(PATIENCE_S)


def _once_ms(calling: socket.socket) -> float:
    began = time.perf_counter()
    calling.sendall(b"?")
    if not calling.recv(1):
        raise ConnectionResetError
    return 1000 * (time.perf_counter() - began)


def _answer(listening: socket.socket) -> None:
    with suppress(OSError), listening.accept()[0] as accepted:
        accepted.settimeout(PATIENCE_S)
        while said := accepted.recv(1):
            accepted.sendall(said)
