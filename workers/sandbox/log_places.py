"""Logs of a server on a device of their own, outside its datadir."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import process, untrusted
from workers.sandbox.images import REDO_FOLDER, REDO_LOG
from workers.sandbox.options import BINLOG_BASE
from workers.sandbox.users import User
from workers.servers.settings import switch

COPY_S = 600.0


@dataclass(frozen=True)
class LogPlaces:
    """Folders that `prepare` makes; None: in the datadir."""

    redo: Path | None = None
    binlog: Path | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(filter(None, (self.redo, self.binlog)))

    def prepare(self, datadir: Path, user: User) -> None:
        """Make the folders, and move the logs from the datadir there. Folders of a recorded disk are there already."""
        for folder in self.folders:
            if not folder.is_dir():
                user.folder(folder)
        if self.redo:
            _as_user(["mv"], datadir, self.redo, user)

    def binlog_index(self, datadir: Path) -> Path:
        return (self.binlog or datadir) / f"{BINLOG_BASE}.index"

    def options(self, settings: Mapping[str, str], datadir: Path) -> str:
        """Lines for the end of an option file, where they win. The server writes the binlog's place into its index. So
        it is relative to the datadir: copies of both devices that lie in the same way can be used anywhere."""
        lines = [f"innodb_log_group_home_dir={self.redo}"] if self.redo else []
        if self.binlog and switch(settings.get("log_bin", "OFF")) == "ON":
            lines.append(f"log_bin={os.path.relpath(self.binlog, datadir)}/{BINLOG_BASE}")
        return "".join(f"{line}\n" for line in lines)

    def bring_back(self, copy: Path, user: User) -> None:
        """Copy the redo log into a copy of the datadir, to complete it."""
        if self.redo:
            _as_user(["cp", "--archive"], self.redo, copy, user)


IN_DATADIR = LogPlaces()


def _as_user(command: list[str], source: Path, target: Path, user: User) -> None:
    """The user owns both folders, so the user copies, and follows only its own links."""
    if found := untrusted.names(source, [REDO_LOG, REDO_FOLDER]):
        files = [f"./{name}" for name in found]
        process.run([*command, "--target-directory", target, "--", *files], user, cwd=source, limit_s=COPY_S)
