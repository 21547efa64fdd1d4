"""Requests reach the threads that make pages only when they are complete."""

from tempfile import SpooledTemporaryFile
from typing import IO

from django.conf import settings

from dashboard.pages.forwarded import Application, Message, Receive, Scope, Send

PART_BYTES = 1 << 20
MOST_BYTES = 257 << 20  # of a request, as in deploy/nginx.conf: the largest file that can be imported, and its form


class Whole:
    """Passes a request to a thread when it is complete, so that no thread waits for a slow visitor. A request above
    `most` bytes is refused with 413, so that no visitor fills the disk."""

    def __init__(self, application: Application, most: int = MOST_BYTES) -> None:
        self._application, self._most = application, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        with SpooledTemporaryFile(settings.FILE_UPLOAD_MAX_MEMORY_SIZE) as body:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                body.write(message.get("body", b""))
                if body.tell() > self._most:
                    await _too_large(send)
                    return
                more = message.get("more_body", False)
            length = body.tell()
            body.seek(0)
            await self._application(_sized(scope, length), _again(body, length), send)


async def _too_large(send: Send) -> None:
    head = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": head})
    await send({"type": "http.response.body", "body": b"The request is too large. Nothing was stored."})


def _sized(scope: Scope, length: int) -> Scope:
    """WSGI needs a length; a visitor may send a body in chunks."""
    others = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    return {**scope, "headers": [*others, (b"content-length", str(length).encode())]}


def _again(body: IO[bytes], length: int) -> Receive:
    async def receive() -> Message:
        part = body.read(PART_BYTES)
        return {"type": "http.request", "body": part, "more_body": body.tell() < length}

    return receive
