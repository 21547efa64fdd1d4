"""Make, find and revoke tokens. A token is shown once, to the person who makes it. The database stores its hash."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.records.accounts.roles import require
from dashboard.records.api.models import ApiToken
from dashboard.records.audit.models import record

SIGN = "durascope_"  # people and secret scanners recognize a token by it
TOKEN_BYTES = 24  # 192 random bits
SHOWN = len(SIGN) + 6
NOTED_EVERY = timedelta(minutes=1)  # how often the last use is stored: a script may poll every second


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


@transaction.atomic
def make(user: User, name: str, scopes: Sequence[str], days: int) -> tuple[ApiToken, str]:
    """A new token and its text, which cannot be shown again. Raises NotAllowed for a scope beyond the role."""
    require(user, "tokens")
    for scope in scopes:
        require(user, scope)
    text = SIGN + secrets.token_urlsafe(TOKEN_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=text[:SHOWN],
        token_hash=hashed(text),
        scopes=sorted(scopes),
        expires_at=timezone.now() + timedelta(days=days),
    )
    record(user, "made token", token, name=name, scopes=token.scopes, days=days)
    return token, text


@transaction.atomic
def revoke(by: User, token: ApiToken) -> None:
    """A person may revoke own tokens, an administrator any token."""
    require(by, "tokens" if token.user_id == by.pk else "administer")
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(by, "revoked token", token, of=token.user.get_username())


@transaction.atomic
def revoke_all(by: User, user: User) -> None:
    """All tokens of a person, for example after the loss of a laptop."""
    for token in user.api_tokens.filter(revoked_at=None):
        revoke(by, token)


@transaction.atomic
def end_all(user: User, why: str) -> int:
    """Revoke all tokens of a person whose account changed. Returns their number."""
    found = list(ApiToken.objects.select_for_update().filter(user=user, revoked_at=None, expires_at__gt=timezone.now()))
    for token in found:
        record(None, "revoked token", token, of=user.get_username(), why=why)
    ApiToken.objects.filter(pk__in=[token.pk for token in found]).update(revoked_at=timezone.now())
    return len(found)


def find(text: str) -> ApiToken | None:
    """The token with this text, also an expired or revoked one."""
    return ApiToken.objects.select_related("user__person").filter(token_hash=hashed(text)).first()


def note_use(token: ApiToken) -> None:
    before = timezone.now() - NOTED_EVERY
    if token.used_at is None or token.used_at < before:
        stale = ApiToken.objects.filter(Q(used_at=None) | Q(used_at__lt=before), pk=token.pk)
        stale.update(used_at=timezone.now())


class EndsTokens:
    """A new password revokes the API tokens of its account. For AUTH_PASSWORD_VALIDATORS: Django calls these after
    every change: by the person, by an administrator, by `makeadmin --reset` or `changepassword`. They are not called if
    a login only renews the hash with more rounds."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Every password is valid."""

    def get_help_text(self) -> str:
        return "A new password revokes all API tokens of the account."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None and user.pk:
            end_all(user, "the password changed")
