"""The person or program that acts."""

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser, User

Actor: TypeAlias = User | AnonymousUser | None
"""None: the command line. The operating system decides who may use it."""


def account(actor: Actor) -> User | None:
    """The account of a person who is logged in; None for the command line and for a guest."""
    return actor if isinstance(actor, User) else None
