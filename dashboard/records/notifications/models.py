"""Channels, and the messages to them."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class ChannelKind(models.TextChoices):
    EMAIL = "email", "e-mail"
    WEBHOOK = "webhook", "webhook"


class Channel(models.Model):
    """One address that wants some kinds of news. Addresses are sealed, for those of webhooks often hold a secret."""

    Kind = ChannelKind

    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    events = models.JSONField(default=list)  # keys of events.EVENTS
    address_sealed = models.BinaryField()  # see dashboard.installation.vault
    shown = models.CharField(max_length=255)  # what of the address may be shown
    secret_sealed = models.BinaryField(default=b"")  # of a webhook: what messages are signed with
    paused_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "waiting"
    SENT = "sent", "sent"
    FAILED = "failed", "failed"


class Delivery(models.Model):
    """One message to one channel. `key` is what a receiver knows it by: it may come twice, when nobody could tell
    whether it had arrived."""

    State = DeliveryState

    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    channel = models.ForeignKey(Channel, null=True, on_delete=models.SET_NULL, related_name="deliveries")
    to = models.CharField(max_length=80)  # the channel's name, also when it is gone
    event = models.CharField(max_length=40)  # a key of events.EVENTS, or events.TEST
    title = models.CharField(max_length=200)
    text = models.TextField()
    path = models.CharField(max_length=200)
    facts = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)  # of the last attempt; holds no address and no secret
    created_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(name="delivery_waiting", fields=["next_at"], condition=models.Q(state="waiting")),
            models.Index(name="delivery_newest", fields=["-created_at", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.title} to {self.to}"

    @property
    def link(self) -> str:
        """ "" when this installation does not know its own address (DURASCOPE_ADDRESS)."""
        return f"{settings.ADDRESS}{self.path}" if settings.ADDRESS else ""

    @property
    def badge(self) -> str:
        return "done" if self.state == self.State.SENT else self.state
