"""A connection that plays a server: PyMySQL's cursors with rows that the test gives for each statement."""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager

Rows = Sequence[tuple]


class Played:
    unix_socket, host, port, server_version, plugin = "", "db", 3306, "", ""

    def __init__(self, answers: Mapping[str, Rows | Exception]) -> None:
        """By how a statement begins. `said`: the statements, with their arguments."""
        self.answers = answers
        self.said: list[tuple[str, object]] = []
        self.description: Sequence[tuple] = ()

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @contextmanager
    def cursor(self):
        yield self

    def execute(self, sql: str, args: object = None) -> None:
        self.said.append((sql, args))
        found = next(rows for begin, rows in self.answers.items() if sql.startswith(begin))
        if isinstance(found, Exception):
            raise found
        self._rows = found

    def fetchall(self) -> Rows:
        return self._rows

    def fetchone(self) -> tuple | None:
        return self._rows[0] if self._rows else None
