"""Why a message did not arrive."""

from workers.errors import DurascopeError


class Undelivered(DurascopeError):
    """It did not arrive; worth another attempt."""


class Undeliverable(Undelivered):
    """It will not arrive however often it is tried."""
