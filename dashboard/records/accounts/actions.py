"""Create accounts, give them roles, deactivate them. An account is never deleted, so its past acts keep their name.

Every function with the parameter `by` asks the table of roles. `by` None is the command line.
"""

import secrets

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.refused import Refused
from dashboard.text.names import check_name

GENERATED_BYTES = 12  # 96 random bits, 16 characters


class NameTaken(Exception):
    """An account of that name exists. It was not changed."""


class LastAdministrator(Refused):
    """The change would leave no active administrator. Nothing was changed."""

    def __init__(self, user: User) -> None:
        super().__init__(
            f"{user.get_username()} is the last administrator. Nothing was changed.  "
            "Make another person an administrator first."
        )


@transaction.atomic
def make_admin(name: str, password: str = "") -> str:
    """Create an administrator. Returns the password, which is generated if none is given.

    Raises NameTaken, and Django's ValidationError for a name or password that is not allowed.
    """
    user = _new(name)
    user.is_staff = user.is_superuser = True
    given = _store_password(user, password)
    record(None, "made administrator", user)
    return given


@transaction.atomic
def reset_administrator(name: str, password: str = "") -> str:
    """Make an existing account an active administrator with a new password and without second factors. Raises
    User.DoesNotExist and ValidationError."""
    user = User.objects.get(username=name)
    user.is_active = user.is_staff = user.is_superuser = True
    given = _store_password(user, password)
    fresh = {"role": Role.ADMINISTRATOR, "must_change_password": False, "one_time_until": None}
    Person.objects.update_or_create(user=user, defaults=fresh)
    Authenticator.objects.filter(user=user).delete()
    record(None, "reset password", user, role=Role.ADMINISTRATOR)
    return given


@transaction.atomic
def add(by: Actor, name: str, role: str) -> str:
    """Create an account. Returns its one-time password. Raises NameTaken and ValidationError."""
    require(by, "administer")
    user = _new(name)
    password = _store_password(user)
    _until_changed(user)
    _give(user, role)
    record(by, "added person", user, role=role)
    return password


@transaction.atomic
def add_from_sign_on(user: User, role: str) -> None:
    """Give a role to an account that the company's sign-on just created."""
    _give(user, role)
    record(None, "added person", user, role=role, why="company sign-on")


@transaction.atomic
def change_role(by: Actor, user: User, role: str) -> None:
    require(by, "administer")
    before = user.person.role
    if before == role:
        return
    if role != Role.ADMINISTRATOR:
        _keep_an_administrator(user)
    _give(user, role)
    record(by, "changed role", user, before=before, role=role)


@transaction.atomic
def deactivate(by: Actor, user: User) -> None:
    """End every session and login of this account at once."""
    require(by, "administer")
    _keep_an_administrator(user)
    if User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        record(by, "deactivated", user)


@transaction.atomic
def activate(by: Actor, user: User) -> None:
    require(by, "administer")
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        record(by, "activated", user)


@transaction.atomic
def new_password(by: Actor, user: User) -> str:
    """A one-time password for an account whose password was forgotten. Its sessions end."""
    require(by, "administer")
    password = _store_password(user)
    _until_changed(user)
    record(by, "reset password", user)
    return password


@transaction.atomic
def remove_second_factors(by: Actor, user: User) -> None:
    """For a person who lost a telephone or a security key."""
    require(by, "administer")
    if Authenticator.objects.filter(user=user).delete()[0]:
        record(by, "removed second factor", user, factor="all")


def _new(name: str) -> User:
    user = User(username=name)
    check_name(name)
    User.username.field.clean(name, user)  # before the query: databases refuse some characters
    if User.objects.filter(username__iexact=name).exists():
        raise NameTaken(f"There is already an account named {name}; it was not changed.")
    return user


def _store_password(user: User, password: str = "") -> str:
    if password:
        validate_password(password, user)
    password = password or secrets.token_urlsafe(GENERATED_BYTES)
    user.set_password(password)
    user.save()
    return password


def _until_changed(user: User) -> None:
    """Another person knows the password. It must be changed at the first login, before a time limit."""
    until = timezone.now() + settings.ONE_TIME_LIMIT
    Person.objects.filter(user=user).update(must_change_password=True, one_time_until=until)


def _give(user: User, role: str) -> None:
    """Set the role, and Django's flags for tools that only know these."""
    Person.objects.filter(user=user).update(role=Role(role))
    marks = role == Role.ADMINISTRATOR
    User.objects.filter(pk=user.pk).update(is_staff=marks, is_superuser=marks)


def _keep_an_administrator(leaves: User) -> None:
    """Raises LastAdministrator. Rows are locked: if two administrators remove each other at once, the second is
    refused."""
    remaining = Person.objects.select_for_update().filter(role=Role.ADMINISTRATOR, user__is_active=True)
    if {person.pk for person in remaining} == {leaves.pk}:
        raise LastAdministrator(leaves)
