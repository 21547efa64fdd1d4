"""The answer to COM_BINLOG_DUMP, packet by packet. Layout: "Replication Protocol" in the documentation of MySQL's
source and in the MariaDB knowledge base."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workers.servers.printable import printable

Event = bytes | bytearray
MOST_AT_ONCE = 1 << 20  # bytes of one read
FULL = 0xFFFFFF  # a packet of this length goes on in the next one
EVENT, END, REFUSAL = 0x00, 0xFE, 0xFF
END_BYTES = 9  # at most
MOST_SAID = 500  # bytes of a refusal: it is stored and shown


class NoDump(Exception):
    """What the server sends is no answer to a dump."""


@dataclass(frozen=True)
class DumpRefused(Exception):
    """The server stops sending, and says why."""

    number: int
    says: str


def events(arrived: Callable[[int], bytes], most_bytes: int) -> Iterator[list[Event]]:
    """Lists of events as they arrive, until the server says that there are no more. An event is larger than
    `most_bytes`: NoDump."""
    left, expected = b"", 1
    large = bytearray()  # the event that goes on in the next packet
    while True:
        found: list[Event] = []
        block = left + arrived(MOST_AT_ONCE)
        at, size = 0, len(block)
        while at + 4 <= size:
            length = int.from_bytes(block[at : at + 3], "little")
            after = at + 4 + length
            if after > size:
                break
            if block[at + 3] != expected:
                raise NoDump("packets come in the wrong order")
            expected = expected + 1 & 0xFF
            body = block[at + 4 : after]
            at = after
            if length == FULL or large:
                if not large and body[0] != EVENT:
                    raise NoDump("a packet is neither an event nor the end")
                large += body
                if len(large) > most_bytes:
                    raise NoDump(f"an event has more than {most_bytes:,} bytes")
                if length == FULL:
                    continue
                yield found
                del large[:1]
                yield [large]
                found, large = [], bytearray()
                continue
            if not body or body[0] != EVENT:
                yield found
                _ended(body)
                return
            found.append(body[1:])
        left = block[at:]
        yield found


def _ended(body: bytes) -> None:
    """Raises DumpRefused or NoDump when it is not the end of the log."""
    if body[:1] == bytes([REFUSAL]) and len(body) > 3:
        says = body[9:] if body[3:4] == b"#" else body[3:]
        raise DumpRefused(int.from_bytes(body[1:3], "little"), printable(says[:MOST_SAID].decode(errors="replace")))
    if body[:1] != bytes([END]) or len(body) >= END_BYTES:
        raise NoDump("a packet is neither an event nor the end")
