"""The witness's clients against a server that only answers: what it counts as acknowledged, and when it stops."""

import contextlib
import socket
import threading
import time
from types import SimpleNamespace

import pytest

from workers.crash import witness as module
from workers.crash.transactions import statements
from workers.crash.witness import Witness
from workers.errors import SandboxError, ServerError, Unreachable

SECRET = b"known to tests.."
OK = b"\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"
REFUSED = b"\x0b\x00\x00\x01\xff\x17\x04#08S01no"  # error 1047


class Connection:
    def __init__(self, near, schemas):
        self._sock, self._schemas, self.hung_up = near, schemas, False

    def select_db(self, schema):
        if schema not in self._schemas:
            raise RuntimeError(f"Unknown database {schema}")

    def close(self):
        self._force_close()

    def _force_close(self):
        self.hung_up = True
        self._sock.close()


class Server:
    """Answers OK to everything, up to so many statements of each connection; after `at_once` of them it is late.
    `refuses`: with an error from then on, instead of silence."""

    def __init__(self, answers=10**9, at_once=10**9, most=99, refuses=False):
        self.answers, self.at_once, self.most, self.refuses = answers, at_once, most, refuses
        self.connections, self.threads = [], []

    def connect(self, target, **_):
        if len(self.connections) == self.most:
            raise Unreachable("Too many connections.")
        near, far = socket.socketpair()
        self.connections.append(Connection(near, {"s"}))
        self.threads.append(threading.Thread(target=self._answer, args=(far,), daemon=True))
        self.threads[-1].start()
        return self.connections[-1]

    def _answer(self, far):
        with far, contextlib.suppress(OSError):
            for number in range(self.answers):
                if not (packet := far.recv(65536)):
                    return
                while len(packet) < 4 + int.from_bytes(packet[:3], "little"):
                    if not (more := far.recv(65536)):
                        return
                    packet += more
                time.sleep(0 if number < self.at_once else 0.3)
                far.sendall(OK)
            if self.refuses and far.recv(65536):
                far.sendall(REFUSED)


@pytest.fixture
def begun(monkeypatch):
    """`begun(server)`: a witness of two clients at work."""
    made = []

    def begin(server, clients=2, schema="s", **more):
        monkeypatch.setattr(module, "connect", server.connect)
        made.append(Witness(SimpleNamespace(), schema, clients, SECRET, **more))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def until(happened):
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_every_answer_is_an_acknowledgement(begun):
    server = Server()
    one = begun(server)
    assert not one.alive and one.began == one.drained_at_s == 0
    started = time.monotonic()
    one.begin()
    assert one.alive and started <= one.began <= time.monotonic()
    until(lambda: min(client.sent for client in one.ledger().clients) > 5)
    one.drain()
    ledger = one.ledger()
    assert 0 < one.drained_at_s < 10
    assert [client.client for client in ledger.clients] == [0, 1] and ledger.fault(SECRET) == ""
    assert len(ledger.in_doubt()) <= 2 and one.trouble == ""
    one.close()
    assert all(connection.hung_up for connection in server.connections)


def test_no_transaction_is_sent_after_the_drain(begun):
    one = begun(Server())
    one.begin()
    until(lambda: len(one.ledger().sent()) > 5)
    one.drain()
    sent = len(one.ledger().sent())
    time.sleep(0.05)
    assert len(one.ledger().sent()) == sent


def test_a_client_sends_nothing_more_after_its_commits(begun):
    """Nothing is in doubt then."""
    one = begun(Server(), commits=3)
    one.begin()
    until(lambda: one.acknowledged == 6)
    time.sleep(0.05)
    assert one.alive and [client.sent for client in one.ledger().clients] == [3, 3]
    assert len(one.ledger().in_doubt()) == 0


def large(secret, client, numbers):
    return [(b"x" * 1_000_000,)]


def test_statements_that_no_buffer_holds_are_committed(begun):
    one = begun(Server(), write=large)
    one.begin()
    until(lambda: min(client.acknowledged for client in one._clients) > 3)
    one.drain()
    assert one.trouble == "" and len(one.ledger().in_doubt()) <= 2


