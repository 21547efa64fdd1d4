"""Real servers: a replica behind a wire, and servers in namespaces of their own."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.real.networks import needs_network
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.namespace import Namespace, socket_in
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.network.network import Network
from workers.topology.network.wires import Wire, Wires

SOURCE = {"log_bin": "ON", "server_id": "1"}
REPLICA = {"server_id": "2", "slave_net_timeout": "60"}
ATTACH = (
    "CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, MASTER_USER='repl', MASTER_PASSWORD='secret', "
    "MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1, MASTER_SSL_VERIFY_SERVER_CERT=0, MASTER_SSL=0",
    "START SLAVE",
)
LIMIT_S = 30.0
POLL_S = 0.01


def run(server: Sandbox, *statements: str) -> None:
    with contextlib.closing(connect(server.target)) as connection:
        for sql in statements:
            ask.rows(connection, sql)


def status(replica: Sandbox) -> dict[str, str]:
    with contextlib.closing(connect(replica.target)) as connection:
        return {name: ask.as_text(value) for name, value in ask.first_row(connection, "SHOW SLAVE STATUS").items()}


def rows(server: Sandbox) -> int:
    with contextlib.closing(connect(server.target)) as connection:
        return ask.integer(ask.rows(connection, "SELECT COUNT(*) FROM shop.orders")[0][0])


def has_orders(server: Sandbox) -> bool:
    with contextlib.closing(connect(server.target)) as connection:
        return bool(ask.rows(connection, "SELECT 1 FROM information_schema.tables WHERE table_name = 'orders'"))


def insert(source: Sandbox, count: int) -> None:
    run(source, *["INSERT INTO shop.orders VALUES (NULL)"] * count)


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LIMIT_S
    while not true() and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return true()


def follows(replica: Sandbox, source: Sandbox, host: str, port: int) -> bool:
    run(
        source,
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY)",
        "GRANT REPLICATION SLAVE ON *.* TO repl@'%' IDENTIFIED BY 'secret'",
    )
    run(replica, "SET GLOBAL gtid_slave_pos = ''", *(sql.format(host=host, port=port) for sql in ATTACH))
    return until(lambda: status(replica)["Slave_IO_Running"] == "Yes" and has_orders(replica))


@pytest.fixture(scope="module")
def pair(make_sandbox) -> tuple[Sandbox, Sandbox]:
    return make_sandbox(SOURCE, name="source", trace=False), make_sandbox(REPLICA, name="replica", trace=False)


@pytest.fixture(scope="module")
def wire(pair) -> Iterator[Wire]:
    source, replica = pair
    with Wires() as wires:
        made = wires.join(source.target.port)
        assert follows(replica, source, "127.0.0.1", made.port)
        yield made
        run(replica, "STOP SLAVE")


def test_a_parted_replica_falls_behind_without_an_error_and_catches_up(wire, pair):
    source, replica = pair
    insert(source, 3)
    assert until(lambda: rows(replica) == rows(source))
    before = rows(source)
    wire.partition()
    insert(source, 5)
    time.sleep(0.3)
    parted = status(replica)
    assert rows(replica) == before
    assert (parted["Slave_IO_Running"], parted["Last_IO_Errno"], parted["Last_IO_Error"]) == ("Yes", "0", "")
    wire.heal()
    assert until(lambda: rows(replica) == before + 5)


def test_a_replica_that_was_cut_off_cannot_connect_until_the_wire_heals(wire, pair):
    source, replica = pair
    before = rows(source)
    wire.delay(1000)
    insert(source, 3)
    wire.cut()
    assert until(lambda: status(replica)["Last_IO_Errno"] != "0"), status(replica)
    assert status(replica)["Slave_IO_Running"] == "Connecting" and rows(replica) == before
    wire.delay(0)
    wire.heal()
    assert until(lambda: rows(replica) == before + 3)


def test_a_restarted_source_is_found_again_on_its_other_port(wire, pair):
    source, replica = pair
    source.kill()
    with socket.create_server(("127.0.0.1", source.target.port)):
        source.recover(SOURCE)
    wire.redirect(source.target.port)
    insert(source, 1)
    assert until(lambda: rows(replica) == rows(source))


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network(2) as made:
        yield made


@needs_network
def test_servers_in_namespaces_replicate_and_are_parted(network, sandbox_root):
    """The worker reaches each by its unix socket all the time."""
    build, (here, there) = builds.find("system-mariadb"), network.nodes
    with (
        Sandbox.create(sandbox_root, build, SOURCE, name="source", trace=False, namespace=here) as source,
        Sandbox.create(sandbox_root, build, REPLICA, name="replica", trace=False, namespace=there) as replica,
    ):
        assert (source.target.host, replica.target.host) == (here.address, there.address)
        assert follows(replica, source, here.address, source.target.port)
        insert(source, 3)
        assert until(lambda: rows(replica) == 3)
        with pytest.raises(ConnectionRefusedError), socket_in(there) as calling:
            calling.connect((there.address, 1))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", source.target.port))
        network.link(0, 1).partition()
        insert(source, 2)
        time.sleep(0.2)
        assert (rows(replica), status(replica)["Last_IO_Errno"]) == (3, "0")
        network.link(0, 1).heal()
        assert until(lambda: rows(replica) == 5)


def test_a_server_in_a_namespace_that_there_is_not_is_named(sandbox_root, tmp_path):
    gone = Namespace(tmp_path / "gone", "10.231.0.1")
    with pytest.raises(SandboxError, match=f"The network namespace {gone.path} could not be entered: No such file"):
        Sandbox.create(sandbox_root, builds.find("system-mariadb"), {}, name="lost", trace=False, namespace=gone)
