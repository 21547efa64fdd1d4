"""Logs of a server that do not lie in its datadir, but on a device of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import process, untrusted
from workers.sandbox.users import User

REDO_FILES = ("ib_logfile*", "#innodb_redo")
BINLOG_BASE = "binlog"
COPY_S = 600.0


@dataclass(frozen=True)
class LogPlaces:
    """Folders, None: in the datadir. All of them are made by `prepare`."""

    redo: Path | None = None
    binlog: Path | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(filter(None, (self.redo, self.binlog)))

    def prepare(self, datadir: Path, user: User) -> None:
        """Make the folders and move there what the datadir holds."""
        for folder in self.folders:
            user.folder(folder)
        if self.redo:
            _as_user(["mv"], datadir, self.redo, user)

    def options(self, settings: Mapping[str, str]) -> str:
        """Lines for the end of an option file, where they win."""
        lines = [f"innodb_log_group_home_dir={self.redo}"] if self.redo else []
        if self.binlog and settings.get("log_bin", "OFF").upper() in ("ON", "1"):
            lines.append(f"log_bin={self.binlog / BINLOG_BASE}")
        return "".join(f"{line}\n" for line in lines)

    def bring_back(self, copy: Path, user: User) -> None:
        """Put the redo log into a copy of the datadir, so that the copy is a whole one."""
        if self.redo:
            _as_user(["cp", "--archive"], self.redo, copy, user)


IN_DATADIR = LogPlaces()


def _as_user(command: list[str], source: Path, target: Path, user: User) -> None:
    """Both folders are the user's: so it is the user who moves and copies there, and follows its own links."""
    if found := untrusted.names(source, REDO_FILES):
        files = [f"./{name}" for name in found]
        process.run([*command, "--target-directory", target, "--", *files], user, cwd=source, limit_s=COPY_S)
