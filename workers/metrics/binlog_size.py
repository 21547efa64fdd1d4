"""Bytes written to the binary log, by the names and sizes of its files. Every server with a binary log tells them, also
without performance_schema."""

from functools import partial

from workers.errors import ServerError
from workers.metrics.source import Counts, Figure, SourceSession, Subject, Window
from workers.servers import ask
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.look import binlog_status


class BinlogSize:
    key = "binlog_size"
    title = "Size of the binary log"
    cost = "one small statement per second"

    def missing(self, subject: Subject) -> str:
        try:
            end_of_log(subject.connection, subject.facts)
        except ServerError as refused:
            return str(refused)
        return ""

    def open(self, subject: Subject) -> SourceSession:
        return Window(_Written(subject).read, partial(_figures, is_on=subject.facts.variable("log_bin") == "ON"))


class _Written:
    """Bytes since the first reading, over rotations. Sizes of files are listed after a rotation only: a server opens
    each file for that."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._file, self._at, self._bytes = "", 0, 0

    def read(self) -> Counts:
        file, at = end_of_log(self._subject.connection, self._subject.facts)
        if self._file == file and at < self._at:
            raise ServerError(f"The binary log was reset while it was measured: {file} became shorter.")
        if self._file == file:
            self._bytes += at - self._at
        elif self._file:
            self._bytes += self._since(file, at) - self._at
        self._file, self._at = file, at
        return {"written": self._bytes}

    def _since(self, file: str, at: int) -> int:
        """From the beginning of the last known file to this place."""
        listed = ask.rows(self._subject.connection, "SHOW BINARY LOGS")
        sizes = {ask.as_text(row[0]): ask.integer(row[1]) for row in listed if len(row) > 1}
        names = list(sizes)
        if not {self._file, file} <= set(names):
            raise ServerError(f"The file {self._file} of the binary log was removed before its size was read.")
        return sum(sizes[name] for name in names[names.index(self._file) : names.index(file)]) + at


def end_of_log(connection: Connection, facts: Facts) -> tuple[str, int]:
    """The last file of the binary log and its size in bytes; ("", 0): the log is off. Raises ServerError."""
    found = ask.rows(connection, binlog_status(facts.flavour, facts.version))
    if not found:
        return "", 0
    name, size, *_ = (*found[0], None)
    return ask.as_text(name), ask.integer(size)


def _figures(before: Counts, after: Counts, *, is_on: bool) -> tuple[Figure, ...]:
    note = "" if is_on else "the binary log is off"
    return (Figure("binlog_bytes", after["written"] - before["written"], "binlog_size:files", note),)
