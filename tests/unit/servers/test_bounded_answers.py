"""Every answer has an end. More bytes, rows, columns or seconds than a statement may have end in a sentence."""

import itertools
import socket
import struct
import time

import pymysql
import pytest

from tests.unit.servers.impostor import OK, log_in, packet
from workers.errors import ServerError
from workers.servers import ask
from workers.servers.connection import connect

TEXT, DECIMAL, NUMBER, TIME = 253, 246, 8, 12
END = packet(b"\xfe\0\0\x02\0", 0)[4:]


def length(size: int) -> bytes:
    if size < 251:
        return bytes([size])
    return b"\xfc" + struct.pack("<H", size) if size < 1 << 16 else b"\xfd" + size.to_bytes(3, "little")


def column(kind: int) -> bytes:
    about = struct.pack("<HIBHB", 45, 100, kind, 0, 0)
    return b"\x03def" + b"\x00" * 3 + b"\x01a\x01a" + b"\x0c" + about + b"\0\0"


def header(*kinds: int) -> bytes:
    bodies = (length(len(kinds)), *(column(kind) for kind in kinds), END)
    return b"".join(packet(body, number & 255) for number, body in enumerate(bodies, 1))


def answering(*sent: bytes, more=lambda caller: None):
    def talk(caller):
        log_in(caller)
        caller.recv(4096)
        for part in sent:
            caller.sendall(part)
        more(caller)
        caller.recv(4096)

    return talk


def field(kind: int, value: bytes) -> bytes:
    rows = packet(length(len(value)) + value, 4), packet(END, 5)
    return header(kind) + b"".join(rows)


def asked(target, **limits):
    with connect(target, **limits) as connection:
        return ask.rows(connection, "SELECT 1")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (DECIMAL, b"1E99999999"),
        (DECIMAL, b"NaN"),
        (DECIMAL, b"9" * 300),
        (DECIMAL, b"9" * (8 << 20)),
        (NUMBER, b"9" * 4000),
        (NUMBER, b"many"),
        (5, b"9" * (8 << 20)),
        (TIME, b"9" * 4000),
        (TEXT, b"\xff\xfe"),
    ],
    ids=lambda value: value[:10].decode("ascii", "replace") if isinstance(value, bytes) else str(value),
)
def test_a_field_that_no_server_sends_ends_the_connection_with_a_sentence(server, kind, value):
    with pytest.raises(ServerError, match="sent what no server sends") as refused:
        asked(server(answering(field(kind, value))))
    assert len(refused.value.message) < 200 and refused.value.fix


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [(DECIMAL, b"-" + b"9" * 65, -int("9" * 65)), (NUMBER, str(2**64 - 1).encode(), 2**64 - 1), (TEXT, b"1E9", "1E9")],
)
def test_the_largest_honest_field_is_read(server, kind, value, read):
    assert asked(server(answering(field(kind, value)))) == [(read,)]


def rows_without_end(caller, row):
    for number in itertools.count(4):
        caller.sendall(packet(row, number & 255))


@pytest.mark.parametrize("row", [b"\x00", length(60000) + b"x" * 60000], ids=["empty", "60 KB"])
def test_rows_without_end_are_given_up_by_the_memory_that_they_take(server, row):
    with pytest.raises(ServerError, match="sent more than 16 MiB for one statement"):
        asked(server(answering(header(TEXT), more=lambda caller: rows_without_end(caller, row))))


def test_columns_without_end_are_given_up(server):
    count = packet(b"\xfe" + struct.pack("<Q", 1 << 62), 1)
    with pytest.raises(ServerError, match="sent what no server sends"):
        asked(server(answering(count)))


def test_packets_in_the_wrong_order_are_given_up(server):
    with pytest.raises(ServerError, match="sent what no server sends"):
        asked(server(answering(packet(b"\x01", 1) + packet(column(TEXT), 7))))


def test_answers_without_end_to_one_statement_are_given_up(server):
    more = packet(b"\x01", 1) + packet(column(TEXT), 2) + packet(b"\xfe\0\0\x0a\0", 3) + packet(b"\xfe\0\0\x0a\0", 4)

    def endless(caller):
        while True:
            caller.sendall(more)

    with pytest.raises(ServerError):
        asked(server(answering(more=endless)))


def test_an_answer_that_comes_letter_by_letter_is_given_up_after_its_time(server):
    def drip(caller):
        while True:
            caller.sendall(b"\x00")
            time.sleep(0.02)

    with pytest.raises(ServerError, match="did not answer in time"):
        asked(server(answering(b"\xff\xff\x0f\x01", more=drip)), answer_s=0.3)


def test_the_largest_honest_answer_is_read(server):
    """SHOW GLOBAL VARIABLES of 5,000 names, twenty of them with values of 64 KB."""
    rows = [packet(length(20) + b"x" * 20 + length(size) + b"y" * size, (5 + n) & 255)
            for n, size in enumerate([65000] * 20 + [200] * 4980)]  # fmt: skip
    found = asked(server(answering(header(TEXT, TEXT), *rows, packet(END, (5 + 5000) & 255))))
    assert len(found) == 5000 and len(found[0][1]) == 65000


def test_a_larger_answer_is_read_where_the_caller_says_so(server):
    rows = [packet(length(1 << 20) + b"y" * (1 << 20), (4 + n) & 255) for n in range(20)]
    target = server(answering(header(TEXT), *rows, packet(END, 24)))
    with connect(target) as connection:
        assert len(ask.rows(connection, "SELECT 1", most_bytes=ask.TABLE_BYTES)) == 20


def test_a_refusal_of_megabytes_is_a_sentence_of_one_line(server):
    """A pattern that looks for a privilege takes the square of the text's length."""
    said = b"at least one of) the x " * 100_000
    refusal = packet(b"\xff" + struct.pack("<H", 1227) + b"#HY000" + said, 1)
    with pytest.raises(ServerError) as refused:
        asked(server(answering(refusal, more=lambda caller: caller.shutdown(socket.SHUT_RDWR))))
    assert len(str(refused.value)) < 3000


def test_a_statement_without_rows_is_answered(server):
    with connect(server(answering(packet(OK, 1)))) as connection:
        assert ask.rows(connection, "DO 1") == []
        assert isinstance(connection, pymysql.Connection)
