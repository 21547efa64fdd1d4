"""Who does something."""

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser, User

Actor: TypeAlias = User | AnonymousUser | None
"""None: the command line, which its operating system account vouches for."""


def account(actor: Actor) -> User | None:
    """The account of somebody who is logged in; None for the command line and for a guest."""
    return actor if isinstance(actor, User) else None
