"""Reasons why a message did not arrive."""

from workers.errors import DurascopeError


class Undelivered(DurascopeError):
    """It did not arrive. Another attempt may succeed."""


class Undeliverable(Undelivered):
    """It did not arrive, and another attempt would fail too."""
