"""Make, open and revoke links. The token is known only to whoever was shown it: the database has its hash."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F
from django.utils import timezone

from dashboard.accounts.roles import require
from dashboard.audit.models import record
from dashboard.experiments.models import Experiment
from dashboard.sharing.models import ShareLink

TOKEN_BYTES = 24  # 192 random bits, 32 characters in an address


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def share(
    user: AbstractBaseUser | None, experiment: Experiment, days: int | None = None, note: str = ""
) -> tuple[ShareLink, str]:
    """A new link and its token, which cannot be shown again. `days` until it expires; None: never."""
    require(user, "share")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ShareLink.objects.create(
        experiment=experiment,
        token_hash=hashed(token),
        note=note,
        created_by=user,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    record(user, "shared", experiment, link=link.pk, days=days)
    return link, token


def revoke(user: AbstractBaseUser, link: ShareLink) -> None:
    require(user, "share")
    if ShareLink.objects.filter(pk=link.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        record(user, "revoked", link.experiment, link=link.pk)


def find(token: str) -> ShareLink | None:
    """The link of a token, open or not; None when there never was one."""
    return ShareLink.objects.select_related("experiment").filter(token_hash=hashed(token)).first()


def count_view(link: ShareLink) -> None:
    ShareLink.objects.filter(pk=link.pk).update(views=F("views") + 1, used_at=timezone.now())
