"""API tokens of people, and the keys under which they started experiments. Only hashes are stored."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiToken(models.Model):
    """Allows an operation that is in its `scopes` and that the role of its person allows."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=20)  # its first characters, to identify the token on pages
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
        """Why the token is refused; "" while it is valid."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at <= timezone.now() else ""


class StartKey(models.Model):
    """The Idempotency-Key of a start, or the key of a form. The same key again names the experiment that it started."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    request_hash = models.CharField(max_length=64)  # SHA-256 of the request
    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE, related_name="start_keys")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(name="one_start_per_key", fields=["user", "key"])]
