"""A port of 127.0.0.1 whose callers are served at the same time, and a relay: it passes everything on both ways."""

import contextlib
import socket
import threading
from collections.abc import Callable

HOST = "127.0.0.1"
AT_ONCE_BYTES = 1 << 16


class Served:
    """`serve` gets each caller, in a thread of its own. When it returns, or this is closed, the caller is hung up."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self._serve = serve
        self._listening = socket.create_server((HOST, 0), backlog=64)
        self.port = int(self._listening.getsockname()[1])
        self._callers: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listening.close()
        for caller in self._callers:
            hang_up(caller)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listening.accept()
            except OSError:
                return
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._callers.append(caller)
            self._threads.append(threading.Thread(target=self._until_it_ends, args=(caller,), daemon=True))
            self._threads[-1].start()

    def _until_it_ends(self, caller: socket.socket) -> None:
        with caller:
            self._serve(caller)


def relay(port: Callable[[], int]) -> Served:
    """`port` is asked for each caller: where it leads to now. OSError and ValueError: nowhere, it is hung up."""

    def serve(caller: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), socket.create_connection((HOST, port())) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=_pass_on, args=(server, caller), daemon=True)
            back.start()
            _pass_on(caller, server)
            back.join()

    return Served(serve)


def _pass_on(source: socket.socket, to: socket.socket) -> None:
    """Until either end is closed."""
    with contextlib.suppress(OSError):
        while part := source.recv(AT_ONCE_BYTES):
            to.sendall(part)
    for end in (source, to):
        hang_up(end)


def hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
