"""A connection that plays a server: PyMySQL's cursors with rows that the test gives for each statement."""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager

Rows = Sequence[tuple]


class Played:
    unix_socket, host, port = "", "db", 3306

    def __init__(self, answers: Mapping[str, Rows]) -> None:
        """By how a statement begins."""
        self.answers = answers
        self.description: Sequence[tuple] = ()

    @contextmanager
    def cursor(self):
        yield self

    def execute(self, sql: str, args: object = None) -> None:
        self._rows = next(rows for begin, rows in self.answers.items() if sql.startswith(begin))

    def fetchall(self) -> Rows:
        return self._rows

    def fetchone(self) -> tuple | None:
        return self._rows[0] if self._rows else None
