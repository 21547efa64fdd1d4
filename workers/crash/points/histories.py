"""Small histories: a few statements of one to three clients, one after the other. All their states are tried.

Each statement is answered before the next one is sent. So after a power loss the server must hold what it held after
the last answered statement, or after the one that was under way.
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
class History:
    """`steps`: (client, statement). `settings`: beside those of the server."""

    title: str
    steps: tuple[tuple[int, str], ...]
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def clients(self) -> int:
        return 1 + max(client for client, _ in self.steps)


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
