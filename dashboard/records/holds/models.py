"""Host leases and pending restores of experiments."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class HostLease(models.Model):
    """One experiment at a time per host of a server: the row is the lease, and its primary key is the lock."""

    host = models.CharField(max_length=255, primary_key=True)
    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE)
    taken_at = models.DateTimeField(default=timezone.now)


class RestoreKind(models.TextChoices):
    VARIABLE = "variable", "global variable"
    SCHEMA = "schema", "schema"
    START = "start", "the server itself"


class PendingRestore(models.Model):
    """A change on an attached server that must be restored. The row is written before the server is changed.

    `kind` variable: `name` had the value `old`. `kind` schema: Durascope created the schema `name` and must drop it.
    `kind` start: the server was crashed and must be started again by its owner's current command.
    """

    Kind = RestoreKind

    server = models.ForeignKey("servers.Server", on_delete=models.PROTECT, related_name="pending_restores")
    experiment = models.ForeignKey(
        "experiments.Experiment", null=True, on_delete=models.SET_NULL, related_name="pending_restores"
    )
    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=80, blank=True)
    old = models.TextField(blank=True)
    noted_at = models.DateTimeField(default=timezone.now)
    tried_at = models.DateTimeField(null=True)  # the start command was run last
    restored_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)  # why the last attempt failed

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_pending_restore_per_thing",
                fields=["server", "kind", "name"],
                condition=Q(restored_at__isnull=True),
            ),
        ]


class ServerWatch(models.Model):
    """What the guardrails of one attached server saw while it was loaded: workers.guardrails.limit.WatchRecord."""

    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE, related_name="watches")
    server = models.ForeignKey("servers.Server", on_delete=models.PROTECT, related_name="+")
    data = models.JSONField()

    class Meta:
        ordering = ["pk"]
