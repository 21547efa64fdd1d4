"""Make, find, annotate and revoke share links. The database stores a hash of the token, so a token is shown once."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing.models import ShareLink

OF_A_LINK = ("token_hash", "comparison", "embeddable", "expires_at", "revoked_at")
OF_ITS_EXPERIMENT = tuple(f"experiment__{name}" for name in ("name", "state", "ended_at", "baseline", "finding"))
TOKEN_BYTES = 24  # 192 random bits, 32 characters in an address


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def share(
    user: Actor,
    experiment: Experiment | None,
    days: int | None = None,
    note: str = "",
    *,
    embeddable: bool = False,
    comparison: str = "",
    compared: Iterable[Experiment] = (),
) -> tuple[ShareLink, str]:
    """A new link and its token, which cannot be shown again. `days` until it expires; None: never.

    Without an experiment the link opens the compare page at the query `comparison`, with runs of `compared` only."""
    require(user, "share")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ShareLink.objects.create(
        experiment=experiment,
        comparison=comparison,
        token_hash=hashed(token),
        note=note,
        embeddable=embeddable,
        created_by=account(user),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    link.compared.set(compared)
    record(user, "shared", link, link=link.pk, days=days, embeddable=embeddable)
    return link, token


def annotate(user: Actor, link: ShareLink, note: str) -> None:
    """A note on who the link is for. The audit log stores both notes."""
    require(user, "share")
    before, link.note = link.note, note
    if before != note:
        link.save(update_fields=["note"])
        record(user, "changed the note of a link", link, link=link.pk, before=before, after=note)


def revoke(user: Actor, link: ShareLink) -> None:
    require(user, "share")
    if ShareLink.objects.filter(pk=link.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        record(user, "revoked", link, link=link.pk)


def find(token: str) -> ShareLink | None:
    """The link of a token, open or not, with the columns that every guest needs. None if there is no such link, or if
    its experiment is deleted."""
    light = ShareLink.objects.kept().select_related("experiment").only(*OF_A_LINK, *OF_ITS_EXPERIMENT)
    return next(iter(light.filter(token_hash=hashed(token)).order_by()[:1]), None)  # without sorting
