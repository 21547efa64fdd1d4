"""Searches for texts that are slow to read: `python -m tests.bench.option_files.slow [--seconds N] [--seed N]`.

Texts of at most MOST_CHARACTERS are made of repeated pieces; the costliest ones are changed again. It prints each text
that sets a record, and ends with 1 if one takes more than LIMIT_S seconds of processor time.
"""

import argparse
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace

from workers.errors import PlanError
from workers.servers.pasted.lines import LONGEST, MOST_LINES
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.options import servers
from workers.servers.pasted.read import MOST_CHARACTERS, read

LIMIT_S = 2.0
KEPT = 12  # texts that are changed again
VERSIONS = ("", "", "", "MySQL 5.7", "MySQL 8.0", "Percona 5.7", "MariaDB 10.11")
HEADS = ("[mysqld]\n", "[mysqld1]\n", "", "[client]\n", "Variable_name\tValue\n", "[x]\n")
PIECES = (
    "loose_", "loose-", "skip-", "disable_", "enable-", "maximum_", "autoset_", "i", "in", "s", "x", "=", "=1",
    "= ", "'", "\"", "\\", "\\n", "\\\\", "#", ";", " ", "\t", "\xa0", "\0", "\r", "\f", "\n", "!include /x",
    "!includedir /x", "! ", ".", "a.", "-", "_", "--", "{{", "{%", "${", "{", "}", "[", "]", "[mysqld]",
    "[mysqld", "resource ", "variable_name: ", "Value: ", "|", ",", ":", "\ufeff", "\xe9", "\ud800", "9", "0",
    "99999", "K", "E", "e9", "mysqld", "mariadb-", "sync_binlog", "innodb_flush_log_at_trx_commit",
    "innodb_flush_method", "innodb_doublewrite", "log_bin", "rocksdb_", "plugin_load_add=", "rocksdb",
    "tokudb_commit_sync", "validate_password", "innodb_", "innodb_flush_log_at_trx_", "name", "null", "true",
    "\"a\":", "{n}", "{n}", "{n}",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """`pieces` with how often each stands in a line; {n} in a piece is the line's number."""

    head: str
    pieces: tuple[tuple[str, int], ...]
    lines: int
    version: str

    def text(self) -> str:
        line = "".join(piece * times for piece, times in self.pieces) + "\n"
        lines = min(self.lines, MOST_CHARACTERS // (len(line) + 4) + 1)
        if "{n}" in line:
            return (self.head + "".join(line.replace("{n}", str(number)) for number in range(lines)))[:MOST_CHARACTERS]
        return (self.head + line * lines)[:MOST_CHARACTERS]


def shape(chance: random.Random) -> Shape:
    pieces = tuple(_piece(chance) for _ in range(chance.randint(1, 4)))
    lines = chance.choice((1, 2, 500, MOST_LINES - 5, MOST_LINES - 5, MOST_CHARACTERS))
    return Shape(chance.choice(HEADS), pieces, lines, chance.choice(VERSIONS))


def _piece(chance: random.Random) -> tuple[str, int]:
    piece = chance.choice(PIECES)
    most = chance.choice((1, 1, 1, 3, 30, 200, LONGEST, MOST_CHARACTERS))
    return piece, max(most // len(piece), 1)


def changed(one: Shape, chance: random.Random) -> Shape:
    pieces = list(one.pieces)
    at = chance.randrange(len(pieces))
    found = chance.random()
    if found < 0.4:
        pieces[at] = _piece(chance)
    elif found < 0.7:
        pieces.insert(at, _piece(chance))
    elif len(pieces) > 1:
        del pieces[at]
    other = shape(chance)
    return replace(
        one,
        pieces=tuple(pieces),
        head=other.head if chance.random() < 0.2 else one.head,
        lines=other.lines if chance.random() < 0.2 else one.lines,
        version=other.version if chance.random() < 0.2 else one.version,
    )


def cost(one: Shape) -> float:
    text, named = one.text(), named_version(one.version)
    begin = time.process_time()
    with suppress(PlanError):
        read(text, named)
    return time.process_time() - begin


def search(seconds: float, seed: int) -> float:
    """The highest cost that it found, in seconds."""
    chance = random.Random(seed)
    servers()  # the table is read once in a process
    kept: list[tuple[float, Shape]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one = changed(chance.choice(kept)[1], chance) if kept and chance.random() < 0.6 else shape(chance)
        found = cost(one)
        if not kept or found > kept[0][0]:
            print(f"{found:.2f} s: {one}", flush=True)
        kept = sorted([*kept, (found, one)], key=lambda pair: -pair[0])[:KEPT]
    return kept[0][0] if kept else 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    sys.exit(int(search(asked.seconds, asked.seed) > LIMIT_S))
