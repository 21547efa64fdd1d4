"""Access rules of pages. A view names its operation and its methods: `@needs("run", "POST")`. A view without an
operation is refused."""

import logging
from collections.abc import Callable
from typing import TypeVar

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.role import NOBODY
from dashboard.records.accounts.roles import OPERATIONS, allowed, require, role_of

View = TypeVar("View", bound=Callable[..., object])
log = logging.getLogger(__name__)
FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]


def needs(operation: str, *methods: str) -> Callable[[View], View]:
    """The operation of a view, and its HTTP methods (none: all; "GET" includes HEAD). The action checks the owner,
    because it knows the object."""
    if operation not in OPERATIONS:
        raise ValueError(f"{operation} is not in the table of operations.")

    def named(view: View) -> View:
        if methods:
            view = require_http_methods([*methods, *(["HEAD"] if "GET" in methods else [])])(view)
        view.operation = operation  # type: ignore[attr-defined]
        if OPERATIONS[operation].least == NOBODY:
            view.login_required = False  # type: ignore[attr-defined]
        return view

    return named


class Gate(LoginRequiredMiddleware):
    """Refuses before a view runs. Users without a login go to the login page; others read which role may."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., object], view_args: object, view_kwargs: object
    ) -> HttpResponse | None:
        operation = getattr(view_func, "operation", None)
        if operation is None:
            log.error("The view of %s names no operation: it is refused to everybody.", request.path)
            raise PermissionDenied("This page has no access rule, so nobody may open it. Nothing was changed.")
        if OPERATIONS[operation].least == NOBODY:
            return None
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        require(request.user, operation)
        return self._own_password_first(request, operation) or self._second_factor_first(request, operation)

    def _own_password_first(self, request: HttpRequest, operation: str) -> HttpResponse | None:
        person = getattr(request.user, "person", None)
        if person and person.must_change_password and operation != "own_account":
            return redirect("account_change_password")
        return None

    def _second_factor_first(self, request: HttpRequest, operation: str) -> HttpResponse | None:
        if operation == "own_account" or not lacks_second_factor(request.user):
            return None
        messages.warning(request, "Your account needs a second factor: add an authenticator app or a passkey first.")
        return redirect("mfa_index")


def account_of(request: HttpRequest) -> User:
    """The user of a page that needs a login."""
    assert isinstance(request.user, User)
    return request.user


def lacks_second_factor(user: Actor) -> bool:
    """Whether settings.SECOND_FACTOR_FOR demands a second factor that this person does not have."""
    return role_of(user) in settings.SECOND_FACTOR_FOR and not is_mfa_enabled(user, FACTORS)


class May:
    """For templates: `{% if may.run %}`. Computed only when a template uses it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    def __getitem__(self, operation: str) -> bool:
        return allowed(self._request.user, operation)


def may(request: HttpRequest) -> dict[str, May]:
    """Context processor."""
    return {"may": May(request)}
