"""The file of an own transaction, as given on the command line."""

from pathlib import Path

from workers.errors import PlanError
from workers.transaction.read import MOST_CHARACTERS

MOST_BYTES = 4 * MOST_CHARACTERS


def text_of(file: Path) -> str:
    """Raises PlanError."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES).decode()
    except OSError as error:
        raise PlanError(
            f"{file.name} could not be read: {error.strerror}.", "Check its name and its rights."
        ) from error
    except UnicodeDecodeError as error:
        raise PlanError(f"{file.name} is not UTF-8 text.", "Save it as UTF-8.") from error
