"""A browser writes its PNGs fast, not small: the same picture with its data compressed as well as it can be."""

import struct
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def squeeze(png: bytes) -> bytes:
    """Not a pixel differs. Raises ValueError for what is no PNG."""
    if not png.startswith(SIGNATURE):
        raise ValueError("This is no PNG.")
    chunks = list(_chunks(png))
    data = zlib.compress(zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT")), 9)
    head = next(chunk for chunk in chunks if chunk[0] == b"IHDR")
    return SIGNATURE + b"".join(_chunk(*one) for one in (head, (b"IDAT", data), (b"IEND", b"")))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        size, name = struct.unpack_from(">I4s", png, at)
        yield name, png[at + 8 : at + 8 + size]
        at += size + 12


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
