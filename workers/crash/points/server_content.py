"""What a server holds of a small history, as text: the same text that the script of an archive makes.

Texts are as `mysql --batch` prints them. The server quotes each value itself (QUOTE), so that NULL is no string.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.crash import binlog
from workers.crash.points.histories import SCHEMA
from workers.errors import SandboxError
from workers.sandbox import untrusted
from workers.sandbox.log_places import IN_DATADIR
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.limited import Connection

MOST_LOG_BYTES = 16 << 20  # of a file of the binary log of a few statements
CONTENT_SQL = Path(__file__).with_name("server_content.sql").read_text().replace("@SCHEMA@", SCHEMA)
ESCAPES = str.maketrans({"\\": "\\\\", "\0": "\\0", "\t": "\\t", "\n": "\\n"})


@dataclass(frozen=True)
class ServerContent:
    """`tables`: of each the name, the definition and the rows; `prepared`: names of prepared transactions; `logged`:
    transactions in the binary log."""

    tables: tuple[tuple[str, str, tuple[str, ...]], ...]
    prepared: tuple[str, ...]
    logged: int

    @property
    def in_engine(self) -> tuple[object, object]:
        """Without the binary log."""
        return self.tables, self.prepared

    @property
    def text(self) -> str:
        """Without the binary log."""
        tables = (line for name, definition, rows in self.tables for line in (f"{name}\t{definition}", *rows))
        lines = (*tables, *(f"prepared transaction\t{name}" for name in self.prepared))
        return "".join(f"{line}\n" for line in lines)


def content(connection: Connection, server: Sandbox) -> ServerContent:
    """Raises ServerError, and BinlogUnknown."""
    asked = ask.rows(connection, CONTENT_SQL)
    tables = tuple(_table(connection, ask.as_text(definition), ask.as_text(rows)) for definition, rows in asked)
    prepared = tuple(sorted(printed(row[3:]) for row in ask.rows(connection, "XA RECOVER")))
    return ServerContent(tables, prepared, _logged(server.datadir))


def _table(connection: Connection, definition: str, rows: str) -> tuple[str, str, tuple[str, ...]]:
    (row,) = ask.rows(connection, definition)
    return printed(row[:1]), printed(row[1:]), tuple(map(printed, ask.rows(connection, rows)))


def printed(row: ask.Row) -> str:
    """A row as `mysql --batch` prints it. Bytes that are no UTF-8 come back with `surrogateescape`."""
    return "\t".join(map(_printed, row))


def _printed(field: ask.Field) -> str:
    if field is None:
        return "NULL"
    text = field.decode(errors="surrogateescape") if isinstance(field, bytes) else str(field)
    return text.translate(ESCAPES)


def holds(datadir: Path, texts: Sequence[str]) -> bool:
    """Whether the binary log holds each of these texts, wherever."""
    files = [untrusted.read(path, MOST_LOG_BYTES) for path in binlog.files_of(IN_DATADIR.binlog_index(datadir))]
    return all(any(text.encode() in file for file in files) for text in texts)


def _logged(datadir: Path) -> int:
    index = IN_DATADIR.binlog_index(datadir)
    if not index.exists():
        raise SandboxError("A small history needs a server with a binary log.", "Set log_bin=ON.")
    return binlog.transactions(binlog.files_of(index))
