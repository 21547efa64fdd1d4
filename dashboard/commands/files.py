"""Files that are named on the command line."""

import sys
from pathlib import Path

from workers.errors import PlanError
from workers.transaction.read import MOST_CHARACTERS

STDIN = "-"


def content_of(file: str, most: int) -> bytes:
    """At most so many bytes of a file, or of standard input. Raises PlanError."""
    try:
        if file == STDIN:
            return sys.stdin.buffer.read(most)
        with Path(file).open("rb") as opened:
            return opened.read(most)
    except OSError as refused:
        raise PlanError(f"{file} cannot be read: {refused.strerror}.", "Name a file that can be read.") from refused


def own_transaction(file: str) -> str:
    """Raises PlanError."""
    try:
        return content_of(file, 4 * MOST_CHARACTERS).decode()
    except UnicodeDecodeError as error:
        raise PlanError(f"{file} is not UTF-8 text.", "Save it as UTF-8.") from error


def write_new(file: Path, content: bytes) -> None:
    """An existing file is not overwritten. Raises PlanError."""
    try:
        with file.open("xb") as opened:
            try:
                opened.write(content)
                opened.flush()
            except BaseException:
                file.unlink()
                raise
    except OSError as refused:
        raise PlanError(
            f"{file} cannot be written: {refused.strerror}. Nothing was written.", "Name another file."
        ) from None
