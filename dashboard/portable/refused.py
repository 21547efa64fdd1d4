"""Why a file is not read, or not written."""

from workers.errors import DurascopeError

REPORT = "Please report this. The log of the web server says where it failed."


class NoFile(DurascopeError):
    """There is no file of this experiment now. Nothing was written."""


class NotImported(DurascopeError):
    """The file is none of ours, or what it says does not fit together. Nothing was stored."""

    def __init__(self, what: str, mend: str = "Export the experiment again, and import that file as it is.") -> None:
        super().__init__(f"{what.rstrip('.')}. Nothing was stored.", mend)

    @classmethod
    def again(cls, message: str, mend: str) -> "NotImported":
        """With a whole message, as another process said it."""
        told = cls("", mend)
        told.args, told.message = (message,), message
        return told
