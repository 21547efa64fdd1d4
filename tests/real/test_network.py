"""Networks of nodes: what passes between them, what does not, and what is left of them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.real.networks import needs_network
from workers.errors import SandboxError
from workers.sandbox.namespace import Namespace, socket_in
from workers.sandbox.process import start_time
from workers.sandbox.users import unprivileged_user
from workers.topology.network import measured, netem
from workers.topology.network.network import Network

pytestmark = needs_network
PORT = 3306
LIMIT_S = 20.0
SHORT_S = 0.15
WORKER = Path(__file__).with_name("network_worker.py")
udp = partial(socket.socket, socket.AF_INET, socket.SOCK_DGRAM)
raw_udp = partial(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
Pair = tuple[socket.socket, socket.socket]


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network(3) as made:
        yield made


@pytest.fixture(autouse=True)
def healed(network: Network) -> Iterator[None]:
    yield
    network.delay(0)
    for node in range(3):
        for link in network.links(node):
            link.heal()


@contextlib.contextmanager
def joined(server: Namespace, client: Namespace) -> Iterator[Pair]:
    with socket_in(server) as listening, socket_in(client) as calling:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((server.address, PORT))
        listening.listen()
        for sock in (listening, calling):
            sock.settimeout(LIMIT_S)
        calling.connect((server.address, PORT))
        with listening.accept()[0] as accepted:
            accepted.settimeout(LIMIT_S)
            yield calling, accepted


def quickest_ms(calling: socket.socket, accepted: socket.socket) -> float:
    took = []
    for _ in range(10):
        began = time.monotonic()
        calling.sendall(b"?")
        accepted.sendall(accepted.recv(1))
        calling.recv(1)
        took.append(1000 * (time.monotonic() - began))
    return min(took)


def silent(sock: socket.socket) -> bool:
    sock.settimeout(SHORT_S)
    try:
        sock.recv(1)
    except TimeoutError:
        return True
    finally:
        sock.settimeout(LIMIT_S)
    return False


def test_nodes_reach_each_other_under_their_own_addresses(network):
    addresses = [node.address for node in network.nodes]
    assert addresses == ["10.231.0.1", "10.231.0.2", "10.231.0.3"]
    for one, other in ((0, 1), (1, 2), (2, 0)):
        with joined(network.nodes[one], network.nodes[other]) as (calling, accepted):
            assert accepted.getpeername()[0] == addresses[other] and calling.getpeername()[0] == addresses[one]
            calling.sendall(b"hello")
            assert accepted.recv(5) == b"hello"
    assert network.how == ("netem" if netem.available() else "user-space tunnel")


def test_the_host_and_its_nodes_do_not_reach_each_other(network):
    with socket.create_server(("127.0.0.1", 0)) as ours, socket_in(network.nodes[0]) as theirs:
        with pytest.raises(ConnectionRefusedError):
            theirs.connect(ours.getsockname())
        with socket_in(network.nodes[0]) as outward, pytest.raises(OSError, match="unreachable"):
            outward.connect(("192.0.2.1", 80))


def test_a_round_trip_takes_twice_the_delay_of_its_link_and_other_links_have_none(network):
    server, near, far = network.nodes
    with joined(server, near) as pair:
        without = quickest_ms(*pair)
        network.link(1, 0).delay(10)
        assert without < 20 <= quickest_ms(*pair)
    with joined(server, far) as pair:
        assert quickest_ms(*pair) < 20


def test_the_round_trip_of_a_network_is_measured(network):
    network.delay(5)
    used = measured.of_network(network)
    assert used.how == network.how and used.rtt_ms[0] > 10


def test_megabytes_arrive_whole(network):
    data = os.urandom(4 << 20)
    network.delay(1)
    with joined(*network.nodes[:2]) as (calling, accepted):
        accepted.setblocking(False)
        sent, said = 0, bytearray()
        calling.setblocking(False)
        deadline = time.monotonic() + LIMIT_S
        while len(said) < len(data) and time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                sent += calling.send(data[sent : sent + (1 << 16)])
            with contextlib.suppress(BlockingIOError):
                said += accepted.recv(1 << 16)
    assert said == data


def test_a_partition_parts_two_nodes_only_and_a_heal_loses_nothing(network):
    server, parted, third = network.nodes
    with joined(server, parted) as (calling, accepted):
        network.link(0, 1).partition()
        calling.sendall(b"to the server")
        accepted.sendall(b"to the client")
        assert silent(calling) and silent(accepted)
        network.link(0, 1).heal()
        assert accepted.recv(13) == b"to the server" and calling.recv(13) == b"to the client"
    network.link(0, 1).partition()
    with joined(server, third) as pair:
        assert quickest_ms(*pair)


def test_a_partition_loses_what_is_under_way(network):
    with (
        socket_in(network.nodes[0], udp) as heard,
        socket_in(network.nodes[1], udp) as said,
    ):
        heard.bind((network.nodes[0].address, PORT))
        network.delay(5000)
        said.sendto(b"lost", heard.getsockname())
        network.link(0, 1).partition()
        network.delay(0)
        network.link(0, 1).heal()
        said.sendto(b"arrives", heard.getsockname())
        heard.settimeout(LIMIT_S)
        assert heard.recv(9) == b"arrives"


def test_a_node_whose_links_are_parted_reaches_no_other_until_they_heal(network):
    for link in network.links(1):
        link.partition()
    for other in (0, 2):
        with socket_in(network.nodes[1]) as calling:
            calling.settimeout(SHORT_S)
            with pytest.raises(TimeoutError):
                calling.connect((network.nodes[other].address, PORT))
    for link in network.links(1):
        link.heal()
    with joined(*network.nodes[:2]) as pair:
        assert quickest_ms(*pair)


def test_a_packet_with_the_source_of_another_node_goes_nowhere(network):
    """Nodes run builds that nobody knows."""
    target, forger, victim = network.nodes
    with socket_in(target, udp) as heard, socket_in(forger, raw_udp) as raw:
        heard.bind((target.address, PORT))
        for source in (victim, forger):
            raw.setsockopt(socket.IPPROTO_IP, socket.IP_HDRINCL, 1)
            raw.sendto(packet(source.address, target.address, source.address.encode()), (target.address, 0))
        heard.settimeout(LIMIT_S)
        assert heard.recv(99) == forger.address.encode()


def packet(source: str, target: str, data: bytes) -> bytes:
    """An IPv4 packet to PORT; the kernel fills in length and checksum of its header."""
    addresses = socket.inet_aton(source) + socket.inet_aton(target)
    header = b"\x45\0\0\0\0\0\0\0\x40\x11\0\0" + addresses
    return header + b"".join(n.to_bytes(2, "big") for n in (9, PORT, 8 + len(data), 0)) + data


@pytest.mark.parametrize("count", [1, 10, -1])
def test_a_network_of_too_few_or_too_many_is_refused(count):
    with pytest.raises(SandboxError, match="2 to 9"):
        Network(count)


def test_a_delay_that_cannot_be_leaves_nothing(network):
    before = children()
    with pytest.raises(SandboxError, match="between 0 and 10000 ms"):
        Network(2, one_way_ms=-1)
    assert children() == before


def test_the_process_of_a_network_has_no_rights_and_its_namespaces_no_names(network):
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{network.pid}/status").read_text().splitlines())
    assert set(map(int, status["Uid"].split())) == {unprivileged_user().uid}
    assert int(status["CapEff"], 16) == 0
    names = Path("/run/netns")
    known = {node.path.stat().st_ino for node in network.nodes}
    assert not names.exists() or not known & {name.stat().st_ino for name in names.iterdir()}


def test_many_cycles_of_a_network_leave_nothing():
    before = (children(), len(list(Path("/proc/self/fd").iterdir())))
    for _ in range(10):
        with contextlib.suppress(ZeroDivisionError), Network(2) as network:
            inodes = {node.path.stat().st_ino for node in network.nodes}
            assert living_in(inodes)
            raise ZeroDivisionError
        assert not living_in(inodes)
    assert (children(), len(list(Path("/proc/self/fd").iterdir()))) == before


def test_a_network_and_the_program_in_it_end_with_their_worker(pytestconfig):
    env = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    with subprocess.Popen([sys.executable, WORKER], stdout=subprocess.PIPE, text=True, env=env) as worker:
        pid, program, *inodes = map(int, worker.stdout.readline().split())
        assert {pid, program} <= living_in(set(inodes))
        worker.kill()
    deadline = time.monotonic() + LIMIT_S
    # a process that ends leaves its namespaces before it counts as dead
    while (living_in(set(inodes)) or start_time(pid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert living_in(set(inodes)) == set() and start_time(pid) is None


def test_a_dead_one_says_so():
    with Network(2) as network:
        os.kill(network.pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match=r"The process of the network ended|nsenter: cannot open"):
            network.link(0, 1).heal()
        with pytest.raises(SandboxError, match="could not be entered"):
            socket_in(network.nodes[0])


def living_in(inodes: set[int]) -> set[int]:
    """Processes that live in one of these namespaces, or keep one open."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            kept = [
                process / "ns/net",
                *(fd for fd in (process / "fd").iterdir() if fd.readlink().name.startswith("net:")),
            ]
            if inodes & {place.stat().st_ino for place in kept}:
                found.add(int(process.name))
    return found


def children() -> int:
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
