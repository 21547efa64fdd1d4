"""Channels and their messages."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class ChannelKind(models.TextChoices):
    EMAIL = "email", "e-mail"
    WEBHOOK = "webhook", "webhook"
    SLACK = "slack", "Slack"
    TEAMS = "teams", "Microsoft Teams"


class Channel(models.Model):
    """An address that gets some kinds of news. Addresses are encrypted, because those of webhooks often contain a
    secret."""

    Kind = ChannelKind

    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    events = models.JSONField(default=list)  # keys of events.EVENTS
    address_sealed = models.BinaryField()  # see dashboard.installation.vault
    shown = models.CharField(max_length=255)  # the part of the address that may be shown
    secret_sealed = models.BinaryField(default=b"")  # of a webhook: messages are signed with it
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
    """One message to one channel. `key` identifies it to the receiver. A message can arrive twice, if its first arrival
    was not confirmed."""

    State = DeliveryState

    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    channel = models.ForeignKey(Channel, null=True, on_delete=models.SET_NULL, related_name="deliveries")
    to = models.CharField(max_length=80)  # the channel's name, kept when it is deleted
    event = models.CharField(max_length=40)  # a key of events.EVENTS, or events.TEST
    title = models.CharField(max_length=200)
    text = models.TextField()
    path = models.CharField(max_length=200)
    facts = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)  # of the last attempt; contains no address and no secret
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
        """ "" if DURASCOPE_ADDRESS is not set."""
        return f"{settings.ADDRESS}{self.path}" if settings.ADDRESS else ""

    @property
    def where(self) -> str:
        """The link, or a sentence where there is none."""
        return self.link or f"Open {self.path} in your Durascope. To get a link here, set DURASCOPE_ADDRESS."

    @property
    def badge(self) -> str:
        return "done" if self.state == self.State.SENT else self.state
