"""A mail server of our own: it takes every message and keeps it."""

import email
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from socketserver import StreamRequestHandler, ThreadingTCPServer


@dataclass
class Mailbox:
    port: int = 0
    came: list[EmailMessage] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """For who sends."""
        return {
            "DURASCOPE_SMTP_HOST": "127.0.0.1",
            "DURASCOPE_SMTP_PORT": str(self.port),
            "DURASCOPE_SMTP_TLS": "off",
            "DURASCOPE_ADDRESS": "https://lab.example.org",
        }


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    box = Mailbox()

    class Handler(StreamRequestHandler):
        """As little of SMTP (RFC 5321) as smtplib speaks."""

        timeout = 60

        def handle(self) -> None:
            self._say(220)
            for line in self.rfile:
                word = line[:4].upper()
                self._say(354 if word == b"DATA" else 221 if word == b"QUIT" else 250)
                if word == b"DATA":
                    self._take()
                if word == b"QUIT":
                    return

        def _take(self) -> None:
            lines = list(iter(self.rfile.readline, b".\r\n"))
            box.came.append(email.message_from_bytes(b"".join(lines), policy=default))
            self._say(250)

        def _say(self, code: int) -> None:
            self.wfile.write(b"%d -\r\n" % code)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        box.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield box
        finally:
            server.shutdown()
            thread.join()
