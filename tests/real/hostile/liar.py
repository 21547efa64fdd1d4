"""A server that lies: it stands before a real MariaDB, forwards every statement, and lies where a scenario says so."""

import contextlib
import functools
import re
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pymysql

from tests.real.hostile import wire
from tests.real.served import HOST, Served
from workers.servers.target import Target

Talk = Callable[[socket.socket], object]
Lie = bytes | Talk
COM_QUIT, COM_QUERY, COM_REGISTER, COM_DUMP, COM_DUMP_GTID = b"\x01", b"\x03", b"\x15", b"\x12", b"\x1e"
PREPARED = (b"\x16", b"\x17", b"\x18", b"\x19", b"\x1a")  # statements whose answers have another shape, or none
DUMPED = "COM_BINLOG_DUMP"  # the key of a lie that answers it
LOGIN = "LOGIN"  # of a lie that greets instead of the server


class Liar:
    """`lies`: by patterns of statements, and DUMPED and LOGIN. Everybody may log in."""

    def __init__(self, real: Target, lies: Mapping[str, Lie]) -> None:
        self._real, self._lies = real, lies
        self._served = Served(self._serve)
        self.target = Target("liar", "attached", "u", "p", host=HOST, port=self._served.port, tls="off")

    def close(self) -> None:
        self._served.close()

    def _serve(self, caller: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError):
            if lie := self._lies.get(LOGIN):
                _tell(caller, lie)
                return
            caller.sendall(wire.packet(wire.greeting(), 0))
            number, _ = received(caller)
            caller.sendall(wire.packet(wire.OK, number + 1))
            with contextlib.ExitStack() as held:
                self._answer(caller, functools.cache(lambda: held.enter_context(connected(self._real))))

    def _answer(self, caller: socket.socket, real: Callable[[], socket.socket]) -> None:
        """`real`: logged in to the real server when a statement is forwarded for the first time."""
        while True:
            _, body = received(caller)
            if body[:1] in (b"", COM_QUIT, *PREPARED):
                return
            if (lie := self._lie_for(body)) is not None:
                _tell(caller, lie)
            else:
                forward(real(), body, caller)

    def _lie_for(self, body: bytes) -> Lie | None:
        if body[:1] in (COM_DUMP, COM_DUMP_GTID):
            return self._lies.get(DUMPED)
        if body[:1] == COM_REGISTER:
            return wire.packet(wire.OK, 1) if DUMPED in self._lies else None
        said = body[1:].decode("utf-8", "replace") if body[:1] == COM_QUERY else ""
        found = (lie for pattern, lie in self._lies.items() if said and re.search(pattern, said, re.IGNORECASE))
        return next(found, None)


def _tell(caller: socket.socket, lie: Lie) -> None:
    if isinstance(lie, bytes):
        caller.sendall(lie)
    else:
        lie(caller)


@contextmanager
def connected(real: Target) -> Iterator[socket.socket]:
    """A socket that is logged in to the real server."""
    link = pymysql.connect(
        host=real.host,
        port=real.port,
        unix_socket=real.socket or None,
        user=real.user,
        password=real.password,
        autocommit=True,
        ssl_disabled=True,
    )
    with contextlib.closing(link):
        yield link._sock


def forward(real: socket.socket, body: bytes, caller: socket.socket) -> None:
    """One command and the whole of its answer."""
    real.sendall(wire.packet(body, 0))
    if body[:1] == COM_DUMP:
        while not _is_end(_passed(real, caller)):
            pass
        return
    first = _passed(real, caller)
    if first[:1] in (b"\x00", b"\xff"):
        return
    for _ in ("columns", "rows"):
        while not _is_end(_passed(real, caller)):
            pass


def _passed(real: socket.socket, caller: socket.socket) -> bytes:
    number, body = received(real)
    caller.sendall(wire.packet(body, number))
    return body


def _is_end(body: bytes) -> bool:
    return body[:1] == b"\xff" or (body[:1] == b"\xfe" and len(body) < 9)


def received(link: socket.socket) -> tuple[int, bytes]:
    head = _exactly(link, 4)
    return head[3], _exactly(link, struct.unpack("<I", head[:3] + b"\0")[0])


def _exactly(link: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = link.recv(size - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
