"""Who does something."""

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser, User

Actor: TypeAlias = User | AnonymousUser | None
"""None: the command line, which its operating system account vouches for."""
