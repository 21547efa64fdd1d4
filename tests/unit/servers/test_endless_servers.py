"""A server that never comes to an end: one byte now and then, packets without end, rows without end."""

import inspect
import itertools
import struct
import time

import pymysql
import pytest
from pymysql.connections import MySQLResult

from tests.unit.servers.impostor import OK, log_in, packet
from workers.errors import DurascopeError, Unreachable
from workers.servers import preflight, reading
from workers.servers.connection import connect
from workers.servers.limited import Connection, _BoundedResult
from workers.servers.target import Target


def drip(caller, said):
    for byte in itertools.chain(said, itertools.repeat(0)):
        caller.sendall(bytes([byte]))
        time.sleep(0.02)


def test_a_greeting_letter_by_letter_is_given_up_after_the_time_for_the_login(server):
    long = 1 << 19
    with pytest.raises(Unreachable, match="did not answer in time"):
        connect(server(lambda caller: drip(caller, struct.pack("<I", long))), timeout_s=0.3)


def test_a_greeting_without_end_is_given_up_after_a_megabyte(server):
    def flood(caller):
        caller.sendall(b"\xff\xff\xff\x00")
        while True:
            caller.sendall(bytes(65536))

    with pytest.raises(DurascopeError):
        connect(server(flood), timeout_s=30)


def test_a_test_of_the_connection_ends_though_the_answer_does_not(server, monkeypatch):
    monkeypatch.setattr(preflight, "WHOLE", (0.3, 64 << 20))

    def talk(caller):
        log_in(caller)
        caller.recv(4096)
        drip(caller, b"\xff\xff\x0f\x01")

    result = preflight.run(server(talk))
    assert result.facts is None and result.checks[0].outcome == "failed"
    assert "did not answer in time" in result.checks[0].says


def test_a_test_of_the_connection_ends_though_the_rows_do_not(server, monkeypatch):
    monkeypatch.setattr(preflight, "WHOLE", (60.0, 1 << 20))
    sent = []

    def talk(caller):
        log_in(caller)
        caller.recv(4096)
        about = struct.pack("<HIBHB", 45, 100, 253, 0, 0)
        column = b"\x03def" + b"\x00" * 3 + b"\x01a\x01a" + b"\x0c" + about + b"\0\0"
        caller.sendall(packet(b"\x02", 1) + packet(column, 2) + packet(column, 3) + packet(b"\xfe\0\0\x02\0", 4))
        for number in itertools.count(5):
            row = packet(b"\xc8" + b"x" * 200 + b"\x00", number % 256)
            caller.sendall(row)
            sent.append(len(row))

    result = preflight.run(server(talk))
    assert result.facts is None and result.checks[0].outcome == "failed"
    assert "sent more than was asked for" in result.checks[0].says
    assert 1 << 19 < sum(sent) < 64 << 20, "it was listened to, and not for ever"


def test_the_audit_of_many_waits_for_none_of_them_too_long(server):
    """One drips its greeting, one its answer; a third is not there."""

    def talk(caller):
        log_in(caller)
        caller.recv(4096)
        drip(caller, b"\xff\xff\x0f\x01")

    slow = server(lambda caller: drip(caller, struct.pack("<I", 1 << 19)))
    gone = Target("y", "attached", "u", "p", host="127.0.0.1", port=1, tls="off")
    found = reading.read_all([slow, server(talk), gone], limit_s=1)
    assert [one.facts for one in found] == [None] * 3
    assert ["did not answer in time" in one.why for one in found] == [True, True, False]
    assert "Nothing listens" in found[2].why


def test_a_server_that_ends_is_heard_to_its_end(server):
    """The negative control, and the limit of the login does not go on after it."""

    def talk(caller):
        log_in(caller)
        caller.recv(4096)
        time.sleep(0.4)
        caller.sendall(packet(OK, 1))
        caller.recv(4096)

    with connect(server(talk), timeout_s=0.3) as connection:
        assert connection.query("DO 1") == 0


def test_the_driver_still_has_the_private_names_that_we_use():
    """An upgrade that renames one would leave a limit without effect, and nothing else would say so."""
    ours = vars(Connection)
    names = [name for name in Connection.__annotations__ if name not in ours]
    driver = pymysql.Connection(defer_connect=True)
    driver.server_version = ""  # public, and set at the login
    overridden = {"_read_bytes", "_execute_command", "_read_query_result", "_rfile"}
    assert len(names) >= 6 and overridden <= ours.keys()
    assert [name for name in (*names, *overridden) if not hasattr(driver, name)] == []
    assert "_current_timeout" in inspect.getsource(pymysql.Connection)
    assert all(hasattr(MySQLResult, name) for name in vars(_BoundedResult) if name.startswith(("_get", "_read")))
