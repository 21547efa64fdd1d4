"""An address whose server changes: a TCP relay that looks into a file for the port of each new connection. So a command
in another process moves it, as a vendor moves the name of a managed server."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

AT_ONCE = 1 << 16


@contextmanager
def moving_address(file: Path) -> Iterator[int]:
    """A port of 127.0.0.1. `file` holds the port that it leads to."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    accepting = threading.Thread(target=_accept, args=(listening, file), daemon=True)
    accepting.start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join()


def _accept(listening: socket.socket, file: Path) -> None:
    with contextlib.suppress(OSError):
        while True:
            caller, _ = listening.accept()
            try:
                server = socket.create_connection(("127.0.0.1", int(file.read_text())))
            except (OSError, ValueError):
                caller.close()
                continue
            threading.Thread(target=_join, args=(caller, server), daemon=True).start()


def _join(caller: socket.socket, server: socket.socket) -> None:
    with caller, server:
        back = threading.Thread(target=_pass_on, args=(server, caller), daemon=True)
        back.start()
        _pass_on(caller, server)
        back.join()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while found := one.recv(AT_ONCE):
            other.sendall(found)
    for end in (one, other):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
