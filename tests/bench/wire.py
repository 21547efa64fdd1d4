"""What a wire and a network add to a connection, and how exact their delays are.

    python tests/bench/wire.py [--rounds 3] [--pair 16,64]

Side by side, in every round: round trips of 100 bytes, and megabytes per second, over a direct connection, a wire and a
network (where the host can) without a delay; then one-way delays, measured as half of a round trip. `--pair`: commits
per second of so many clients on a semi-sync pair of MariaDB, whose replica is connected directly and by a wire in turn,
flushed at each commit (1/1, 2 ms a flush) and not (0/0). Goal: at least 0.97 of the commits.
"""

import argparse
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workers.sandbox.builds import Build, find
from workers.sandbox.disk import ability as disk_ability
from workers.sandbox.disk import prepared
from workers.sandbox.namespace import socket_in
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.network import ability
from workers.topology.network.network import Network
from workers.topology.network.wires import Wires

TRIPS, SLOW_TRIPS, WARM = 3000, 150, 200
BULK_BYTES, PIECE_BYTES = 256 << 20, 1 << 18
ASKED_MS = (1.0, 5.0, 20.0)
ROUND_S = 4.0
FLUSH_US = 2000
COMMON = {"log_bin": "ON", "gtid_strict_mode": "ON", "log_slave_updates": "ON"}
SOURCE = {
    **COMMON,
    "server_id": "1",
    "rpl_semi_sync_master_enabled": "ON",
    "rpl_semi_sync_master_wait_point": "AFTER_SYNC",
}
REPLICA = {**COMMON, "server_id": "2", "rpl_semi_sync_slave_enabled": "ON", "slave_parallel_threads": "8"}
DURABILITY = {"1/1": (1, 1), "0/0": (0, 0)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pair", default="", help="numbers of clients")
    asked = parser.parse_args()
    for _ in range(asked.rounds):
        bare()
    if asked.pair:
        pair([int(clients) for clients in asked.pair.split(",")], asked.rounds)


def bare() -> None:
    load = os.getloadavg()[0]
    with ExitStack() as open_ones:
        wires = open_ones.enter_context(Wires())
        ways: dict[str, socket.socket] = {}
        server = socket.create_server(("127.0.0.1", 0))
        open_ones.enter_context(answering(server))
        wire = wires.join(server.getsockname()[1])
        ways["direct"] = socket.create_connection(server.getsockname())
        ways["wire"] = socket.create_connection(("127.0.0.1", wire.port))
        delays: dict[str, Callable[[float], None]] = {"wire": wire.delay}
        if not ability.missing():
            network = open_ones.enter_context(Network(2))
            inside, ways["network"] = socket_in(network.nodes[0]), socket_in(network.nodes[1])
            inside.bind((network.nodes[0].address, 3306))
            inside.listen()
            open_ones.enter_context(answering(inside))
            ways["network"].connect(inside.getsockname())
            delays["network"] = network.delay
        for sock in ways.values():
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for name, sock in ways.items():
            trips_us = [1e6 * trip for trip in round_trips(sock, TRIPS)]
            print(f"{name:8}: round trip {quantiles(trips_us, 'us', 0)}, {bulk(sock):5.0f} MB/s (load {load:.0f})")
        for name, delay in delays.items():
            for one_way_ms in ASKED_MS:
                delay(one_way_ms)
                found = [500 * trip for trip in round_trips(ways[name], SLOW_TRIPS)]
                print(f"{name:8}: asked {one_way_ms:4.1f} ms one way, measured {quantiles(found, 'ms', 2)}", flush=True)


@contextmanager
def answering(server: socket.socket) -> Iterator[None]:
    """A process that sends back small messages and swallows big ones."""
    server.listen()
    process = multiprocessing.get_context("fork").Process(target=answer, args=(server,))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()
        server.close()


def answer(server: socket.socket) -> None:
    while True:
        threading.Thread(target=converse, args=(server.accept()[0],)).start()


def converse(accepted: socket.socket) -> None:
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    swallowed = 0
    while said := accepted.recv(PIECE_BYTES):
        if swallowed or len(said) > 100:
            swallowed += len(said)
            if swallowed >= BULK_BYTES:
                accepted.sendall(b".")
                swallowed -= BULK_BYTES
        else:
            accepted.sendall(said)


def round_trips(sock: socket.socket, count: int) -> list[float]:
    """Seconds, sorted."""
    took = []
    for _ in range(min(count, WARM) + count):
        began = time.perf_counter()
        sock.sendall(bytes(100))
        sock.recv(100)
        took.append(time.perf_counter() - began)
    return sorted(took[min(count, WARM) :])


def bulk(sock: socket.socket) -> float:
    """Megabytes per second."""
    piece = bytes(PIECE_BYTES)
    began = time.perf_counter()
    for _ in range(BULK_BYTES // PIECE_BYTES):
        sock.sendall(piece)
    sock.recv(1)
    return BULK_BYTES / 1e6 / (time.perf_counter() - began)


def quantiles(found: list[float], unit: str, digits: int) -> str:
    median, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
    return f"median {median:.{digits}f} {unit}, p99 {p99:.{digits}f} {unit}"


def pair(clients: list[int], rounds: int) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder, Wires() as wires:
        root, build = Path(folder), find("system-mariadb")
        root.chmod(0o755)
        with ExitStack() as made:
            source, replica = (server(made, root, build, settings) for settings in (SOURCE, REPLICA))
            wire = wires.join(source.target.port)
            prepare(source, replica, max(clients))
            for threads in clients:
                for name, flushes in DURABILITY.items():
                    run(source, *settings(flushes))
                    run(replica, *settings(flushes))
                    compare(source, replica, wire.port, threads, name, rounds)


def server(made: ExitStack, root: Path, build: Build, settings: dict[str, str]) -> Sandbox:
    """On a simulated disk, where the host can have one, so that others' load does not decide the time of a flush."""
    place = None
    if not disk_ability.missing():
        disk = made.enter_context(prepared.new_disk(root, build, unprivileged_user()))
        disk.storage(FLUSH_US)
        place = disk.mnt
    return made.enter_context(Sandbox.create(root, build, settings, name="bench", trace=False, datadir_on=place))


def settings(flushes: tuple[int, int]) -> tuple[str, str]:
    return f"SET GLOBAL innodb_flush_log_at_trx_commit = {flushes[0]}", f"SET GLOBAL sync_binlog = {flushes[1]}"


def compare(source: Sandbox, replica: Sandbox, wire: int, threads: int, name: str, rounds: int) -> None:
    found: dict[str, list[float]] = {"direct": [], "wire": []}
    for number in range(2 * rounds):
        order = ("direct", "wire") if number % 2 else ("wire", "direct")
        for way in order:
            attach(source, replica, wire if way == "wire" else source.target.port)
            found[way].append(commits_per_s(source, threads))
    ratios = [wired / direct for wired, direct in zip(found["wire"], found["direct"], strict=True)]
    direct, wired = (statistics.median(found[way]) for way in ("direct", "wire"))
    print(
        f"{name}, {threads} clients: {direct:.0f} commits/s directly, {wired:.0f} by the wire; wire / direct "
        f"{wired / direct:.3f} of the medians, {statistics.median(ratios):.3f} of the pairs "
        f"({min(ratios):.2f} to {max(ratios):.2f}; load {os.getloadavg()[0]:.0f})",
        flush=True,
    )


def prepare(source: Sandbox, replica: Sandbox, rows: int) -> None:
    run(
        source,
        "CREATE SCHEMA bench",
        "CREATE TABLE bench.counters (id INT PRIMARY KEY, n BIGINT NOT NULL)",
        f"INSERT INTO bench.counters SELECT seq, 0 FROM bench.seq_1_to_{rows}",
        "CREATE USER repl@'127.0.0.1'",
        "GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'",
    )
    run(replica, "SET GLOBAL gtid_slave_pos = ''")


def attach(source: Sandbox, replica: Sandbox, port: int) -> None:
    """Through that port, until the source waits for its acknowledgements."""
    to = f"MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='repl', MASTER_USE_GTID=slave_pos"
    run(replica, "STOP SLAVE", f"CHANGE MASTER TO {to}", "START SLAVE")
    while semi_sync(source, "status") != "ON" or semi_sync(source, "clients") != "1":
        time.sleep(0.01)


def semi_sync(source: Sandbox, what: str) -> str:
    name = f"rpl_semi_sync_master_{what}"
    with closing(connect(source.target)) as connection:
        return ask.names_to_values(connection, f"SHOW GLOBAL STATUS LIKE '{name}'")[name]


def commits_per_s(source: Sandbox, threads: int) -> float:
    not_acknowledged = semi_sync(source, "no_tx")
    committed, end = [0] * threads, time.monotonic() + ROUND_S

    def client(number: int) -> None:
        with closing(connect(source.target)) as connection, connection.cursor() as cursor:
            while time.monotonic() < end:
                cursor.execute(f"UPDATE bench.counters SET n = n + 1 WHERE id = {number + 1}")
                committed[number] += 1

    clients = [threading.Thread(target=client, args=(number,)) for number in range(threads)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    if semi_sync(source, "no_tx") != not_acknowledged:
        raise SystemExit("The replica did not acknowledge each commit: these figures would mean nothing.")
    return sum(committed) / ROUND_S


def run(server: Sandbox, *statements: str) -> None:
    with closing(connect(server.target)) as connection:
        for sql in statements:
            ask.rows(connection, sql)


if __name__ == "__main__":
    main()
