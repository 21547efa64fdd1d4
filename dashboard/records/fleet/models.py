"""Workers. A worker without a heartbeat for DEAD_AFTER is dead: another worker interrupts its experiments."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.installation.stored import read
from dashboard.records.fleet.site_names import LOCAL, LONGEST
from workers.bench.abilities import Abilities

DEAD_AFTER = timedelta(seconds=15)  # three missed heartbeats


@dataclass(frozen=True)
class StuckThread:
    """A thread that hangs. `row`: the id that its task carried; `since`: an ISO time."""

    what: str
    row: int | None
    since: str


class Workers(models.QuerySet["Worker"]):
    """The database's clock measures the silence. The clocks of hosts may differ."""

    def alive(self) -> "Workers":
        return self.filter(ended_at=None, beat_at__gt=Now() - DEAD_AFTER)

    def dead(self) -> "Workers":
        return self.filter(Q(ended_at__isnull=False) | Q(beat_at__lte=Now() - DEAD_AFTER))


class Worker(models.Model):
    """One worker process. `abilities`: workers.bench.abilities, read by `able`. `listens` False:
    it measures for a command line and takes no tasks."""

    host = models.CharField(max_length=120)
    pid = models.PositiveIntegerField()
    site = models.CharField(max_length=LONGEST, default=LOCAL)
    listens = models.BooleanField(default=True)
    version = models.CharField(max_length=40, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now)
    beat_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    abilities = models.JSONField(default=dict)
    stuck = models.JSONField(default=list)  # [StuckThread], read by `hanging`

    objects = Workers.as_manager()

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"

    @property
    def able(self) -> Abilities:
        return read(Abilities, self.abilities)

    @property
    def hanging(self) -> list[tuple[str, datetime]]:
        """(Task, since when) of each thread that hangs."""
        return [(one.what, datetime.fromisoformat(one.since)) for one in read(tuple[StuckThread, ...], self.stuck)]

    @property
    def is_alive(self) -> bool:
        return type(self).objects.alive().filter(pk=self.pk).exists()


class Installation(models.Model):
    """One row: the place where this database was written, and whether it is held as a restored copy
    (dashboard.records.fleet.installation)."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    identity = models.TextField()
    held_at = models.DateTimeField(null=True)


class Upgrade(models.Model):
    """A version that migrated this database. The newest row names the version that the programs should have."""

    version = models.CharField(max_length=40)
    at = models.DateTimeField(default=timezone.now)
