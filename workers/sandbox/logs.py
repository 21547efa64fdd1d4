"""What a sandbox's server said: one error log per life, kept over a crash.

The server gets an open descriptor and no name: the folder of the logs is ours, and the server's user cannot put a link
in the place of a log. Everything that the server prints goes there, also before it is ready.
"""

import re
from pathlib import Path

from workers.sandbox import untrusted

FRAME = re.compile(r"\[0x[0-9a-f]+]$")
MOST_BYTES = 16 << 20  # of one life: the newest


class Logs:
    """`error.log` is that of the present life, `error.1.log` that of the first one kept, and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.error = folder / "error.log"

    def begin(self) -> int:
        """A descriptor of an empty log for the life that begins; whoever takes it closes it."""
        self.error.unlink(missing_ok=True)
        return untrusted.new_log(self.error)

    def keep(self) -> None:
        """Put the present error log aside: the next life begins a new one."""
        if self.error.exists():
            self.error.rename(self._folder / f"error.{len(self._kept()) + 1}.log")

    def forget(self) -> None:
        for file in (*self._kept(), self.error):
            file.unlink(missing_ok=True)

    @property
    def text(self) -> str:
        """All lives, the oldest first."""
        return "".join(map(_read, (*self._kept(), self.error)))

    @property
    def lines(self) -> tuple[str, ...]:
        """Of the present life."""
        return tuple(_read(self.error).splitlines())

    @property
    def last_words(self) -> str:
        """The errors of the present life, else the last lines of whatever the server said; and where it crashed."""
        lines = [line for line in self.lines if line.strip()]
        errors = [line for line in lines if "[ERROR]" in line]
        frames = [line for line in lines if FRAME.search(line)]  # the innermost first
        return "\n".join([*(errors or lines or ["(nothing)"])[-8:], *frames[:12]])

    def _kept(self) -> list[Path]:
        return sorted(self._folder.glob("error.*.log"), key=lambda file: int(file.name.split(".")[1]))


def _read(file: Path) -> str:
    try:
        return untrusted.tail(file, MOST_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return ""
