"""Wires between real sockets. A busy machine makes everything later, so what must be quick is waited for, and what must
not have arrived yet is far from due."""

import contextlib
import hashlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.process import start_time
from workers.sandbox.users import unprivileged_user
from workers.topology.network import measured
from workers.topology.network.wires import Wire, Wires

HOST = "127.0.0.1"
LIMIT_S = 20.0
PROJECT = Path(__file__).resolve().parents[3]
DOOMED = """
import time
from workers.topology.network.wires import Wires
wires = Wires()
wires.join(3306)
print(wires.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def wires() -> Iterator[Wires]:
    with Wires() as made:
        yield made


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server((HOST, 0)) as listening:
        listening.settimeout(LIMIT_S)
        yield listening


@pytest.fixture
def wire(wires: Wires, server: socket.socket) -> Iterator[Wire]:
    made = wires.join(server.getsockname()[1])
    yield made
    made.cut()


@pytest.fixture
def pair(wire: Wire, server: socket.socket) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client and what the server accepted, joined by the wire."""
    with joined(wire, server) as both:
        yield both


@contextlib.contextmanager
def joined(wire: Wire, server: socket.socket) -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_connection((HOST, wire.port), LIMIT_S) as client, server.accept()[0] as accepted:
        accepted.settimeout(LIMIT_S)
        yield client, accepted


def round_trips_ms(client: socket.socket, accepted: socket.socket, count: int = 15) -> list[float]:
    took = []
    for _ in range(count):
        began = time.monotonic()
        client.sendall(b"?")
        accepted.sendall(accepted.recv(1))
        client.recv(1)
        took.append(1000 * (time.monotonic() - began))
    return took


def read(sock: socket.socket, size: int) -> bytes:
    said = bytearray()
    while len(said) < size and (piece := sock.recv(1 << 16)):
        said += piece
    return bytes(said)


