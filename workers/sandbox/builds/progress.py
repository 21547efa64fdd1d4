"""Runs slow programs and reports their progress."""

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workers.errors import SandboxError
from workers.host.child import ENDS_WITH_US

Tell = Callable[[str], None]
TELL_EVERY_S = 2.0
SHOWN = 1500  # characters
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run(
    argv: Sequence[str | Path],
    failed: str,
    *,
    fix: str = "",
    tell: Tell | None = None,
    progress: Callable[[], str] | None = None,
    log: Path | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """The program's output, which stays in the file `log`. While it runs, `tell` gets each change of `progress()`.
    SandboxError, with the end of the output, when it fails. The program ends with the worker."""
    with log.open("w+", errors="replace") if log else tempfile.TemporaryFile("w+", errors="replace") as printed:
        try:
            running = subprocess.Popen(
                [*ENDS_WITH_US, *map(str, argv)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=env,
                cwd=cwd,
            )
        except OSError as error:
            raise SandboxError(f"{failed}: {argv[0]} could not be started ({error.strerror}).", fix) from error
        try:
            _wait(running, tell, progress)
        except BaseException:
            running.kill()
            running.wait()
            raise
        printed.seek(0)
        output = COLOURS.sub("", printed.read())
    if running.returncode:
        said = f"{argv[0]} ended with status {running.returncode}: {output.strip()[-SHOWN:]}"
        raise SandboxError(f"{failed}: {said}", fix)
    return output


def _wait(running: subprocess.Popen[bytes], tell: Tell | None, progress: Callable[[], str] | None) -> None:
    told = ""
    while True:
        try:
            running.wait(TELL_EVERY_S if tell and progress else None)
            return
        except subprocess.TimeoutExpired:
            if tell and progress and (now := progress()) not in ("", told):
                told = now
                tell(now)


def growth(folder: Path, total_bytes: int = 0) -> Callable[[], str]:
    """How large the folder is; 0: its final size is not known."""
    total = f" of {total_bytes >> 20}" if total_bytes else ""
    return lambda: f"{size_bytes(folder) >> 20}{total} MiB"


def size_bytes(folder: Path) -> int:
    """The size of all files below, which may change meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
        except OSError:
            continue
    return total
