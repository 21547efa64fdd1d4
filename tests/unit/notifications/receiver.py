"""Receivers of webhooks on this machine, each good for one test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from ssl import SSLContext


@dataclass
class Receiver:
    """Answers with `status` and keeps what came."""

    status: int = 204
    location: str = ""
    port: int = 0
    came: list = field(default_factory=list)


@contextmanager
def receiver(status=204, location="", tls: SSLContext | None = None) -> Iterator[Receiver]:
    got = Receiver(status, location)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.came.append((self.path, dict(self.headers), body))
            self.send_response(got.status)
            if got.location:
                self.send_header("Location", got.location)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        got.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield got
        finally:
            server.shutdown()
            thread.join()
