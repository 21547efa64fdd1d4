"""The error logs of a sandbox: one for each start of its server, kept over a crash.

The server gets an open descriptor and no name. The folder is ours, so the server's user cannot replace a log by a link.
The log holds everything that the server prints.

The last log also says why a server ended. A server that lacks resources of its host shows nothing about a crash, and
must never count as a server that refuses its files.
"""

import re
import shutil
import signal
from pathlib import Path

from workers.sandbox import untrusted

LEAST_FREE_BYTES = 64 << 20  # a recovery may preallocate a log of this size
NO_SPACE = "28"
NUMBERS = f"11|12|13|23|24|{NO_SPACE}|30"  # errno(3): busy, memory, permission, files, space, read-only
QUOTA = "122"  # of the system; as a bare number and as "errno" servers print it for an error of a storage engine
LACKS = re.compile(
    r"No space left|Disk (?:is )?full|quota exceeded|Cannot allocate memory|Out of memory|Too many open files"
    r"|Permission denied|access rights|must be (?:writable|readable)|Address already in use"
    r"|Unable to lock \S+ error: 11\b"
    rf"|\b(?:errno|errcode)[ :=(]{{1,2}}(?:{NUMBERS})\b"
    rf"|Operating system error(?: number)?[ :=(]{{1,2}}(?:{NUMBERS}|{QUOTA})\b"
    rf"|\berror(?: number| code)?[ :=(]{{1,2}}{NO_SPACE}\b",
    re.IGNORECASE,
)
BY_OTHERS = (-signal.SIGKILL, -signal.SIGTERM)  # statuses of a server that the worker or the kernel ended
FRAME = re.compile(r"\[0x[0-9a-f]+]$")
MOST_BYTES = 16 << 20  # of one log: the newest
MOST_OF_A_LINE = 1000  # characters, in a message: the last


class Logs:
    """`error.log` is of the present start, `error.1.log` of the first kept one, and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.error = folder / "error.log"

    def begin(self) -> int:
        """A descriptor of an empty log for a new start; the caller closes it."""
        self.error.unlink(missing_ok=True)
        return untrusted.new_log(self.error)

    def keep(self) -> None:
        """Keep the present error log; the next start begins a new one."""
        if self.error.exists():
            self.error.rename(self._folder / f"error.{len(self._kept()) + 1}.log")

    def forget(self) -> None:
        for file in (*self._kept(), self.error):
            file.unlink(missing_ok=True)

    @property
    def text(self) -> str:
        """All logs, the oldest first."""
        return "".join(map(_read, (*self._kept(), self.error)))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(_read(self.error).splitlines())

    @property
    def last_words(self) -> str:
        """The errors of the present log, else its last lines; and the stack of a crash."""
        lines = [line for line in self.lines if line.strip()]
        errors = [line for line in lines if "[ERROR]" in line]
        frames = [line for line in lines if FRAME.search(line)]  # the innermost first
        return "\n".join(line[-MOST_OF_A_LINE:] for line in [*(errors or lines or ["(nothing)"])[-8:], *frames[:12]])

    def _kept(self) -> list[Path]:
        return sorted(self._folder.glob("error.*.log"), key=lambda file: int(file.name.split(".")[1]))


def _read(file: Path) -> str:
    try:
        return untrusted.tail(file, MOST_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return ""


def lacked_resource(last_words: str, *folders: Path) -> str:
    """What the host lacked, in words; "" when nothing is known."""
    for folder in filter(Path.is_dir, folders):
        if (free := shutil.disk_usage(folder).free) < LEAST_FREE_BYTES:
            return f"the disk is full ({free >> 20} MiB are free)"
    found = LACKS.search(last_words)
    return f"the host lacked something ({found[0]})" if found else ""


def how_it_ended(status: int) -> str:
    if status >= 0:
        return f"it ended with status {status}"
    return f"it was ended by signal {-status} ({signal.Signals(-status).name})"
