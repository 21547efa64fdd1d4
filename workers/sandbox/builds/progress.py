"""Runs slow programs and reports their progress."""

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workers.errors import SandboxError

Tell = Callable[[str], None]
TELL_EVERY_S = 2.0
SHOWN = 1500  # characters
DIES_WITH_US = ("setpriv", "--pdeathsig=TERM", "--")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run(
    argv: Sequence[str | Path],
    failed: str,
    *,
    tell: Tell | None = None,
    growing: Path | None = None,
    total_bytes: int = 0,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """The program's output. While it runs, `tell` gets the size of the folder `growing`. SandboxError, with the end of
    the output, when it fails. The program ends with the worker."""
    with tempfile.TemporaryFile("w+", errors="replace") as printed:
        try:
            running = subprocess.Popen(
                [*DIES_WITH_US, *map(str, argv)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=env,
                cwd=cwd,
            )
        except OSError as error:
            raise SandboxError(f"{failed}: {argv[0]} could not be started ({error.strerror}).") from error
        try:
            _wait(running, tell, growing, total_bytes)
        except BaseException:
            running.kill()
            running.wait()
            raise
        printed.seek(0)
        said = COLOURS.sub("", printed.read())
    if running.returncode:
        raise SandboxError(f"{failed}: {argv[0]} ended with status {running.returncode}: {said.strip()[-SHOWN:]}")
    return said


def _wait(running: subprocess.Popen[bytes], tell: Tell | None, growing: Path | None, total_bytes: int) -> None:
    told = -1
    while True:
        try:
            running.wait(TELL_EVERY_S if tell and growing else None)
            return
        except subprocess.TimeoutExpired:
            there = size_bytes(growing) if growing else 0
            if tell and there >> 20 != told:
                told = there >> 20
                tell(f"{told} of {total_bytes >> 20} MiB" if total_bytes else f"{told} MiB")


def size_bytes(folder: Path) -> int:
    """The size of all files below, which may change meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
        except OSError:
            continue
    return total
