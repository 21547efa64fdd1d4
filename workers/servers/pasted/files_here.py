"""A my.cnf on this machine, and what it includes: read as a server here would. A pasted text includes nothing."""

import stat
from collections.abc import Sequence
from pathlib import Path

from workers.servers import owners_file
from workers.servers.pasted.lines import Include, as_text
from workers.servers.pasted.option_file import ReadFile
from workers.servers.pasted.options import ServerOptions

MOST_FILES = 200
MOST_BYTES = 4 << 20  # of all included files
ENDING = ".cnf"


class FilesHere:
    """Follows includes. `included`: what was read, in this order, with texts. `passed_over`: what no server reads."""

    def __init__(self) -> None:
        self.included: dict[str, str] = {}
        self.passed_over: dict[str, None] = {}
        self._bytes_left = MOST_BYTES

    def follow(self, include: Include, server: ServerOptions) -> Sequence[ReadFile]:
        """A relative path depends on the folder in which the server was started: it is not followed."""
        path = Path(as_text(include.path))
        if not path.is_absolute():
            return [ReadFile(str(path), None)]
        if not include.is_folder:
            return self._read(path)
        try:
            files = sorted(file for file in path.iterdir() if _ending(file.name, server) == ENDING)
        except OSError:
            return [ReadFile(str(path), None)]
        return [read for file in files for read in self._read(file)]

    def _read(self, path: Path) -> Sequence[ReadFile]:
        if is_passed_over(path):
            self.passed_over[str(path)] = None
            return []
        if (known := self.included.get(str(path))) is not None:
            return [ReadFile(str(path), known)]
        if len(self.included) >= MOST_FILES:
            return [ReadFile(str(path), None)]
        try:
            content = owners_file.read(str(path))
        except OSError:
            return [] if _is_empty(path) else [ReadFile(str(path), None)]
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            return [ReadFile(str(path), None)]
        text = self.included[str(path)] = content.decode(errors="surrogateescape")
        return [ReadFile(str(path), text)]

    @property
    def notes(self) -> list[str]:
        told = [f"Read with it: {', '.join(self.included)}."] if self.included else []
        return told + [says_passed_over(path) for path in self.passed_over]


def _ending(name: str, server: ServerOptions) -> str:
    """Some versions begin at the first dot."""
    at = name.find(".") if server.habit("endings") == "first dot" else name.rfind(".")
    return name[at:] if at >= 0 else ""


def is_passed_over(path: Path) -> bool:
    """Everybody may write it: a server reads no such file."""
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and bool(found.st_mode & stat.S_IWOTH)


def says_passed_over(path: str) -> str:
    return f"Everybody may write {path}: a server passes over such a file. chmod o-w lets it read the file."


def _is_empty(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and not found.st_size
