"""Read-only links to a result. Only the token's hash is stored."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ShareLink(models.Model):
    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)  # SHA-256, hex
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    views = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at"]

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())
