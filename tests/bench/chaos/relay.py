"""A proxy before the attached server: it passes everything on, and may be turned towards another server."""

import contextlib
import socket
import threading
from collections.abc import Iterator

HOST = "127.0.0.1"
AT_ONCE_BYTES = 1 << 16


class Relay:
    """`port`: where it listens."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._listening = socket.create_server((HOST, 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    @contextlib.contextmanager
    def towards(self, port: int) -> Iterator[None]:
        """New connections go there."""
        before, self._behind = self._behind, port
        try:
            yield
        finally:
            self._behind = before

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((HOST, self._behind))
            except OSError:  # it is down
                caller.close()
                continue
            threading.Thread(target=_serve, args=(caller, server), daemon=True).start()


def _serve(caller: socket.socket, server: socket.socket) -> None:
    with caller, server:
        for end in (caller, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=_pass_on, args=(server, caller), daemon=True)
        back.start()
        _pass_on(caller, server)
        back.join()


def _pass_on(source: socket.socket, to: socket.socket) -> None:
    """Until either end is closed."""
    with contextlib.suppress(OSError):
        while part := source.recv(AT_ONCE_BYTES):
            to.sendall(part)
    for end in (source, to):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
