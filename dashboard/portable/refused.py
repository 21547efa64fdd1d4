"""Why a file cannot be read or written."""

from workers.errors import DurascopeError

REPORT = "Please report this. The log of the web server says where it failed."
NOTHING_STORED = ". Nothing was stored."


class NoFile(DurascopeError):
    """This experiment cannot be written as a file now. Nothing was written."""


class NotImported(DurascopeError):
    """The file is not from Durascope, or its parts contradict each other. Nothing was stored."""

    def __init__(self, what: str, fix: str = "Export the experiment again, and import that file as it is.") -> None:
        self.what = what.rstrip(".")
        super().__init__(f"{self.what}{NOTHING_STORED}", fix)


class UnknownField(NotImported):
    """A part of the file has a field that this version does not know."""
