"""Reads evidence from a server after its recovery. A piece that cannot be read is None, and `problems` says why."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self, TypeVar

from workers.crash import binlog, compare_tables
from workers.crash.attached import FIX_INDEX
from workers.crash.binlog import BinlogUnknown
from workers.crash.compare_tables import WRITES_AFTER
from workers.crash.evidence import BinlogSeen, Oddities, Seen
from workers.crash.own_load import OwnLoad
from workers.errors import DurascopeError, PlanError, ServerError, reason
from workers.host import temporary
from workers.sandbox import untrusted
from workers.servers import ask, dump, gtid
from workers.servers.connection import connect
from workers.servers.identity import ServerName, server_name
from workers.servers.limited import Connection
from workers.servers.target import Target

PROBES = 20  # transactions that are written after recovery, to see their GTIDs
SENT = binlog.ReadBounds(seconds=600.0, kept_bytes=256 << 20, event_bytes=256 << 20)  # of reading what a server sent
NUMBER = re.compile(r"[0-9]{1,18}")
TELLING = re.compile(r"recover|prepared|binlog|roll(ed )?back|corrupt|torn|\[ERROR\]|\[Warning\]|LSN|crash", re.I)
Piece = TypeVar("Piece")


@dataclass(frozen=True)
class BinlogPlace:
    """A trial's part of the binlog: the index file, and the first file of the trial ("": all). An attached server may
    have years of older files. `among`: the names of the files that existed at an earlier moment; None: all. `home`: the
    folder at which relative names in the index begin; None: its own. `own_tables`: of an own transaction."""

    index: Path
    first: str = ""
    among: frozenset[str] | None = None
    home: Path | None = None
    own_tables: tuple[str, ...] = ()

    @classmethod
    def now(cls, index: Path, home: Path | None = None) -> Self:
        """PlanError: the index names no file."""
        files = cls(index, home=home).files()
        if not files:
            raise PlanError(f"The binary log index {index.name} is empty: the server was not crashed.", FIX_INDEX)
        return cls(index, files[-1].name, home=home)

    def files(self) -> list[Path]:
        """BinlogUnknown: the first ones were purged. After a loss the server numbers its files as before."""
        named = binlog.files_of(self.index, self.home)
        names = [path.name for path in named]
        if self.first and names and all(_number(name) > _number(self.first) for name in names):
            raise BinlogUnknown(
                f"The binary log was purged during the trial: {self.first} is gone, and what it held is not known.",
                "Do not purge it while a trial runs, and let it expire later.",
            )
        ours = named[names.index(self.first) :] if self.first in names else named
        return ours if self.among is None else [path for path in ours if path.name in self.among]

    def read(self, schema: str, secret: bytes) -> BinlogSeen:
        """Raises DurascopeError or OSError."""
        return binlog.read(self.files(), schema, secret, own_tables=self.own_tables)


@dataclass(frozen=True)
class SentBinlog:
    """As BinlogPlace, of a server whose files are not on this host: it sends them as to a replica. `server`: the one
    that wrote file `first`, after these GTIDs; another one may answer at its address after a failover."""

    target: Target
    first: str = ""
    server: ServerName | None = None
    gtids: str = ""

    @classmethod
    def now(cls, target: Target) -> Self:
        """The binlog from now on. Raises ServerError, also when the account may not read it."""
        with connect(target) as link:
            return cls(target, dump.newest(target).name, server_name(link), _gtid_position(link))

    def read(self, schema: str, secret: bytes) -> BinlogSeen:
        """Raises DurascopeError or OSError."""
        with connect(self.target) as link:
            moved = self.server is not None and server_name(link) != self.server
        with temporary.folder("binlog") as folder:
            sent = self._sent_by_another(folder) if moved else dump.copy(self.target, folder, self.first)
            servers = 2 if moved else 1
            return binlog.read(sent.files, schema, secret, sent.refused, servers=servers, bounds=SENT)

    def _sent_by_another(self, folder: Path) -> dump.CopiedLog:
        if not self.gtids:
            raise ServerError(
                "Another server answers now, and without GTIDs it is not known where its binary log continues.",
                "Switch GTIDs on, and commit once before the trial.",
            )
        return dump.copy_after(self.target, folder, self.gtids)


class Reachable(Protocol):
    @property
    def target(self) -> Target: ...


@dataclass(frozen=True)
class Inspector:
    """Reads one server. `problems` collects why pieces are missing."""

    server: Reachable
    schema: str
    secret: bytes
    log: BinlogPlace | SentBinlog | None
    problems: list[str] = field(default_factory=list)
    own: OwnLoad | None = None

    def engine(self) -> Seen | None:
        return self.piece("engine rows", lambda: self._sql(self._seen))

    def binlog(self) -> BinlogSeen | None:
        """The witness's part of the present binlog files."""
        return self.piece("binlog", lambda: read_binlog(self.log, self.schema, self.secret))

    def gtids(self, name: str, place: BinlogPlace | None) -> Mapping[str, int] | None:
        """GTID -> key in that copy of the binlog; None: not known."""
        read = self.piece(name, lambda: read_binlog(place, self.schema, self.secret))
        return read.gtids if read else None

    def rewritten(self, before: BinlogPlace | None, now: BinlogSeen) -> Oddities | None:
        """Differences of the binlog from the copy that was taken at the crash."""
        if not isinstance(self.log, BinlogPlace) or before is None:
            return None
        old, new = before.files(), self.log.files()
        return self.piece("binlog against its copy", lambda: binlog.rewritten(old, new, now.read_to))

    def gtid_position(self) -> str | None:
        """GTIDs that the server has written; "" when there are none."""
        return self.piece("GTID position", lambda: self._sql(_gtid_position))

    def prepared_left(self) -> int | None:
        return self.piece("XA RECOVER", lambda: self._sql(lambda link: len(ask.rows(link, "XA RECOVER"))))

    def tables_ok(self) -> bool | None:
        return self.piece("CHECK TABLE", lambda: self._sql(self._check_tables))

    def write_on(self) -> bool:
        """Commit some transactions, so that the server uses new GTIDs. False: it failed."""
        return bool(self.piece("writing after recovery", lambda: self._sql(self._write)))

    def reissued(self, before: dict[str, int]) -> tuple[str, ...] | None:
        """GTIDs that name another transaction now than before the crash."""
        after = self.binlog()
        return None if after is None else gtid.reissued(before, after.gtids)

    @property
    def own_tables(self) -> tuple[str, ...]:
        return self.own.tables if self.own else ()

    def _seen(self, link: Connection) -> Seen:
        seen = compare_tables.seen(compare_tables.read_rows(link, self.schema), self.secret)
        return self.own.seen(seen, self.own.found(link, self.schema), self.secret) if self.own else seen

    def _check_tables(self, link: Connection) -> bool:
        """ServerError when the engine cannot be checked, which CHECK TABLE reports only as a note."""
        tables = ", ".join(f"`{self.schema}`.`{table}`" for table in (*compare_tables.TABLES, *self.own_tables))
        said = ask.rows(link, f"CHECK TABLE {tables}")
        found = [text for _, _, kind, text in said if kind in ("status", "error", "Error")]
        if not found or any(kind == "note" for _, _, kind, _ in said):
            raise ServerError(f"The tables cannot be checked: {ask.as_text(said[-1][3]) if said else 'no answer'}.")
        return all(text == "OK" for text in found)

    def _write(self, link: Connection) -> bool:
        compare_tables.write(link, self.schema, self.secret, WRITES_AFTER, PROBES)
        return True

    def _sql(self, read: Callable[[Connection], Piece]) -> Piece:
        with connect(self.server.target) as link:
            return read(link)

    def piece(self, name: str, read: Callable[[], Piece]) -> Piece | None:
        try:
            return read()
        except Exception as failure:  # the other pieces are still useful
            self.problems.append(f"{name}: {reason(failure)}")
            return None


