"""One client of the witness takes answers however they arrive: whole, in parts, and in parts of a TLS record."""

import contextlib
import socket
import ssl
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.certificate import certificate
from workers.crash.client import AHEAD, Client
from workers.crash.transactions import statements

SECRET = b"known to tests.."
OK = b"\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"
ERR = b"\x15\x00\x00\x01\xff\x28\x04#HY000out of luck  "


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("tls"))


class Server:
    """The far end: `wire(answer)` gives the bytes that carry it, `send` puts bytes on the wire."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def wire(self, answer: bytes) -> bytes:
        return answer

    def send(self, data: bytes) -> None:
        self._end.sendall(data)


class TlsServer(Server):
    def __init__(self, end: socket.socket, file: Path) -> None:
        super().__init__(end)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        self._arrived, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._arrived, self._out, server_side=True)

    def wire(self, answer: bytes) -> bytes:
        self._tls.write(answer)
        return self._out.read()

    def shake_hands(self, link: ssl.SSLSocket) -> bytes:
        """Until both sides are through; the session tickets of the server, unsent."""
        link.setblocking(False)
        while True:
            try:
                link.do_handshake()
            except ssl.SSLWantReadError:
                self._arrived.write(self._end.recv(65536))
                _step(self._tls)
                self.send(self._out.read())
            else:
                self._arrived.write(self._end.recv(65536))
                self._tls.do_handshake()
                return self._out.read()


def _step(tls: ssl.SSLObject) -> None:
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()


@pytest.fixture
def plain():
    near, far = socket.socketpair()
    with near, far:
        yield Client(0, SimpleNamespace(_sock=near), SECRET), Server(far)


@pytest.fixture
def tls(file):
    near, far = socket.socketpair()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(near, do_handshake_on_connect=False) as link, far:
        server = TlsServer(far, file)
        tickets = server.shake_hands(link)
        yield Client(0, SimpleNamespace(_sock=link), SECRET), server, tickets


def test_a_client_sends_the_statements_of_its_transactions_one_by_one(plain):
    client, server = plain
    began = time.monotonic()
    assert client.begin(began)
    for statement in (one for of_transaction in statements(SECRET, 0, [1, 2]) for one in of_transaction):
        packet = server._end.recv(65536)
        assert packet == len(packet[4:]).to_bytes(3, "little") + b"\0\x03" + statement
        server.send(OK)
        assert client.answer(go_on=True)
    ledger = client.ledger()
    assert (ledger.client, ledger.sent) == (0, 3)
    assert 0 <= ledger.acknowledged_at_s[0] <= ledger.acknowledged_at_s[1] < 5
    assert np.isnan(ledger.acknowledged_at_s[2])


def test_a_client_goes_on_beyond_what_it_wrote_out_ahead(plain):
    client, server = plain
    assert client.begin(0.0)
    while client.sent <= AHEAD + 1:
        server._end.recv(65536)
        server.send(OK)
        assert client.answer(go_on=True)
    assert server._end.recv(65536)[5:] == statements(SECRET, 0, [AHEAD + 2])[0][0]


def test_rows_are_no_answer_to_a_commit(plain):
    client, server = plain
    assert client.begin(0.0)
    server.send(b"\x01\0\0\1\2")
    assert client.answer(go_on=True) is False
    assert client.trouble == "the server did not answer with OK"


def test_an_answer_in_two_parts_is_taken_when_it_is_whole(plain):
    client, server = plain
    assert client.begin(0.0)
    left = len(client._left)
    server.send(OK[:3])
    assert client.answer(go_on=True) and len(client._left) == left
    server.send(OK[3:])
    assert client.answer(go_on=True) and len(client._left) == left - 1


LARGE = b"x" * 1_000_000  # no socket's buffer holds it


def large(link):
    return Client(0, SimpleNamespace(_sock=link), SECRET, lambda *_: [(LARGE, b"COMMIT")])


def test_a_packet_that_does_not_fit_is_sent_on_while_there_is_room():
    near, far = socket.socketpair()
    with near, far:
        client, arrived = large(near), b""
        assert client.begin(0.0) and client.unsent
        while client.unsent:
            arrived += far.recv(1 << 20)
            assert client.answer(go_on=True)
        while len(arrived) < 5 + len(LARGE):
            arrived += far.recv(1 << 20)
        assert arrived[5:] == LARGE
        far.sendall(OK)
        assert client.answer(go_on=True) and far.recv(65536)[5:] == b"COMMIT"


def test_a_client_ends_when_its_server_goes_away_in_the_middle_of_a_packet():
    near, far = socket.socketpair()
    with near:
        client = large(near)
        assert client.begin(0.0) and client.unsent
        far.close()
        assert not client.answer(go_on=True) and client.trouble


def test_a_packet_that_does_not_fit_is_sent_on_over_tls(tls):
    small, server, tickets = tls
    client = large(small._socket)
    server.send(tickets)
    assert client.begin(0.0) and client.unsent
    arrived = b""
    while len(arrived) < 5 + len(LARGE):
        server._arrived.write(server._end.recv(1 << 20))
        with contextlib.suppress(ssl.SSLWantReadError):
            while data := server._tls.read(1 << 20):
                arrived += data
        assert client.answer(go_on=True), client.trouble
    assert arrived[5:] == LARGE and not client.unsent


@pytest.mark.parametrize("cut", [1, 5, 20, -1])
def test_a_part_of_a_tls_record_is_no_lost_connection(tls, cut):
    client, server, tickets = tls
    server.send(tickets)
    assert client.begin(0.0)
    left, wire = len(client._left), server.wire(OK)
    server.send(wire[:cut])
    assert client.answer(go_on=True), client.trouble
    assert len(client._left) == left
    server.send(wire[cut:])
    assert client.answer(go_on=True) and len(client._left) == left - 1


def test_session_tickets_are_no_answer_and_no_lost_connection(tls):
    client, server, tickets = tls
    assert tickets and client.begin(0.0)
    server.send(tickets)
    assert client.answer(go_on=True) and client.trouble == ""


def test_an_answer_in_two_records_that_arrived_together_is_taken_at_once(tls):
    client, server, tickets = tls
    assert client.begin(0.0)
    left = len(client._left)
    server.send(tickets + server.wire(OK[:4]) + server.wire(OK[4:]))
    assert client.answer(go_on=True) and len(client._left) == left - 1


def test_a_transaction_is_acknowledged_by_the_answer_to_its_last_statement(tls):
    client, server, tickets = tls
    assert client.begin(0.0)
    server.send(tickets)
    for _ in range(len(client._left)):
        server.send(server.wire(OK))
        assert client.answer(go_on=True)
    assert len(client._acknowledged) == 0
    server.send(server.wire(OK))
    assert client.answer(go_on=False) and len(client._acknowledged) == 1


@pytest.mark.parametrize(
    ("answer", "troubles"),
    [(ERR, ["1064: out of luck"]), (b"", ["closed the connection", "reset by peer"])],  # reset: it had unread bytes
)
def test_a_refusal_and_a_lost_connection_end_the_client(tls, answer, troubles):
    client, server, tickets = tls
    assert client.begin(0.0)
    server.send(tickets)
    if answer:
        server.send(server.wire(answer))
    else:
        server._end.close()
    assert not client.answer(go_on=True) and any(trouble in client.trouble for trouble in troubles)
