"""People with tokens, and a client that sends one."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.pages.api import actions
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.roles import OPERATIONS
from dashboard.records.api.models import ApiToken

EVERYTHING = tuple(OPERATIONS)


def somebody(role, name=""):
    user = User.objects.create_user(name or f"a {role}", password="a long test password")
    Person.objects.filter(user=user).update(role=role)
    return User.objects.get(pk=user.pk)


def token_of(user, scopes=EVERYTHING, expires_in=timedelta(days=1)):
    """Stored as it is: what the page would refuse to make too."""
    text = actions.SIGN + f"{user.pk}-{ApiToken.objects.count():030}"
    ApiToken.objects.create(
        user=user, name="a script", prefix=text[: actions.SHOWN], token_hash=actions.hashed(text),
        scopes=list(scopes), expires_at=timezone.now() + expires_in,
    )  # fmt: skip
    return text


def client_of(text):
    return Client(headers={"Authorization": f"Bearer {text}"}, raise_request_exception=False)


def script(user, *scopes):
    return client_of(token_of(user, scopes or EVERYTHING))