def _number(file: str) -> int:
    """Of a file of the binlog: binlog.000007 has 7. 0: it has none."""
    digits = file.rpartition(".")[2]
    return int(digits) if NUMBER.fullmatch(digits) else 0


def read_binlog(place: BinlogPlace | SentBinlog | None, schema: str, secret: bytes) -> BinlogSeen:
    """Raises DurascopeError or OSError. `place` None: neither its files nor the server could be asked for it."""
    if place is None:
        raise DurascopeError("The binary log cannot be read from this host.")
    return place.read(schema, secret)


def keep_binlog(place: BinlogPlace, folder: Path) -> BinlogPlace:
    """Copy the present binlog. A recovery may trim it, and a power loss takes unflushed data."""
    files = place.files()
    names = b"".join(b"./%s\n" % os.fsencode(path.name) for path in files)
    (folder / place.index.name).write_bytes(names)
    left = binlog.MOST_BYTES - len(names)
    for path in files:
        left -= untrusted.copy(path, folder / path.name, left)
    return BinlogPlace(folder / place.index.name, place.first, own_tables=place.own_tables)


def telling(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of an error log about recovery."""
    return tuple(line for line in lines if TELLING.search(line))


def _gtid_position(link: Connection) -> str:
    known = ask.names_to_values(
        link, "SHOW GLOBAL VARIABLES WHERE variable_name IN ('gtid_binlog_pos','gtid_executed')"
    )
    return next(iter(known.values()), "")
