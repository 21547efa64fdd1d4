"""Tokens of people, and the keys under which they started experiments. Only hashes are stored."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiToken(models.Model):
    """May do what its `scopes` say and its person's role allows, whichever is less."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=20)  # its first letters, to tell tokens apart
    token_hash = models.CharField(max_length=64, unique=True)  # SHA-256, hex
    scopes = models.JSONField(default=list)  # operations of dashboard.records.accounts.roles
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.prefix

    @property
    def why_shut(self) -> str:
        """ "" while it opens something."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at <= timezone.now() else ""


class StartKey(models.Model):
    """The Idempotency-Key of a start, or the key of a form: asked again, it names the experiment that it started."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    request_hash = models.CharField(max_length=64)  # SHA-256 of what was asked
    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE, related_name="start_keys")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(name="one_start_per_key", fields=["user", "key"])]
