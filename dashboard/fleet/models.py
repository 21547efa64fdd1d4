"""Workers and what they hold. A worker that stops beating is dead; what it held is taken from it."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

DEAD_AFTER = timedelta(seconds=15)  # three missed beats


class Worker(models.Model):
    """One worker process. `abilities`: cores, sandbox builds, fsync trace: what the workers page shows."""

    host = models.CharField(max_length=120)
    pid = models.PositiveIntegerField()
    started_at = models.DateTimeField(default=timezone.now)
    beat_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    abilities = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"

    @property
    def is_alive(self) -> bool:
        return self.ended_at is None and timezone.now() - self.beat_at < DEAD_AFTER


class HostLease(models.Model):
    """One experiment at a time per server host: the row is the lease, its key the lock."""

    host = models.CharField(max_length=255, primary_key=True)
    experiment = models.ForeignKey("experiments.Experiment", on_delete=models.CASCADE)
    taken_at = models.DateTimeField(default=timezone.now)
