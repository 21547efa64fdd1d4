"""Who did what. Written by `record`, never changed by the application."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone


class Event(models.Model):
    at = models.DateTimeField(default=timezone.now, db_index=True)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    name = models.CharField(max_length=150, blank=True)  # kept when the account is gone; "" is the system
    did = models.CharField(max_length=40)  # registered, tested, started, cancelled, shared, revoked ...
    what = models.CharField(max_length=200)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at"]


def record(who: Any, did: str, what: object, **detail: Any) -> None:
    """Write one event. `who`: a user, or None for the system itself. Details never hold a secret."""
    user = who if getattr(who, "is_authenticated", False) else None
    Event.objects.create(
        who=user, name=user.get_username() if user else "", did=did, what=str(what)[:200], detail=detail
    )