def test_a_packet_of_which_the_server_reads_only_a_part_does_not_keep_the_drain(begun):
    """A frozen server."""
    near, far = socket.socketpair()
    with far:
        server = SimpleNamespace(connect=lambda *_, **__: Connection(near, {"s"}))
        one = begun(server, clients=1, write=large)
        one.begin()
        until(lambda: one._clients[0].unsent)
        one.drain()
        assert one.alive and len(one.ledger().in_doubt()) == 1


def test_clients_whose_server_goes_away_end_and_say_why(begun):
    one = begun(Server(answers=0))
    one.begin()
    until(lambda: not one.alive)
    assert one.trouble
    assert len(one.ledger().acknowledged()) == 0 and len(one.ledger().in_doubt()) == 2
    assert [(told.refused, told.in_doubt) for told in one.connections()] == [(None, 1)] * 2, "nobody answered"


def test_clients_log_in_on_each_server_in_turn_and_the_trouble_of_any_is_told(begun):
    target, server, other = SimpleNamespace(), Server(), Server(answers=0)
    both = SimpleNamespace(connect=lambda to, **_: (other if to is target else server).connect(to))
    one = begun(both, clients=3, others=[target])
    one.begin()
    until(lambda: one.trouble)
    assert one.alive and [len(each.connections) for each in (server, other)] == [2, 1]
    assert [told.target is target for told in one.connections()] == [False, True, False]


def test_a_client_that_cannot_send_its_first_statement_ends(begun):
    """Its server does not hang up."""
    near, far = socket.socketpair()
    near.shutdown(socket.SHUT_WR)
    with far:
        one = begun(SimpleNamespace(connect=lambda *_, **__: Connection(near, {"s"})), clients=1)
        one.begin()
        until(lambda: not one.alive)
        assert one.trouble


def test_a_refused_commit_is_reported_with_the_error_and_its_time(begun):
    one = begun(Server(answers=3, refuses=True))
    one.begin()
    until(lambda: not one.alive)
    connections = one.connections()
    assert [(told.refused.says, told.in_doubt) for told in connections] == [("1047: no", 0)] * 2, "the client knows"
    assert all(0 < told.refused.at_s < 10 for told in connections) and len(one.ledger().in_doubt()) == 2


@pytest.mark.parametrize(("quiet_s", "told"), [([0.6], 10), ([], 9)])
def test_an_answer_that_is_under_way_is_waited_for_as_long_as_was_asked(begun, quiet_s, told):
    """Number 10 is one statement. A server on this host is not waited for."""
    before = sum(map(len, statements(SECRET, 0, range(1, 10))))
    one = begun(Server(at_once=before), clients=1)
    one.begin()
    until(lambda: len(one.ledger().sent()) == 10)
    one.drain(*quiet_s)
    assert len(one.ledger().acknowledged()) == told


def test_a_witness_that_does_not_stop_is_not_relied_on(begun, monkeypatch):
    monkeypatch.setattr(module, "JOIN_S", 0.05)
    one = begun(Server(), clients=1)
    stuck, waited = threading.Event(), []
    monkeypatch.setattr(one, "_answers", lambda: stuck.wait(10))
    one.begin()
    with pytest.raises(SandboxError, match="did not stop"):
        one.drain()
    assert one._thread.daemon, "the worker can end without it"
    with monkeypatch.context() as patched, pytest.raises(SandboxError):
        patched.setattr(one._thread, "join", lambda seconds: waited.append(seconds))
        one.drain(100.0)
    assert waited[0] > 100
    one._by_file.clear()
    stuck.set()


def test_where_one_client_cannot_log_in_nobody_stays(begun):
    server = Server(most=2)
    with pytest.raises(Unreachable):
        begun(server, clients=3)
    assert [connection.hung_up for connection in server.connections] == [True, True]


def test_a_schema_that_is_not_there_is_told(begun):
    server = Server()
    with pytest.raises(ServerError, match="cannot use the schema elsewhere: Unknown database"):
        begun(server, schema="elsewhere")
    assert server.connections[0].hung_up


def test_a_witness_may_be_closed_before_its_start_and_twice(begun):
    server = Server()
    one = begun(server)
    one.close()
    one.close()
    assert one.ledger().sent().size == 0
