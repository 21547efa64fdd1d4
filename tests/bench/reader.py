"""A reader of pages over HTTP that costs next to nothing itself."""

import asyncio


class Reader:
    """A connection that is kept, as a browser keeps one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> "Reader":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def get(self, path: str, cookie: str = "", etag: str = "") -> tuple[int, str]:
        """(status, ETag)."""
        more = f"Cookie: {cookie}\r\n" * bool(cookie) + f"If-None-Match: {etag}\r\n" * bool(etag)
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n{more}\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        pairs = [line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line]
        fields = {name.lower(): value for name, value in pairs}
        status = int(head.split(" ", 2)[1])
        if "content-length" in fields:
            await self._reader.readexactly(int(fields["content-length"]))
        elif status != 304:
            raise RuntimeError(f"{path} has no length: {head}")
        return status, fields.get("etag", "")

    def close(self) -> None:
        self._writer.close()