def eventually(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LIMIT_S
    while not (found := true()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def silent(sock: socket.socket, seconds: float = 0.1) -> bool:
    return not select.select([sock], [], [], seconds)[0]


def was_reset(sock: socket.socket) -> bool:
    with pytest.raises(ConnectionResetError):
        sock.recv(1)
    return True


@pytest.mark.parametrize("one_way_ms", [0.0, 5.0])
def test_a_wire_keeps_content_and_order_of_megabytes_in_both_directions(wire, pair, one_way_ms):
    wire.delay(one_way_ms)
    size, digests = 6 << 20, {}
    data = os.urandom(size)

    def send(sock: socket.socket) -> None:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)

    def receive(sock: socket.socket) -> None:
        digests[sock] = hashlib.sha256(read(sock, size + 1)).digest()

    threads = [threading.Thread(target=do, args=(sock,)) for sock in pair for do in (send, receive)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)
    assert set(digests.values()) == {hashlib.sha256(data).digest()} and len(digests) == 2


def test_the_round_trip_of_a_wire_is_measured_and_it_leads_to_its_target_again(wires, wire, server):
    wire.delay(5)
    both, port = (wire, wires.join(1)), server.getsockname()[1]
    used = measured.of_wires(both, port)
    assert used.how == "wire" and used.rtt_ms[0] > 10 and used.rtt_ms[1] > 0
    assert eventually(lambda: measured.of_wires(both, port).rtt_ms[1] < 10), "this wire has no delay"
    with joined(wire, server) as (client, accepted):
        client.sendall(b"x")
        assert accepted.recv(1) == b"x"


def test_a_wire_that_lets_nothing_pass_has_no_round_trip(wire, server, monkeypatch):
    monkeypatch.setattr(measured, "PATIENCE_S", 0.2)
    wire.partition()
    assert measured.of_wires((wire,), server.getsockname()[1]).rtt_ms == (None,)


def test_a_round_trip_takes_twice_the_delay_that_was_asked_for(wire, pair):
    for one_way_ms, below_ms in ((0, 10), (5, 40), (20, 100)):
        wire.delay(one_way_ms)
        round_trips_ms(*pair, count=1)
        took = round_trips_ms(*pair, count=5)
        assert min(took) >= 2 * one_way_ms
        assert eventually(lambda most=below_ms: min(round_trips_ms(*pair, count=1)) < most)


def test_a_delay_is_no_limit_of_throughput(wire, pair):
    """More is under way at once than one round trip could bring piece by piece."""
    client, accepted = pair
    wire.delay(200)
    piece, count = bytes(1000), 300  # one by one they would need a minute
    began = time.monotonic()
    for _ in range(count):
        client.sendall(piece)
        time.sleep(0.001)
    assert len(read(accepted, len(piece) * count)) == len(piece) * count
    assert time.monotonic() - began < count * 0.2 / 2


def test_a_shorter_delay_keeps_the_order_of_data(wire, pair):
    client, accepted = pair
    wire.delay(100)
    client.sendall(b"first ")
    time.sleep(0.02)
    wire.delay(0)
    client.sendall(b"second")
    assert read(accepted, 12) == b"first second"


def test_a_partition_lets_nothing_pass_and_resets_nothing_and_a_heal_loses_nothing(wire, pair, server):
    client, accepted = pair
    assert round_trips_ms(*pair, count=1)
    wire.partition()
    client.sendall(b"to the server")
    accepted.sendall(b"to the client")
    assert silent(client) and silent(accepted)
    with socket.create_connection((HOST, wire.port), LIMIT_S) as late:
        late.sendall(b"hello")
        assert silent(late) and silent(server)
        wire.heal()
        with server.accept()[0] as taken:
            assert read(taken, 5) == b"hello"
    assert read(accepted, 13) == b"to the server" and read(client, 13) == b"to the client"


def test_a_partition_keeps_what_was_under_way_and_the_end_of_a_dead_side(wire, pair):
    client, accepted = pair
    wire.delay(1000)
    accepted.sendall(b"last words")
    accepted.close()
    wire.partition()
    assert silent(client, 1.2)
    wire.heal()
    assert read(client, 11) == b"last words"


def test_a_cut_resets_both_sides_and_loses_what_was_under_way(wire, pair, server):
    client, accepted = pair
    wire.delay(10_000)
    client.sendall(b"lost")
    accepted.sendall(b"lost")
    time.sleep(0.02)
    wire.cut()
    assert was_reset(client) and was_reset(accepted)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, wire.port), LIMIT_S)
    wire.delay(0)
    wire.heal()
    with joined(wire, server) as again:
        assert round_trips_ms(*again, count=1)


def test_a_cut_after_a_partition_loses_what_was_held(wire, pair):
    client, accepted = pair
    wire.partition()
    client.sendall(b"lost")
    wire.cut()
    wire.heal()
    assert was_reset(accepted)


def test_new_connections_go_where_the_wire_was_redirected(wire, pair):
    with socket.create_server((HOST, 0)) as other:
        wire.redirect(other.getsockname()[1])
        with joined(wire, other) as moved:
            assert round_trips_ms(*moved, count=1)
            assert round_trips_ms(*pair, count=1), "the old connection stays where it is"


def test_a_target_that_is_not_there_resets_the_client(wires, server):
    port = server.getsockname()[1]
    server.close()
    wire = wires.join(port)
    with pytest.raises(ConnectionResetError), socket.create_connection((HOST, wire.port), LIMIT_S) as client:
        client.recv(1)


def test_a_reset_and_an_end_are_passed_on(wire, pair, server):
    client, accepted = pair
    client.shutdown(socket.SHUT_WR)
    assert accepted.recv(1) == b""
    accepted.sendall(b"still heard")
    accepted.close()
    assert read(client, 12) == b"still heard"
    with joined(wire, server) as (resetting, other):
        other.sendall(b"never read")
        assert not silent(resetting, LIMIT_S)
        resetting.close()
        assert was_reset(other)


