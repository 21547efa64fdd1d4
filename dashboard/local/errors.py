"""Errors of the programs that run Durascope on one machine."""

from workers.errors import DurascopeError


class LocalError(DurascopeError):
    """A part of the local stack could not start. The parts that had started were stopped."""
