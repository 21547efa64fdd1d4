"""The witness on a real server: what it remembers is what the server said."""

import time

import numpy as np
import pytest

from workers.crash import compare_tables
from workers.crash.image import make_tables
from workers.crash.witness import Witness
from workers.errors import SandboxError, ServerError
from workers.servers import ask
from workers.servers.connection import connect

SCHEMA, SECRET = "witness_test", b"known to tests.."
LIMIT_S = 120.0
UNSYNCED = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}


@pytest.fixture
def server(make_sandbox):
    with make_sandbox(UNSYNCED, name="witnessed", trace=False) as server:
        with connect(server.target) as connection:
            ask.rows(connection, f"CREATE SCHEMA {SCHEMA}")
            make_tables(connection, SCHEMA, "innodb")
        yield server


def at_work(server, clients: int, each: int = 20) -> Witness:
    """It has heard so many answers for each client, however long that takes here."""
    witness = Witness(server.target, SCHEMA, clients, SECRET)
    witness.begin()
    wait_until(lambda: all(acknowledged(client) >= each for client in witness.ledger().clients))
    return witness


def acknowledged(client) -> int:
    return int((~np.isnan(client.acknowledged_at_s)).sum())


def wait_until(true) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def rows_of(server):
    with connect(server.target) as connection:
        return compare_tables.seen(compare_tables.read_rows(connection, SCHEMA), SECRET)


def test_the_witness_remembers_every_acknowledged_commit(server):
    """Stopped in mid-work, without a crash: everything acknowledged is there, and nothing that was not sent."""
    witness = at_work(server, 8, each=100)
    witness.drain(quiet_s=0.3)
    ledger, seen = witness.ledger(), rows_of(server)
    witness.close()
    assert set(ledger.acknowledged()) <= set(seen.whole) <= set(ledger.sent())
    assert len(ledger.in_doubt()) <= 8
    assert len(ledger.acknowledged()) >= 800


def test_the_witness_knows_when_each_commit_was_acknowledged(server):
    witness = at_work(server, 4)
    witness.drain()
    ended_s = time.monotonic() - witness.began
    witness.close()
    for client in witness.ledger().clients:
        told = client.acknowledged_at_s[~np.isnan(client.acknowledged_at_s)]
        assert (np.diff(told) > 0).all()
        assert 0 < told[0] < told[-1] < ended_s


def test_the_witness_leaves_at_most_one_transaction_of_each_client_in_doubt_at_a_kill(server):
    """None of a client whose last answer had arrived when it was told to send nothing more."""
    witness = at_work(server, 16)
    server.kill()
    witness.drain()
    assert not witness.alive
    assert witness.trouble
    ledger = witness.ledger()
    witness.close()
    assert all(client.sent - acknowledged(client) in (0, 1) for client in ledger.clients)


def test_the_witness_reads_every_answer_that_a_frozen_server_has_sent(server):
    """Answers lie in the sockets when the server is frozen; the binlog tells which transactions were committed."""
    witness = at_work(server, 16)
    server.freeze()
    witness.drain()
    heard = len(witness.ledger().acknowledged())
    time.sleep(0.2)
    assert len(witness.ledger().acknowledged()) == heard
    witness.close()


def test_a_client_sends_nothing_after_an_error(server):
    """A row in its way: that client ends with the server's words, its transaction in doubt; the others go on."""
    with connect(server.target) as connection:
        ask.rows(connection, f"INSERT INTO {SCHEMA}.one VALUES (2, 30, 0, 0)")
    witness = Witness(server.target, SCHEMA, 4, SECRET)
    witness.begin()
    wait_until(lambda: witness.trouble and sum(client.sent > 30 for client in witness.ledger().clients) == 3)
    alive = witness.alive
    witness.drain(quiet_s=0.2)
    ledger = witness.ledger()
    witness.close()
    assert alive
    assert witness.trouble.startswith("1062: Duplicate entry")
    assert [client.sent > 30 for client in ledger.clients] == [True, True, False, True]
    assert ledger.clients[2].sent == 30
    assert np.isnan(ledger.clients[2].acknowledged_at_s[-1])


def test_the_witness_serves_256_clients(server):
    witness = at_work(server, 256, each=1)
    witness.drain()
    ledger = witness.ledger()
    witness.close()
    assert len(ledger.clients) == 256
    assert all(acknowledged(client) >= 1 for client in ledger.clients)


def test_the_witness_can_be_asked_while_it_works(server):
    witness = at_work(server, 16, each=1)
    known = [len(witness.ledger().acknowledged()) for _ in range(200)]
    wait_until(lambda: len(witness.ledger().acknowledged()) > known[0])
    assert witness.alive
    witness.drain()
    witness.close()
    assert known == sorted(known)
    assert known[0] > 0


def test_a_witness_that_does_not_stop_is_not_believed(server, monkeypatch):
    witness = at_work(server, 2)
    monkeypatch.setattr("workers.crash.witness.JOIN_S", 0.0)
    monkeypatch.setattr(witness, "_answers", lambda: witness.alive)  # it goes round for as long as it is let
    with pytest.raises(SandboxError, match="did not stop"):
        witness.drain()
    monkeypatch.undo()
    witness.close()


def test_a_missing_schema_is_named(server):
    with pytest.raises(ServerError, match="no_such_schema"):
        Witness(server.target, "no_such_schema", 2, SECRET)
