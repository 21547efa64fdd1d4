"""What a sandbox's server said: one error log per life, kept over a crash."""

import re
from pathlib import Path

FRAME = re.compile(r"\[0x[0-9a-f]+]$")


class Logs:
    """`error.log` is that of the present life, `error.1.log` that of the first one kept, and so on;
    `output.log` has what was printed before the server opened its log."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.error, self.output = folder / "error.log", folder / "output.log"

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
        lines = [line for file in (self.error, self.output) for line in _read(file).splitlines() if line.strip()]
        errors = [line for line in lines if "[ERROR]" in line]
        frames = [line for line in lines if FRAME.search(line)]  # the innermost first
        return "\n".join([*(errors or lines or ["(nothing)"])[-8:], *frames[:12]])

    def _kept(self) -> list[Path]:
        return sorted(self._folder.glob("error.*.log"), key=lambda file: int(file.name.split(".")[1]))


def _read(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""
