"""Authorisation of the API: `auth=Token("run")` names an operation in the table of roles."""

from typing import NoReturn

from django.contrib.auth.models import User
from django.http import HttpRequest

from dashboard.pages.accounts.gate import lacks_second_factor
from dashboard.pages.accounts.signals import address
from dashboard.pages.accounts.throttle import WINDOW, begin
from dashboard.pages.api import actions
from dashboard.records.accounts.roles import OPERATIONS, NotAllowed, require
from dashboard.records.api.models import ApiToken
from dashboard.records.audit.models import record

TOKEN_FAILED = "token failed"  # noqa: S105 - a verb of the audit log


class NoToken(Exception):
    """The token is missing or not valid: 401. The message says what is wrong with it."""


class TooMany(Exception):
    """Too many wrong tokens from one address: 429."""

    def __init__(self) -> None:
        self.wait_s = int(WINDOW.total_seconds())
        super().__init__(f"Too many wrong tokens. Nothing was done. Wait {self.wait_s // 60} minutes and try again.")


class Token:
    """Admits a token that has this scope, if the role of its owner allows the operation now."""

    openapi_security_schema = {"type": "http", "scheme": "bearer", "description": "A token made under API tokens."}

    def __init__(self, operation: str) -> None:
        if operation not in OPERATIONS:
            raise ValueError(f"{operation} is not in the table of operations.")
        self.operation = operation

    def __call__(self, request: HttpRequest) -> User:
        user = bearer(request)
        require(user, self.operation)
        return user


def nobody(_: HttpRequest) -> NoReturn:
    """For an operation without `auth`."""
    raise NotAllowed("This operation has no access rule, so nobody may use it. Nothing was changed.")


def bearer(request: HttpRequest) -> User:
    """The owner of the request's token, from now on the user of the request. A valid token is admitted after any number
    of wrong ones from its address: all clients behind a proxy can share an address, and nobody guesses 192 random bits.
    Raises NoToken, TooMany and NotAllowed."""
    scheme, _, text = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise NoToken(
            "This operation needs a token. Create one under API tokens and send it as: Authorization: Bearer TOKEN"
        )
    token = actions.find(text.strip())
    if token is None:
        _refuse(request, text.strip(), "unknown")
    if why := token.why_shut or ("" if token.user.is_active else "of a deactivated account"):
        _refuse(request, text.strip(), why)
    return _speaking_for(request, token)


def _refuse(request: HttpRequest, text: str, why: str) -> NoReturn:
    """The audit log gets only the part of a token that pages show, and nothing of a text that is no token."""
    shown = text[: actions.SHOWN] if text.startswith(actions.SIGN) else "something else"
    if begin(TOKEN_FAILED, shown, address(request)) is None:
        raise TooMany
    record(None, TOKEN_FAILED, shown, address=address(request), why=why)
    raise NoToken(f"This token is {why}. Nothing was done. Create a new one under API tokens.")


def _speaking_for(request: HttpRequest, token: ApiToken) -> User:
    user = token.user
    user.scopes = frozenset(token.scopes)  # type: ignore[attr-defined]  # what `allowed` is limited to
    user.via = f"token {token.prefix}"  # type: ignore[attr-defined]  # what the audit log says beside the name
    request.user = user  # before it can be refused: the audit log names it, actions check its role and ownership
    if user.person.must_change_password:
        raise NotAllowed("Another person gave you your password. Log in and change it; until then tokens do not work.")
    if lacks_second_factor(user):
        raise NotAllowed("Your account needs a second factor. Log in and add one; until then tokens do not work.")
    actions.note_use(token)
    return user
