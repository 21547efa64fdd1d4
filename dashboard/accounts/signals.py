"""Logins leave a trace, the failed ones too: `throttle` counts what is written here."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from dashboard.audit.models import record

LOGGED_IN = "logged in"
LOGIN_FAILED = "login failed"


def address(request: HttpRequest | None) -> str:
    """Where a request comes from, as the web server saw it."""
    return request.META.get("REMOTE_ADDR", "") if request else ""


@receiver(user_logged_in)
def note_login(request: HttpRequest, user: Any, **_: Any) -> None:
    record(user, LOGGED_IN, user.get_username(), address=address(request))


@receiver(user_login_failed)
def note_failure(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    record(None, LOGIN_FAILED, credentials.get("username", ""), address=address(request))
