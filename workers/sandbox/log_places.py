"""Logs of a server that do not lie in its datadir, but on a device of their own."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox.process import User

REDO_FILES = ("ib_logfile*", "#innodb_redo")
BINLOG_BASE = "binlog"


@dataclass(frozen=True)
class LogPlaces:
    """Folders, None: in the datadir. All of them are made by `prepare`."""

    redo: Path | None = None
    binlog: Path | None = None

    def prepare(self, datadir: Path, user: User) -> None:
        """Make the folders and move there what the datadir holds."""
        for folder in filter(None, (self.redo, self.binlog)):
            folder.mkdir(mode=0o700)
            user.own(folder)
        if self.redo:
            for log in _redo_in(datadir):
                _owned(Path(shutil.move(log, self.redo / log.name)), user)

    def options(self, settings: Mapping[str, str]) -> str:
        """Lines for the end of an option file, where they win."""
        lines = [f"innodb_log_group_home_dir={self.redo}"] if self.redo else []
        if self.binlog and settings.get("log_bin", "OFF").upper() in ("ON", "1"):
            lines.append(f"log_bin={self.binlog / BINLOG_BASE}")
        return "".join(f"{line}\n" for line in lines)

    def bring_back(self, copy: Path, user: User) -> None:
        """Put the redo log into a copy of the datadir, so that the copy is a whole one."""
        if self.redo:
            for log in _redo_in(self.redo):
                made = shutil.copytree(log, copy / log.name) if log.is_dir() else shutil.copy(log, copy / log.name)
                _owned(Path(made), user)


IN_DATADIR = LogPlaces()


def _redo_in(folder: Path) -> list[Path]:
    return [log for pattern in REDO_FILES for log in folder.glob(pattern)]


def _owned(path: Path, user: User) -> None:
    for each in (path, *(path.rglob("*") if path.is_dir() else ())):
        user.own(each)
