"""Copies a server's binary log into files of the same names, event for event at its own position."""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from workers.errors import ServerError
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.dump.files import CopiedFiles
from workers.servers.dump.packets import DumpRefused, Event, NoDump
from workers.servers.dump.session import DumpSession, no_log
from workers.servers.limited import Connection
from workers.servers.target import Target

MOST_NAME_BYTES = 255
LISTING_BYTES = 16 << 20  # of SHOW BINARY LOGS
LOOK_S = 60.0
ENCRYPTION_HEADER_BYTES = 512  # https://dev.mysql.com/doc/refman/8.0/en/replication-binlog-encryption.html
MARGIN_BYTES = 64 << 20  # of what a server writes while it is read
KEPT_FREE_BYTES = 1 << 30  # of the worker's disk


@dataclass(frozen=True)
class CopyLimits:
    """Of one copy. `whole_bytes`: what is received, and what is written. `event_bytes`: what is held in memory."""

    seconds: float = 600.0
    whole_bytes: int = 8 << 30
    event_bytes: int = 64 << 20


LIMITS = CopyLimits()


@dataclass(frozen=True)
class LogFile:
    """A file of the server's binary log, as SHOW BINARY LOGS names it."""

    name: str
    size_bytes: int  # of its events and the mark before them; without the header that MySQL's encryption adds


@dataclass(frozen=True)
class CopiedLog:
    """`refused`: name of a file -> the server's own words, where it did not send the file to its end."""

    files: tuple[Path, ...]
    refused: Mapping[str, str]


def listed(connection: Connection) -> list[LogFile]:
    """The files that the server has, the oldest first. Raises ServerError, also when it keeps no binary log."""
    found = [_listed(row) for row in ask.rows(connection, "SHOW BINARY LOGS")]
    for file in found:
        if file.name in ("", ".", "..") or set(file.name) & set("/\0") or len(file.name.encode()) > MOST_NAME_BYTES:
            raise no_log(ask.where(connection), f"a file of it is named {ask.shown(file.name)}")
        if file.size_bytes < 0:
            raise no_log(ask.where(connection), f"the file {file.name} has {file.size_bytes} bytes")
    if not found:
        raise ServerError(f"{ask.where(connection)} lists no file of a binary log.")
    return found


def _listed(row: Sequence[ask.Field]) -> LogFile:
    """Name, size and, since MySQL 8.0.14, whether the file is encrypted."""
    name, size, *more = (*row, None)
    is_encrypted = ask.as_text(more[0] if more else None).upper() == "YES"
    return LogFile(ask.as_text(name), ask.integer(size) - (ENCRYPTION_HEADER_BYTES if is_encrypted else 0))


def newest(target: Target) -> LogFile:
    """The file that the server writes now. Raises ServerError, also when the account may not read binary logs."""
    with connect(target, whole=(LOOK_S, LISTING_BYTES)) as connection:
        files = listed(connection)
        DumpSession(connection, LISTING_BYTES)
        return files[-1]


def most_bytes(files: list[LogFile], folder: Path, limits: CopyLimits) -> int:
    """Of what a server may send and make us write: as much as it said to have, and the five bytes before each event."""
    told = sum(max(file.size_bytes, 0) for file in files)
    return min(told + told // 4 + MARGIN_BYTES, limits.whole_bytes, shutil.disk_usage(folder).free - KEPT_FREE_BYTES)


def copy_after(target: Target, folder: Path, gtids: str, limits: CopyLimits = LIMITS) -> CopiedLog:
    """As `copy`, of all transactions that are not among these GTIDs, wherever this server has them: its files may have
    other names than those of the server that wrote the first of them."""
    with connect(target, whole=(LOOK_S, LISTING_BYTES)) as connection:
        wanted = listed(connection)
    names, refused = [file.name for file in wanted], {}
    most, until_s = most_bytes(wanted, folder, limits), time.monotonic() + limits.seconds
    with (
        closing(CopiedFiles(folder, names, most, until_s)) as files,
        connect(target, whole=(limits.seconds, most)) as connection,
    ):
        try:
            _receive(DumpSession(connection, limits.event_bytes).after(gtids), files, wanted[-1], target.where)
        except DumpRefused as why:
            refused = {files.leave() or names[-1]: f"{why.says.rstrip('.')} ({why.number})"}
    kept = [name for name in names if name in files.begun or name in refused]
    return CopiedLog(tuple(folder / name for name in kept), refused)


def copy(target: Target, folder: Path, first: str = "", limits: CopyLimits = LIMITS) -> CopiedLog:
    """The files from `first` on ("": from the oldest), up to where the log ended when this began. Raises ServerError;
    MissingPrivilege names the GRANT."""
    until_s = time.monotonic() + limits.seconds
    with connect(target, whole=(limits.seconds, LISTING_BYTES)) as connection:
        wanted = from_first(listed(connection), first, target.where)
    most, refused = most_bytes(wanted, folder, limits), dict[str, str]()
    if (told := sum(file.size_bytes for file in wanted)) > most:
        raise ServerError(
            f"{target.where} has {told:,} bytes of binary log of this trial, and {max(most, 0):,} may be copied.",
            f"Make room in {folder.parent} on the worker's host, or use a shorter load. At most 8 GiB are copied.",
        )
    with closing(CopiedFiles(folder, [file.name for file in wanted], most, until_s)) as files:
        while waiting := [file.name for file in wanted if file.name not in {*files.begun, *refused}]:
            if (left_s := until_s - time.monotonic()) <= 0:
                raise no_log(target.where, f"it takes longer than {limits.seconds:g} s")
            left = left_s, most - files.size_bytes
            with connect(target, whole=left) as connection:  # a server hangs up after a dump
                try:
                    events = DumpSession(connection, limits.event_bytes).of_file(waiting[0])
                    if not _receive(events, files, wanted[-1], target.where):
                        raise no_log(target.where, f"it ended before the end of {wanted[-1].name}")
                    break
                except DumpRefused as why:
                    refused[files.leave() or waiting[0]] = f"{why.says.rstrip('.')} ({why.number})"
    return CopiedLog(tuple(folder / file.name for file in wanted), refused)


def from_first(files: list[LogFile], first: str, where: str) -> list[LogFile]:
    names = [file.name for file in files]
    if first and first not in names:
        raise ServerError(
            f"{where} has no longer the binary log file {first}: it was purged.",
            "Keep binary logs for longer (binlog_expire_logs_seconds, or the retention of a managed service).",
        )
    return files[names.index(first) :] if first else files


def _receive(events: Iterator[list[Event]], files: CopiedFiles, last: LogFile, where: str) -> bool:
    """Whether the end of the last file came, as far as it was listed."""
    try:
        for batch in events:
            files.take(batch)
            if last.name in files.begun and (files.name != last.name or files.position >= last.size_bytes):
                return True  # the server may have begun another file since
    except NoDump as nonsense:
        raise no_log(where, str(nonsense)) from nonsense
    return False
