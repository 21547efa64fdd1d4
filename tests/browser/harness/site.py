"""A tiny web server for pages of the look: the harness's templates, static/, and a live experiment to script."""

import json
import mimetypes
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from django.conf import settings

from tests.browser.harness.pages import PAYLOADS, render

POLICY = "; ".join(" ".join([name, *values]) for name, values in settings.CONTENT_SECURITY_POLICY["DIRECTIVES"].items())


class Site:
    """Serves on a free loopback port. `state` is what the live page is told, while polls work."""

    def __init__(self, static: Path) -> None:
        self.static = static

    def __enter__(self) -> "Site":
        self.state: dict = {}
        self.poll_works = True
        self.sent: list[str] = []  # forms that arrived
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"site": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.startswith("/static/"):
            self.static(self.site.static / path.removeprefix("/static/"))
        elif path == "/live/poll":
            self.answer(json.dumps(self.site.state), "application/json", 200 if self.site.poll_works else 503)
        elif path.startswith("/payload/"):
            payload = PAYLOADS.get(path.removeprefix("/payload/"))
            self.answer(json.dumps(payload), "application/json", 200 if payload else 500)
        else:
            self.answer(render(path.strip("/") or "parts", shared="shared" in self.path), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.site.sent.append(self.path)
        self.answer("<!doctype html><title>sent</title><link rel=icon href=data:,>", "text/html")

    def static(self, file: Path) -> None:
        if not file.is_file():
            return self.answer("", "text/plain", 404)
        return self.answer(file.read_bytes(), mimetypes.guess_type(file.name)[0] or "text/plain", kept="max-age=3600")

    def answer(self, body: str | bytes, kind: str, status: int = 200, kept: str = "no-store") -> None:
        raw = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("Cache-Control", kept)
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Quiet."""