def test_a_receiver_that_does_not_read_stops_the_sender_and_not_the_others(wire, pair, wires, server):
    client, accepted = pair
    wire.delay(1)
    client.settimeout(0.5)
    sent, piece = 0, bytes(1 << 20)

    def is_stopped() -> bool:
        nonlocal sent
        with contextlib.suppress(TimeoutError):
            while sent < 64 << 20:
                sent += client.send(piece)
        return sent > 16 << 20

    assert eventually(is_stopped) and sent < 64 << 20
    client.settimeout(LIMIT_S)
    assert resident_mb(wires.pid) < 100
    with joined(wire, server) as others:
        assert round_trips_ms(*others, count=1)
    client.shutdown(socket.SHUT_WR)
    assert len(read(accepted, sent + 1)) == sent


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_a_wire_joins_many_connections_and_keeps_nothing_of_them(wire, wires, server):
    def opened() -> int:
        return len(list(Path(f"/proc/{wires.pid}/fd").iterdir()))

    before = opened()
    with contextlib.ExitStack() as all_of_them:
        pairs = [all_of_them.enter_context(joined(wire, server)) for _ in range(100)]
        for number, (client, _) in enumerate(pairs):
            client.sendall(number.to_bytes(2, "big"))
        assert [int.from_bytes(read(accepted, 2), "big") for _, accepted in pairs] == list(range(100))
        assert opened() == before + 200
    assert eventually(lambda: opened() == before)


def test_connections_beyond_the_most_wait_for_their_turn(wire, server):
    with contextlib.ExitStack() as all_of_them:
        first, *_ = [all_of_them.enter_context(joined(wire, server)) for _ in range(200)]
        late = all_of_them.enter_context(socket.create_connection((HOST, wire.port), LIMIT_S))
        assert silent(server)
        for sock in first:
            sock.close()
        server.accept()[0].close()
        assert late.recv(1) == b""


@pytest.mark.parametrize("one_way_ms", [-1, 10_001, float("nan")])
def test_a_delay_that_cannot_be_is_refused(wires, wire, one_way_ms):
    with pytest.raises(SandboxError, match="between 0 and 10000 ms"):
        wire.delay(one_way_ms)
    with pytest.raises(SandboxError, match="between 0 and 10000 ms"):
        wires.join(3306, one_way_ms=one_way_ms)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_cannot_be_is_refused(wires, wire, port):
    with pytest.raises(SandboxError, match="Ports are 1 to 65535"):
        wires.join(port)
    with pytest.raises(SandboxError, match="Ports are 1 to 65535"):
        wire.redirect(port)


def test_a_command_that_there_is_not_is_refused_and_the_process_goes_on(wires, wire, pair):
    for command, numbers in (("import", ()), ("delay", (99, 1)), ("delay", ()), ("join", (1, 2, 3))):
        with pytest.raises(SandboxError, match=f"refused '{command}"):
            wires._child.ask(command, *numbers)
    assert round_trips_ms(*pair, count=1)


def test_a_wire_listens_on_the_loopback_address_only_and_has_no_rights(wires, wire):
    listening = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]
    assert f"0100007F:{wire.port:04X}" in listening
    assert not [place for place in listening if place.endswith(f":{wire.port:04X}") and place[:8] != "0100007F"]
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{wires.pid}/status").read_text().splitlines())
    assert set(map(int, status["Uid"].split())) == {unprivileged_user().uid}
    assert int(status["CapEff"], 16) == 0


def test_the_process_of_wires_ends_with_the_block_and_a_dead_process_is_reported(server):
    with Wires() as wires:
        wire = wires.join(server.getsockname()[1])
        os.kill(wires.pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match="The process of the wires ended"):
            wire.heal()
    assert start_time(wires.pid) is None
    wires.remove()


@pytest.mark.parametrize("frozen", [False, True])
def test_the_process_of_wires_dies_with_its_worker(frozen):
    """A frozen one cannot notice that nobody talks to it any more."""
    argv, env = [sys.executable, "-c", DOOMED], {**os.environ, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as worker:
        pid = int(worker.stdout.readline())
        assert start_time(pid) is not None
        if frozen:
            os.kill(pid, signal.SIGSTOP)
        worker.kill()
    assert eventually(lambda: start_time(pid) is None)
