"""The events in a MySQL payload event: a whole transaction, compressed or not (binlog_transaction_compression)."""

import io
from collections.abc import Iterator
from typing import Protocol

import zstandard

from workers.crash.binlog.events import HEADER, HEADER_BYTES, BinlogUnknown, EventType
from workers.crash.binlog.rows import Malformed, packed

COMPRESSION, SIZE = 2, 3  # fields of a payload event; the size is that of its events, unpacked
ZSTD, UNCOMPRESSED = 0, 255
MOST_WINDOW_BYTES = 128 << 20  # what a hostile payload may make us hold; the server's own are far smaller
MOST_BYTES = 2 << 30  # of all events together: the server's limit is 1 GiB
MOST_EVENT_BYTES = 256 << 20


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def events(event: bytes) -> Iterator[bytes]:
    """The events of the transaction, without checksums. BinlogUnknown: compressed in a way that is not known here."""
    fields, at = _fields(event)
    stream = _stream(fields.get(COMPRESSION), event[at:])
    done, size = 0, min(fields.get(SIZE, MOST_BYTES), MOST_BYTES)  # a hostile server writes any size
    try:
        while header := _exactly(stream, HEADER_BYTES, or_none=True):
            kind, length, _ = HEADER.unpack_from(header)
            done += length
            if not HEADER_BYTES <= length <= MOST_EVENT_BYTES or done > size or kind == EventType.TRANSACTION_PAYLOAD:
                raise Malformed("An event in a transaction's payload cannot be there.")
            yield header + _exactly(stream, length - HEADER_BYTES)
    except zstandard.ZstdError as damaged:
        raise Malformed(f"A transaction's payload cannot be unpacked: {damaged}.") from damaged
    if done != fields.get(SIZE, done):
        raise Malformed("A transaction's payload is cut off.")


def _stream(compression: int | None, body: bytes) -> Stream:
    if compression == UNCOMPRESSED:
        return io.BytesIO(body)
    if compression == ZSTD:
        unpacker = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW_BYTES)
        return unpacker.stream_reader(body, read_across_frames=True)
    raise BinlogUnknown(
        f"The binlog holds transactions that are compressed in an unknown way ({compression}).",
        "Set binlog_transaction_compression=OFF for crash trials.",
    )


def _exactly(stream: Stream, size: int, *, or_none: bool = False) -> bytes:
    """So many bytes; none only where an event may end the payload."""
    parts, missing = [], size
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    if missing and (parts or not or_none):
        raise Malformed("An event in a transaction's payload is cut off.")
    return b"".join(parts)


def _fields(event: bytes) -> tuple[dict[int, int], int]:
    """Fields are type, length and value, up to type 0; and where they end."""
    at, fields = HEADER_BYTES, {}
    while (field := packed(event, at))[0]:
        length, at = packed(event, field[1])
        fields[field[0]], at = packed(event, at)[0], at + length
    return fields, field[1]
