"""Django's connections are a thread's, and end with each request: the next one would open the file anew, read the
schema again (7 ms) and begin with an empty page cache. Here a connection that is closed is put aside for the next who
opens one, in whatever thread. PostgreSQL's backend does the same by its option `pool`."""

import os
import sqlite3
from pathlib import Path
from threading import Lock
from typing import Any

from django.db.backends.sqlite3 import base

MOST = 16  # that wait; more than that are closed


class Pool:
    """Connections of this process that nobody uses, with the file that each has open."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A child process must not use, and not even close, what its parent opened (sqlite.org/howtocorrupt.html)."""
        self._parents = getattr(self, "_free", [])
        self._free: list[tuple[tuple[int, int], sqlite3.Connection]] = []
        self._changing = Lock()

    def take(self, file: str) -> sqlite3.Connection | None:
        """The one that was used last: its pages are most likely in memory. None when there is none to that file."""
        identity = _identity(file)
        with self._changing:
            here = [entry for entry in self._free if entry[0] == identity]
            if not here:
                return None
            self._free.remove(here[-1])
            return here[-1][1]

    def put(self, connection: sqlite3.Connection, file: str) -> bool:
        """False, and nothing kept: it is not as a new one would be, or there are enough."""
        identity = _identity(file)
        if identity is None or not _is_as_new(connection):
            return False
        with self._changing:
            if len(self._free) >= MOST:
                return False
            self._free.append((identity, connection))
        return True


pool = Pool()
os.register_at_fork(after_in_child=pool.forget)


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Where the file was replaced, by a restored backup say, its old connections are never taken again."""
        if self.is_in_memory_db():
            return super().get_new_connection(conn_params)
        return pool.take(str(conn_params["database"])) or super().get_new_connection(conn_params)

    def _close(self) -> None:
        """One that has met an error is not to be met again."""
        is_for_another = self.connection is not None and not self.errors_occurred and not self.is_in_memory_db()
        if not (is_for_another and pool.put(self.connection, str(self.settings_dict["NAME"]))):
            super()._close()


def _is_as_new(connection: sqlite3.Connection) -> bool:
    """No transaction is open, and foreign keys are looked after: migrations switch that off for a while."""
    try:
        if connection.in_transaction:
            connection.rollback()
        return bool(connection.execute("PRAGMA foreign_keys").fetchone()[0])
    except sqlite3.Error:
        return False


def _identity(file: str) -> tuple[int, int] | None:
    """An inode is not given to another file as long as a connection has it open."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
