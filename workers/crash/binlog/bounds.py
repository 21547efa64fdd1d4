"""Limits of reading a binlog: a few bytes of a hostile server may unpack to billions of events or rows."""

import math
import time
from dataclasses import dataclass

from workers.crash.binlog.events import MOST_EVENT_BYTES, BinlogUnknown


@dataclass(frozen=True)
class ReadBounds:
    """`kept_bytes`: of what stays in memory: rows, transactions and names. To compare it takes up to six times as much.
    `event_bytes`: of one event."""

    seconds: float = math.inf
    kept_bytes: int = 1 << 30
    event_bytes: int = MOST_EVENT_BYTES


WIDE = ReadBounds()


class BoundsWatch:
    """From now on."""

    def __init__(self, bounds: ReadBounds) -> None:
        self._until_s, self._most = time.monotonic() + bounds.seconds, bounds.kept_bytes

    def check(self, kept_bytes: int) -> None:
        """Raises BinlogUnknown: it takes too long, or too much is kept."""
        if time.monotonic() >= self._until_s:
            raise BinlogUnknown("The binlog takes too long to read.", "Keep less in it, or use a shorter load.")
        if kept_bytes > self._most:
            raise BinlogUnknown(
                f"The binlog holds more transactions than fit into {self._most >> 20:,} MiB of memory.",
                "Use a shorter load.",
            )
