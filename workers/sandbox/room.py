"""The folder of a sandbox. It is ours; the sandbox's user owns only three folders in it:

    data/           the datadir, where it is not on a disk of its own
    tmp/            temporary files
    run/            socket and pid file
    owner.json, my.cnf, account.sql, fsync.table, error.log, sock

A server cannot remove or replace the other files.
"""

import os
import stat
from pathlib import Path

from workers.sandbox import place, untrusted
from workers.sandbox.users import User


class Room:
    def __init__(self, folder: Path, user: User) -> None:
        self._folder, self._user = folder, user
        self.socket = folder / "sock"
        self._servers_socket = folder / "run" / "sock"

    @property
    def of_the_user(self) -> tuple[Path, ...]:
        return self._folder / "tmp", self._folder / "run"

    def furnish(self) -> None:
        place.require_short(self._servers_socket)
        for folder in self.of_the_user:
            self._user.folder(folder)

    def give(self, name: str, content: bytes) -> Path:
        """A new file that the server can read and write, and nobody else."""
        file = self._folder / name
        file.unlink(missing_ok=True)
        with os.fdopen(untrusted.new_file(file), "wb") as made:
            self._user.own(made.fileno())
            made.write(content)
        return file

    def has_socket(self) -> bool:
        """Whether the server has made its socket. We connect by a second name in our folder: in its own folder the
        server could replace it by a link to another service."""
        try:
            if self._is_linked():
                return True
            self.socket.unlink(missing_ok=True)
            os.link(self._servers_socket, self.socket, follow_symlinks=False)
        except OSError:
            return False
        found = self.socket.lstat()
        if stat.S_ISSOCK(found.st_mode) and found.st_uid == self._user.uid:
            return True
        self.socket.unlink()
        return False

    def _is_linked(self) -> bool:
        """Whether both names mean one socket. A restarted server has another one."""
        made = self._servers_socket.lstat()
        return self.socket.exists() and os.path.samestat(made, self.socket.lstat())
