"""Make accounts."""

import secrets

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from dashboard.audit.models import record


class NameTaken(Exception):
    """An account of that name exists; it was left as it is."""


def make_admin(name: str, password: str = "") -> str:
    """Make an administrator; returns the password, generated when none is given.

    Raises NameTaken, or django's ValidationError when the name or the password will not do.
    """
    user = User(username=name, is_staff=True, is_superuser=True)
    if User.objects.filter(username=name).exists():
        raise NameTaken(f"There is already an account named {name}; it was left as it is.")
    User.username.field.clean(name, user)
    if password:
        validate_password(password, user)
    return _store(user, password or secrets.token_urlsafe(12), "made administrator")


def new_password(name: str, password: str = "") -> str:
    """Give an existing account a new password. Raises User.DoesNotExist, ValidationError."""
    user = User.objects.get(username=name)
    if password:
        validate_password(password, user)
    return _store(user, password or secrets.token_urlsafe(12), "reset password")


@transaction.atomic
def _store(user: User, password: str, did: str) -> str:
    user.set_password(password)
    user.save()
    record(None, did, user)
    return password
