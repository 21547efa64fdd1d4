"""What can go wrong while Durascope is run on one machine."""

from workers.errors import DurascopeError


class LocalError(DurascopeError):
    """A part of the local stack could not be started; what had been started was stopped again."""
