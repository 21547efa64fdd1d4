"""The forwarding of one wire, step by step in this process."""

import contextlib
import gc
import socket
import weakref

import pytest

from workers.topology.network.forward import ForwardedWire
from workers.topology.network.loop import OUT, Loop

HOST = "127.0.0.1"
LIMIT_S = 20.0


@pytest.fixture
def server():
    with socket.create_server((HOST, 0)) as listening:
        listening.settimeout(LIMIT_S)
        yield listening


@pytest.fixture
def loop():
    """It never waits: one of its descriptors is always ready."""
    made = Loop()
    ready, other = socket.socketpair()
    made.watch(ready.fileno(), OUT, lambda _: None)
    with ready, other:
        yield made
    made._epoll.close()


@pytest.fixture
def wire(loop, server):
    made = ForwardedWire(loop, server.getsockname()[1], delay_us=0)
    yield made
    made.cut()
    made._place.close()


@pytest.fixture
def pair(wire, loop, server):
    with joined(wire, loop, server) as both:
        yield both


@contextlib.contextmanager
def joined(wire, loop, server):
    with socket.create_connection((HOST, wire.port), LIMIT_S) as client:
        loop.step()  # accepts, and dials
        with server.accept()[0] as accepted:
            loop.step()
            yield client, accepted


def test_closed_connections_are_forgotten_although_the_collector_is_off(wire, loop, server):
    """But for the last one, which is still in use while it is closed."""
    ends = []
    gc.disable()
    try:
        for _ in range(5):
            with joined(wire, loop, server):
                ends += [weakref.ref(end) for end in wire.ends]
            while wire.ends:
                loop.step()
    finally:
        gc.enable()
    assert len(ends) == 10 and not any(end() for end in ends[:-2])


def test_a_piece_that_the_receiver_does_not_take_whole_arrives_whole(wire, loop, pair):
    client, accepted = pair
    data, sent, said = bytes(range(256)) * (32 << 10), 0, bytearray()
    for sock in pair:
        sock.setblocking(False)
    for _ in range(200):  # nobody reads
        with contextlib.suppress(BlockingIOError):
            sent += client.send(data[sent:])
        loop.step()
    assert any(end._unwritten for end in wire.ends)
    while len(said) < len(data):
        with contextlib.suppress(BlockingIOError):
            said += accepted.recv(1 << 20)
        with contextlib.suppress(BlockingIOError):
            sent += client.send(data[sent:]) if sent < len(data) else 0
        loop.step()
    assert said == data


def test_a_target_that_resets_while_much_is_unwritten_resets_the_client(wire, loop, pair):
    client, accepted = pair
    client.setblocking(False)
    with pytest.raises(BlockingIOError):
        while True:
            client.send(bytes(1 << 20))
    for _ in range(5):
        loop.step()
    accepted.close()  # with unread data: a reset
    while wire.ends:
        loop.step()
    with pytest.raises(ConnectionResetError):
        client.recv(1)


def test_a_client_that_leaves_before_it_is_accepted_leaves_nothing(wire, loop, server):
    client = socket.create_connection((HOST, wire.port), LIMIT_S)
    client.close()
    loop.step()
    server.accept()[0].close()
    while wire.ends:
        loop.step()
    assert len(loop._watched) == 2  # the listener, and what is always ready
