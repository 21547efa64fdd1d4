"""Crash points that were found and not tried. All of them are stored, as one text: a long load has tens of thousands.

The text is a compressed table: columns of PointPlace, in base64. It takes about a tenth of the same points as JSON.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

MOST_BYTES = 64 << 20  # unpacked: a file that was imported may hold anything
AT_S = 6  # decimal places


@dataclass(frozen=True, kw_only=True)
class PointPlace:
    """Where a crash point lies, and what the disk keeps there. `moment`: events of the recording before the power loss;
    `at_s`: until then this content was possible, since the load began; `keeps`: durable, written, torn, or killed;
    `way`: why it was chosen; `redo` and `binlog`: bytes of each that were flushed; 0 at a kill."""

    moment: int
    at_s: float
    keeps: str
    way: str
    redo: int
    binlog: int


@dataclass(frozen=True, kw_only=True)
class UntriedPoint(PointPlace):
    """A crash point that was found and not tried."""


COLUMNS = {one.name: one.type for one in fields(UntriedPoint)}


def packed(points: Sequence[UntriedPoint]) -> str:
    """In this order. "": there are none."""
    if not points:
        return ""
    table = {name: [_rounded(getattr(one, name)) for one in points] for name in COLUMNS}
    return b64encode(zlib.compress(json.dumps(table, separators=(",", ":")).encode(), 9)).decode()


def unpacked(text: str) -> list[UntriedPoint]:
    """Raises ValueError when the text is no such table."""
    if not text:
        return []
    reader = zlib.decompressobj()
    try:
        content = reader.decompress(b64decode(text, validate=True), MOST_BYTES)
        if not reader.eof:
            raise ValueError("This list of crash points is not whole, or too large.")
        table = json.loads(content)
        rows = zip(*([_checked(name, one) for one in table[name]] for name in COLUMNS), strict=True)
        return [UntriedPoint(**dict(zip(COLUMNS, row, strict=True))) for row in rows]
    except (zlib.error, KeyError, TypeError, RecursionError) as wrong:
        raise ValueError(f"This is no list of crash points: {wrong}") from wrong


def _rounded(value: object) -> object:
    return round(value, AT_S) if isinstance(value, float) else value


def _checked(name: str, value: object) -> Any:
    if type(value) is not COLUMNS[name]:
        raise TypeError(f"{name} is {value!r}")
    return value
