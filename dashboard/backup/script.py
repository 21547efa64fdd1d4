"""The script of pg_restore, executed by a connection of ours, within its transaction. psql is not used: it also does
what lines with a backslash tell it."""

import re
from collections.abc import Iterator
from typing import IO

from django.db.backends.utils import CursorWrapper

from dashboard.backup.refused import not_a_backup

ROWS = re.compile(rb"COPY [^\n]* FROM stdin;\n")
END_OF_ROWS = b"\\.\n"
PIECE_BYTES = 1 << 16
MOST_BYTES = 64 << 20  # of the statements between the rows of two tables


def execute(lines: IO[bytes], cursor: CursorWrapper) -> None:
    """To the end of the lines. That they are whole, the status of pg_restore says."""
    statements = bytearray()
    while line := lines.readline(PIECE_BYTES):
        if ROWS.fullmatch(line):
            cursor.execute(statements.decode())
            statements.clear()
            _copy(lines, line.decode(), cursor)
        elif not line.startswith(b"\\"):
            statements += line
        if len(statements) > MOST_BYTES:
            raise not_a_backup("its tables cannot be read")
    cursor.execute(statements.decode())


def _copy(lines: IO[bytes], statement: str, cursor: CursorWrapper) -> None:
    with cursor.copy(statement) as rows:
        for piece in _rows(lines):
            rows.write(piece)


def _rows(lines: IO[bytes]) -> Iterator[bytes]:
    """A long row comes in several pieces, and only the first can be the end."""
    begins = True
    while piece := lines.readline(PIECE_BYTES):
        if begins and piece == END_OF_ROWS:
            return
        yield piece
        begins = piece.endswith(b"\n")
