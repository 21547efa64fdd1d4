"""The audit log. `record` writes it. The model and triggers in the database (`append_only`) refuse changes."""

from typing import Any, NoReturn

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.utils import timezone

NAMES = {  # of details, on the page
    "address": "IP address",
    "cells": "measurements",
    "comment": "comment number",
    "days": "days until it ends",
    "experiment": "experiment number",
    "fields": "changed",
    "id": "experiment number",
    "link": "link number",
    "nights": "runs",
    "production_confirmed": "load on a production server confirmed",
    "trial": "trial number",
    "trials": "crash trials",
    "why": "reason",
    "zone": "time zone",
}
ONLY_IF_TRUE = ("embeddable", "production_confirmed")  # the page leaves out what was not asked for


class AppendOnly(Exception):
    """The audit log can only grow. Nothing was changed."""

    def __init__(self) -> None:
        super().__init__("Events of the audit log cannot be changed or deleted. Nothing was changed.")


class Events(models.QuerySet["Event"]):
    """Reads and adds. When an account is deleted, Django empties `who` without this class; the name stays."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise AppendOnly

    update = delete = bulk_update = update_or_create = get_or_create = _refuse


class Event(models.Model):
    at = models.DateTimeField(default=timezone.now, db_index=True)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    name = models.CharField(max_length=150, blank=True)  # kept when the account is deleted; "" is the system
    did = models.CharField(max_length=40, db_index=True)  # registered, tested, started, cancelled, shared, revoked ...
    what = models.CharField(max_length=200)
    detail = models.JSONField(default=dict)

    objects = Events.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(name="event_name", fields=["name"])]

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(*args, **kwargs)

    def delete(self, *_: object, **__: object) -> NoReturn:
        raise AppendOnly

    @property
    def detail_lines(self) -> list[tuple[str, str]]:
        """(Name, value) of each detail in words, for the page."""
        told = ((name, value) for name, value in self.detail.items() if value or name not in ONLY_IF_TRUE)
        return [(NAMES.get(name, name.replace("_", " ")), _in_words(value)) for name, value in told]


def _in_words(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return ", ".join(map(_in_words, value)) or "none" if isinstance(value, list) else str(value)


def record(who: User | AnonymousUser | None, did: str, what: object, **detail: object) -> None:
    """Write one event. `who`: None for the system; its attribute `via` names the API token that was used. Never pass a
    secret."""
    user = who if isinstance(who, User) else None
    if via := getattr(user, "via", ""):
        detail = {**detail, "via": via}
    Event.objects.create(
        who=user, name=user.get_username() if user else "", did=did, what=str(what)[:200], detail=detail
    )
