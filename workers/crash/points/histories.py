"""Small histories: a few statements of one to three clients. All their states are tried; exhaust.py says which.

Each statement is answered before the next one is sent. So after a power loss the server must hold what it held after
the last answered statement, or after the one that was under way. At the end of a history, several clients may send
their statements at once. Each of these that was not answered may be there or not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMA = "durascope_history"
TABLES = tuple(
    f"CREATE TABLE {SCHEMA}.{name} (id INT PRIMARY KEY, v VARCHAR(2000) NOT NULL) ENGINE=InnoDB" for name in ("a", "b")
)
A, B, C = 0, 1, 2
LONG = "x" * 1500


@dataclass(frozen=True)
class AtOnce:
    """A statement that commits while others do. `table`: the only one that it changes, and no other of them does.
    `wrote`: text that its transaction leaves in the binary log."""

    client: int
    statement: str
    table: str
    wrote: str


@dataclass(frozen=True)
class History:
    """`steps`: (client, statement), one after the other; then `at_once`. `settings`: beside those of the server."""

    title: str
    steps: tuple[tuple[int, str], ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    at_once: tuple[AtOnce, ...] = ()

    @property
    def clients(self) -> int:
        return 1 + max((*(client for client, _ in self.steps), *(one.client for one in self.at_once)))


def insert(table: str, *ids: int, v: str = "v") -> str:
    rows = ",".join(f"({one},'{v}')" for one in ids)
    return f"INSERT INTO {table} VALUES {rows}"  # noqa: S608 - our own names


def alone(title: str, *statements: str, **settings: str) -> History:
    return History(title, tuple((A, one) for one in statements), settings)


HISTORIES = (
    alone("autocommit", insert("a", 1), insert("a", 2), insert("a", 3), insert("a", 4)),
    alone("several rows", insert("a", 1, 2, 3), "BEGIN", insert("a", 4), insert("a", 5), "COMMIT"),
    alone("two tables", "BEGIN", insert("a", 1), insert("b", 1), "COMMIT", insert("b", 2), insert("a", 2)),
    alone("update and delete", insert("a", 1, 2), "UPDATE a SET v='w' WHERE id=1", "DELETE FROM a WHERE id=2"),
    History(
        "two clients",
        (
            *((A, "BEGIN"), (A, insert("a", 1)), (B, insert("b", 1)), (A, "COMMIT")),
            *((B, insert("b", 2)), (A, insert("a", 2))),
        ),
    ),
    History(
        "three clients",
        (
            *((A, "BEGIN"), (B, "BEGIN"), (A, insert("a", 1)), (B, insert("a", 2)), (C, insert("b", 1))),
            *((B, "COMMIT"), (A, "ROLLBACK"), (C, insert("b", 2))),
        ),
    ),
    History(
        "two clients commit at once",
        (
            *((A, "BEGIN"), (A, insert("a", 1, v="written by A"))),
            *((B, "BEGIN"), (B, insert("b", 1, v="written by B"))),
        ),
        at_once=(AtOnce(A, "COMMIT", "a", "written by A"), AtOnce(B, "COMMIT", "b", "written by B")),
    ),
    History(
        "two clients insert at once",
        ((A, insert("a", 1)),),
        at_once=(
            AtOnce(A, insert("a", 2, v="written by A"), "a", "written by A"),
            AtOnce(B, insert("b", 1, v="written by B"), "b", "written by B"),
        ),
    ),
    alone("table made and dropped", insert("a", 1), "CREATE TABLE c LIKE a", insert("c", 1), "DROP TABLE c"),
    alone(
        "column added", insert("a", 1), "ALTER TABLE a ADD COLUMN w INT NULL", "UPDATE a SET w=7", "TRUNCATE TABLE a"
    ),
    alone("table renamed", insert("a", 1), "RENAME TABLE a TO c", insert("c", 2), "RENAME TABLE c TO a"),
    alone("binlog rotated", insert("a", 1), "FLUSH BINARY LOGS", insert("a", 2), "FLUSH BINARY LOGS", insert("a", 3)),
    alone(
        "binlog rotated by its size",
        *(insert("a", n, v=LONG) for n in range(1, 6)),
        max_binlog_size="4096",
    ),
    alone(
        "XA",
        *("XA START 'x'", insert("a", 1), "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"),
        *("XA START 'y'", insert("a", 2), "XA END 'y'", "XA COMMIT 'y' ONE PHASE"),
    ),
)
